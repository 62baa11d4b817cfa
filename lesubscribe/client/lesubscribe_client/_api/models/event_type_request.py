from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.event_type_request_attributes import EventTypeRequestAttributes


T = TypeVar("T", bound="EventTypeRequest")


@_attrs_define
class EventTypeRequest:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        name (str):
        attributes (EventTypeRequestAttributes):
        why (str | Unset):  Default: ''.
    """

    name: str
    attributes: EventTypeRequestAttributes
    why: str | Unset = ""
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        attributes = self.attributes.to_dict()

        why = self.why

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "attributes": attributes,
            }
        )
        if why is not UNSET:
            field_dict["why"] = why

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_type_request_attributes import EventTypeRequestAttributes

        d = dict(src_dict)
        name = d.pop("name")

        attributes = EventTypeRequestAttributes.from_dict(d.pop("attributes"))

        why = d.pop("why", UNSET)

        event_type_request = cls(
            name=name,
            attributes=attributes,
            why=why,
        )

        event_type_request.additional_properties = d
        return event_type_request

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
