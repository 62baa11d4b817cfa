from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ViewDocument")


@_attrs_define
class ViewDocument:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        name (str):
        event_types (list[str]):
        attributes (list[str]):
    """

    name: str
    event_types: list[str]
    attributes: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        event_types = self.event_types

        attributes = self.attributes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "event_types": event_types,
                "attributes": attributes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        event_types = cast(list[str], d.pop("event_types"))

        attributes = cast(list[str], d.pop("attributes"))

        view_document = cls(
            name=name,
            event_types=event_types,
            attributes=attributes,
        )

        view_document.additional_properties = d
        return view_document

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
