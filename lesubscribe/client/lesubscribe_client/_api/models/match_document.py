from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.matched_event import MatchedEvent
    from ..models.reason import Reason


T = TypeVar("T", bound="MatchDocument")


@_attrs_define
class MatchDocument:
    """
    Attributes:
        id (int):
        event (MatchedEvent):
        subscription (int):
        why (list[Reason]):
        matched_at (datetime.datetime):
        seen (bool):
    """

    id: int
    event: MatchedEvent
    subscription: int
    why: list[Reason]
    matched_at: datetime.datetime
    seen: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        event = self.event.to_dict()

        subscription = self.subscription

        why = []
        for why_item_data in self.why:
            why_item = why_item_data.to_dict()
            why.append(why_item)

        matched_at = self.matched_at.isoformat()

        seen = self.seen

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "event": event,
                "subscription": subscription,
                "why": why,
                "matched_at": matched_at,
                "seen": seen,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.matched_event import MatchedEvent
        from ..models.reason import Reason

        d = dict(src_dict)
        id = d.pop("id")

        event = MatchedEvent.from_dict(d.pop("event"))

        subscription = d.pop("subscription")

        why = []
        _why = d.pop("why")
        for why_item_data in _why:
            why_item = Reason.from_dict(why_item_data)

            why.append(why_item)

        matched_at = datetime.datetime.fromisoformat(d.pop("matched_at"))

        seen = d.pop("seen")

        match_document = cls(
            id=id,
            event=event,
            subscription=subscription,
            why=why,
            matched_at=matched_at,
            seen=seen,
        )

        match_document.additional_properties = d
        return match_document

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
