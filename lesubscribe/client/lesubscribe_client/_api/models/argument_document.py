from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.argument_document_type import (
    ArgumentDocumentType,
    check_argument_document_type,
)

T = TypeVar("T", bound="ArgumentDocument")


@_attrs_define
class ArgumentDocument:
    """
    Attributes:
        name (str):
        type_ (ArgumentDocumentType): * `number` - number
            * `string` - string
            * `any` - any
        is_result (bool): Whether a variable stands here, and gets a value.
    """

    name: str
    type_: ArgumentDocumentType
    is_result: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        type_: str = self.type_

        is_result = self.is_result

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "type": type_,
                "is_result": is_result,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        type_ = check_argument_document_type(d.pop("type"))

        is_result = d.pop("is_result")

        argument_document = cls(
            name=name,
            type_=type_,
            is_result=is_result,
        )

        argument_document.additional_properties = d
        return argument_document

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
