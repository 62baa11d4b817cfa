from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.day_count import DayCount
    from ..models.sample_document import SampleDocument


T = TypeVar("T", bound="PreviewDocument")


@_attrs_define
class PreviewDocument:
    """
    Attributes:
        count (int):
        days (list[DayCount]): Every day of the range, oldest first.
        samples (list[SampleDocument]): The newest, ten at most.
        looked_at (int): How many events were looked at.
        complete (bool): Whether these were all of the range.
        warnings (list[str]):
    """

    count: int
    days: list[DayCount]
    samples: list[SampleDocument]
    looked_at: int
    complete: bool
    warnings: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        days = []
        for days_item_data in self.days:
            days_item = days_item_data.to_dict()
            days.append(days_item)

        samples = []
        for samples_item_data in self.samples:
            samples_item = samples_item_data.to_dict()
            samples.append(samples_item)

        looked_at = self.looked_at

        complete = self.complete

        warnings = self.warnings

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "days": days,
                "samples": samples,
                "looked_at": looked_at,
                "complete": complete,
                "warnings": warnings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.day_count import DayCount
        from ..models.sample_document import SampleDocument

        d = dict(src_dict)
        count = d.pop("count")

        days = []
        _days = d.pop("days")
        for days_item_data in _days:
            days_item = DayCount.from_dict(days_item_data)

            days.append(days_item)

        samples = []
        _samples = d.pop("samples")
        for samples_item_data in _samples:
            samples_item = SampleDocument.from_dict(samples_item_data)

            samples.append(samples_item)

        looked_at = d.pop("looked_at")

        complete = d.pop("complete")

        warnings = cast(list[str], d.pop("warnings"))

        preview_document = cls(
            count=count,
            days=days,
            samples=samples,
            looked_at=looked_at,
            complete=complete,
            warnings=warnings,
        )

        preview_document.additional_properties = d
        return preview_document

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
