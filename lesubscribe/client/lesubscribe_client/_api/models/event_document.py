from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.event_document_state import EventDocumentState, check_event_document_state

T = TypeVar("T", bound="EventDocument")


@_attrs_define
class EventDocument:
    """
    Attributes:
        id (int):
        external_id (str):
        revision (int):
        state (EventDocumentState): * `accepted` - accepted
            * `matched` - matched
            * `parked` - parked
            * `withdrawn` - withdrawn
        reason (str):
        match_count (int):
        accepted_at (datetime.datetime):
        matched_at (datetime.datetime | None):
        title (str):
        url (str):
        image_url (str):
        ends_at (datetime.datetime | None):
        document (Any):
    """

    id: int
    external_id: str
    revision: int
    state: EventDocumentState
    reason: str
    match_count: int
    accepted_at: datetime.datetime
    matched_at: datetime.datetime | None
    title: str
    url: str
    image_url: str
    ends_at: datetime.datetime | None
    document: Any
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        external_id = self.external_id

        revision = self.revision

        state: str = self.state

        reason = self.reason

        match_count = self.match_count

        accepted_at = self.accepted_at.isoformat()

        matched_at: None | str
        if isinstance(self.matched_at, datetime.datetime):
            matched_at = self.matched_at.isoformat()
        else:
            matched_at = self.matched_at

        title = self.title

        url = self.url

        image_url = self.image_url

        ends_at: None | str
        if isinstance(self.ends_at, datetime.datetime):
            ends_at = self.ends_at.isoformat()
        else:
            ends_at = self.ends_at

        document = self.document

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "external_id": external_id,
                "revision": revision,
                "state": state,
                "reason": reason,
                "match_count": match_count,
                "accepted_at": accepted_at,
                "matched_at": matched_at,
                "title": title,
                "url": url,
                "image_url": image_url,
                "ends_at": ends_at,
                "document": document,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        external_id = d.pop("external_id")

        revision = d.pop("revision")

        state = check_event_document_state(d.pop("state"))

        reason = d.pop("reason")

        match_count = d.pop("match_count")

        accepted_at = datetime.datetime.fromisoformat(d.pop("accepted_at"))

        def _parse_matched_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                matched_at_type_0 = datetime.datetime.fromisoformat(data)

                return matched_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        matched_at = _parse_matched_at(d.pop("matched_at"))

        title = d.pop("title")

        url = d.pop("url")

        image_url = d.pop("image_url")

        def _parse_ends_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ends_at_type_0 = datetime.datetime.fromisoformat(data)

                return ends_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ends_at = _parse_ends_at(d.pop("ends_at"))

        document = d.pop("document")

        event_document = cls(
            id=id,
            external_id=external_id,
            revision=revision,
            state=state,
            reason=reason,
            match_count=match_count,
            accepted_at=accepted_at,
            matched_at=matched_at,
            title=title,
            url=url,
            image_url=image_url,
            ends_at=ends_at,
            document=document,
        )

        event_document.additional_properties = d
        return event_document

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
