from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.patched_preferences_document_digest_weekday import (
    PatchedPreferencesDocumentDigestWeekday,
    check_patched_preferences_document_digest_weekday,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="PatchedPreferencesDocument")


@_attrs_define
class PatchedPreferencesDocument:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        time_zone (str | Unset): An IANA name such as Europe/Paris.
        quiet_from (None | str | Unset): From here to `quiet_until` nothing is sent; it waits. They may go over
            midnight.
        quiet_until (None | str | Unset):
        digest_at (str | Unset): When daily and weekly digests are sent.
        digest_weekday (PatchedPreferencesDocumentDigestWeekday | Unset): On which day weekly digests are sent.

            * `monday` - monday
            * `tuesday` - tuesday
            * `wednesday` - wednesday
            * `thursday` - thursday
            * `friday` - friday
            * `saturday` - saturday
            * `sunday` - sunday
        language (None | str | Unset): Of pages and of what is sent. With null, which is what you have before you
            choose, messages are in the language of the site.
    """

    time_zone: str | Unset = UNSET
    quiet_from: None | str | Unset = UNSET
    quiet_until: None | str | Unset = UNSET
    digest_at: str | Unset = UNSET
    digest_weekday: PatchedPreferencesDocumentDigestWeekday | Unset = UNSET
    language: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        time_zone = self.time_zone

        quiet_from: None | str | Unset
        if isinstance(self.quiet_from, Unset):
            quiet_from = UNSET
        else:
            quiet_from = self.quiet_from

        quiet_until: None | str | Unset
        if isinstance(self.quiet_until, Unset):
            quiet_until = UNSET
        else:
            quiet_until = self.quiet_until

        digest_at = self.digest_at

        digest_weekday: str | Unset = UNSET
        if not isinstance(self.digest_weekday, Unset):
            digest_weekday = self.digest_weekday

        language: None | str | Unset
        if isinstance(self.language, Unset):
            language = UNSET
        else:
            language = self.language

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if time_zone is not UNSET:
            field_dict["time_zone"] = time_zone
        if quiet_from is not UNSET:
            field_dict["quiet_from"] = quiet_from
        if quiet_until is not UNSET:
            field_dict["quiet_until"] = quiet_until
        if digest_at is not UNSET:
            field_dict["digest_at"] = digest_at
        if digest_weekday is not UNSET:
            field_dict["digest_weekday"] = digest_weekday
        if language is not UNSET:
            field_dict["language"] = language

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        time_zone = d.pop("time_zone", UNSET)

        def _parse_quiet_from(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        quiet_from = _parse_quiet_from(d.pop("quiet_from", UNSET))

        def _parse_quiet_until(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        quiet_until = _parse_quiet_until(d.pop("quiet_until", UNSET))

        digest_at = d.pop("digest_at", UNSET)

        _digest_weekday = d.pop("digest_weekday", UNSET)
        digest_weekday: PatchedPreferencesDocumentDigestWeekday | Unset
        if isinstance(_digest_weekday, Unset):
            digest_weekday = UNSET
        else:
            digest_weekday = check_patched_preferences_document_digest_weekday(_digest_weekday)

        def _parse_language(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        language = _parse_language(d.pop("language", UNSET))

        patched_preferences_document = cls(
            time_zone=time_zone,
            quiet_from=quiet_from,
            quiet_until=quiet_until,
            digest_at=digest_at,
            digest_weekday=digest_weekday,
            language=language,
        )

        patched_preferences_document.additional_properties = d
        return patched_preferences_document

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
