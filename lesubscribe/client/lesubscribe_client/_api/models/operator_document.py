from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.argument_document import ArgumentDocument


T = TypeVar("T", bound="OperatorDocument")


@_attrs_define
class OperatorDocument:
    """
    Attributes:
        name (str):
        signature (str): How it is called, such as distance(location, place, ?km).
        description (str):
        arguments (list[ArgumentDocument]):
    """

    name: str
    signature: str
    description: str
    arguments: list[ArgumentDocument]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        signature = self.signature

        description = self.description

        arguments = []
        for arguments_item_data in self.arguments:
            arguments_item = arguments_item_data.to_dict()
            arguments.append(arguments_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "signature": signature,
                "description": description,
                "arguments": arguments,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.argument_document import ArgumentDocument

        d = dict(src_dict)
        name = d.pop("name")

        signature = d.pop("signature")

        description = d.pop("description")

        arguments = []
        _arguments = d.pop("arguments")
        for arguments_item_data in _arguments:
            arguments_item = ArgumentDocument.from_dict(arguments_item_data)

            arguments.append(arguments_item)

        operator_document = cls(
            name=name,
            signature=signature,
            description=description,
            arguments=arguments,
        )

        operator_document.additional_properties = d
        return operator_document

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
