from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.line_result import LineResult


T = TypeVar("T", bound="BatchAnswer")


@_attrs_define
class BatchAnswer:
    """
    Attributes:
        results (list[LineResult]): One for each line, in order.
        accepted (int):
        repeated (int):
        rejected (int):
        dry_run (bool | Unset): True if nothing was stored.
    """

    results: list[LineResult]
    accepted: int
    repeated: int
    rejected: int
    dry_run: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        accepted = self.accepted

        repeated = self.repeated

        rejected = self.rejected

        dry_run = self.dry_run

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "results": results,
                "accepted": accepted,
                "repeated": repeated,
                "rejected": rejected,
            }
        )
        if dry_run is not UNSET:
            field_dict["dry_run"] = dry_run

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.line_result import LineResult

        d = dict(src_dict)
        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = LineResult.from_dict(results_item_data)

            results.append(results_item)

        accepted = d.pop("accepted")

        repeated = d.pop("repeated")

        rejected = d.pop("rejected")

        dry_run = d.pop("dry_run", UNSET)

        batch_answer = cls(
            results=results,
            accepted=accepted,
            repeated=repeated,
            rejected=rejected,
            dry_run=dry_run,
        )

        batch_answer.additional_properties = d
        return batch_answer

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
