from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.changed_document_channels_type_1 import (
    ChangedDocumentChannelsType1,
    check_changed_document_channels_type_1,
)
from ..models.changed_document_frequency import (
    ChangedDocumentFrequency,
    check_changed_document_frequency,
)
from ..models.changed_document_revisions import (
    ChangedDocumentRevisions,
    check_changed_document_revisions,
)
from ..models.changed_document_state import (
    ChangedDocumentState,
    check_changed_document_state,
)

T = TypeVar("T", bound="ChangedDocument")


@_attrs_define
class ChangedDocument:
    """For the documentation.

    Attributes:
        id (int):
        name (str):
        text (str):
        canonical (str):
        state (ChangedDocumentState): * `active` - active
            * `paused` - paused
            * `muted` - muted
            * `expired` - expired
        created_at (datetime.datetime):
        expires_at (datetime.datetime | None):
        frequency (ChangedDocumentFrequency): * `at_once` - at_once
            * `hourly` - hourly
            * `daily` - daily
            * `weekly` - weekly
        revisions (ChangedDocumentRevisions): * `once` - once
            * `price_drop` - price_drop
            * `always` - always
        channels (ChangedDocumentChannelsType1 | list[int]): The ids of channels, or "all", which includes those you add
            later. None: feed only.
        warnings (list[str]): About the new text.
    """

    id: int
    name: str
    text: str
    canonical: str
    state: ChangedDocumentState
    created_at: datetime.datetime
    expires_at: datetime.datetime | None
    frequency: ChangedDocumentFrequency
    revisions: ChangedDocumentRevisions
    channels: ChangedDocumentChannelsType1 | list[int]
    warnings: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        text = self.text

        canonical = self.canonical

        state: str = self.state

        created_at = self.created_at.isoformat()

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        frequency: str = self.frequency

        revisions: str = self.revisions

        channels: list[int] | str
        if isinstance(self.channels, list):
            channels = self.channels

        else:
            channels = self.channels

        warnings = self.warnings

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "name": name,
                "text": text,
                "canonical": canonical,
                "state": state,
                "created_at": created_at,
                "expires_at": expires_at,
                "frequency": frequency,
                "revisions": revisions,
                "channels": channels,
                "warnings": warnings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        text = d.pop("text")

        canonical = d.pop("canonical")

        state = check_changed_document_state(d.pop("state"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expires_at"))

        frequency = check_changed_document_frequency(d.pop("frequency"))

        revisions = check_changed_document_revisions(d.pop("revisions"))

        def _parse_channels(data: object) -> ChangedDocumentChannelsType1 | list[int]:
            try:
                if not isinstance(data, list):
                    raise TypeError()
                channels_type_0 = cast(list[int], data)

                return channels_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, str):
                raise TypeError()
            channels_type_1 = check_changed_document_channels_type_1(data)

            return channels_type_1

        channels = _parse_channels(d.pop("channels"))

        warnings = cast(list[str], d.pop("warnings"))

        changed_document = cls(
            id=id,
            name=name,
            text=text,
            canonical=canonical,
            state=state,
            created_at=created_at,
            expires_at=expires_at,
            frequency=frequency,
            revisions=revisions,
            channels=channels,
            warnings=warnings,
        )

        changed_document.additional_properties = d
        return changed_document

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
