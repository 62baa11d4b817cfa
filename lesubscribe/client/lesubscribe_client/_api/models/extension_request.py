from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="ExtensionRequest")


@_attrs_define
class ExtensionRequest:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        attribute (str):
        why (str | Unset):  Default: ''.
        multiple (bool | Unset):  Default: False.
    """

    attribute: str
    why: str | Unset = ""
    multiple: bool | Unset = False
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attribute = self.attribute

        why = self.why

        multiple = self.multiple

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attribute": attribute,
            }
        )
        if why is not UNSET:
            field_dict["why"] = why
        if multiple is not UNSET:
            field_dict["multiple"] = multiple

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        attribute = d.pop("attribute")

        why = d.pop("why", UNSET)

        multiple = d.pop("multiple", UNSET)

        extension_request = cls(
            attribute=attribute,
            why=why,
            multiple=multiple,
        )

        extension_request.additional_properties = d
        return extension_request

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
