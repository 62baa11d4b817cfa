from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.domain_request_definition import DomainRequestDefinition


T = TypeVar("T", bound="DomainRequest")


@_attrs_define
class DomainRequest:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        name (str):
        definition (DomainRequestDefinition):
        why (str | Unset):  Default: ''.
    """

    name: str
    definition: DomainRequestDefinition
    why: str | Unset = ""
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        definition = self.definition.to_dict()

        why = self.why

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "definition": definition,
            }
        )
        if why is not UNSET:
            field_dict["why"] = why

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.domain_request_definition import DomainRequestDefinition

        d = dict(src_dict)
        name = d.pop("name")

        definition = DomainRequestDefinition.from_dict(d.pop("definition"))

        why = d.pop("why", UNSET)

        domain_request = cls(
            name=name,
            definition=definition,
            why=why,
        )

        domain_request.additional_properties = d
        return domain_request

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
