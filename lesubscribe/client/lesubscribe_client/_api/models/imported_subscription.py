from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ImportedSubscription")


@_attrs_define
class ImportedSubscription:
    """
    Attributes:
        index (int): Its place in the document, from 0.
        id (int):
        ticket (str): Shown this once. It alone permits renewing or cancelling.
        warnings (list[str]):
    """

    index: int
    id: int
    ticket: str
    warnings: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        index = self.index

        id = self.id

        ticket = self.ticket

        warnings = self.warnings

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "index": index,
                "id": id,
                "ticket": ticket,
                "warnings": warnings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        index = d.pop("index")

        id = d.pop("id")

        ticket = d.pop("ticket")

        warnings = cast(list[str], d.pop("warnings"))

        imported_subscription = cls(
            index=index,
            id=id,
            ticket=ticket,
            warnings=warnings,
        )

        imported_subscription.additional_properties = d
        return imported_subscription

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
