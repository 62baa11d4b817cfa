from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.dry_run_would_be import DryRunWouldBe, check_dry_run_would_be

T = TypeVar("T", bound="DryRun")


@_attrs_define
class DryRun:
    """
    Attributes:
        dry_run (bool): Always true: nothing was stored.
        match_count (int): The subscriptions it would match now.
        would_be (DryRunWouldBe): What it is to its item.

            * `new` - new
            * `revision` - revision
            * `repeat` - repeat
    """

    dry_run: bool
    match_count: int
    would_be: DryRunWouldBe
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        dry_run = self.dry_run

        match_count = self.match_count

        would_be: str = self.would_be

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "dry_run": dry_run,
                "match_count": match_count,
                "would_be": would_be,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        dry_run = d.pop("dry_run")

        match_count = d.pop("match_count")

        would_be = check_dry_run_would_be(d.pop("would_be"))

        dry_run = cls(
            dry_run=dry_run,
            match_count=match_count,
            would_be=would_be,
        )

        dry_run.additional_properties = d
        return dry_run

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
