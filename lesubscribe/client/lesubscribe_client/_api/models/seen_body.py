from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SeenBody")


@_attrs_define
class SeenBody:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        ids (list[int] | Unset): At most 500.
        up_to (int | Unset): All matches with this id or less.
        seen (bool | Unset): false takes it back; for ids only. Default: True.
    """

    ids: list[int] | Unset = UNSET
    up_to: int | Unset = UNSET
    seen: bool | Unset = True
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ids: list[int] | Unset = UNSET
        if not isinstance(self.ids, Unset):
            ids = self.ids

        up_to = self.up_to

        seen = self.seen

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if ids is not UNSET:
            field_dict["ids"] = ids
        if up_to is not UNSET:
            field_dict["up_to"] = up_to
        if seen is not UNSET:
            field_dict["seen"] = seen

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ids = cast(list[int], d.pop("ids", UNSET))

        up_to = d.pop("up_to", UNSET)

        seen = d.pop("seen", UNSET)

        seen_body = cls(
            ids=ids,
            up_to=up_to,
            seen=seen,
        )

        seen_body.additional_properties = d
        return seen_body

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
