from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.matched_event import MatchedEvent
    from ..models.reason import Reason


T = TypeVar("T", bound="SampleDocument")


@_attrs_define
class SampleDocument:
    """
    Attributes:
        event (MatchedEvent):
        why (list[Reason]):
    """

    event: MatchedEvent
    why: list[Reason]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        event = self.event.to_dict()

        why = []
        for why_item_data in self.why:
            why_item = why_item_data.to_dict()
            why.append(why_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "event": event,
                "why": why,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.matched_event import MatchedEvent
        from ..models.reason import Reason

        d = dict(src_dict)
        event = MatchedEvent.from_dict(d.pop("event"))

        why = []
        _why = d.pop("why")
        for why_item_data in _why:
            why_item = Reason.from_dict(why_item_data)

            why.append(why_item)

        sample_document = cls(
            event=event,
            why=why,
        )

        sample_document.additional_properties = d
        return sample_document

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
