from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.line_result_errors_item import LineResultErrorsItem


T = TypeVar("T", bound="LineResult")


@_attrs_define
class LineResult:
    """For the documentation. A line that was taken has `id` and `repeated`, another `code` and `detail`.

    Attributes:
        line (int): From 1; blank lines are not counted.
        status (int): What the line alone would have been answered.
        id (int | Unset):
        repeated (bool | Unset):
        code (str | Unset):
        detail (str | Unset):
        errors (list[LineResultErrorsItem] | Unset):
        retry_after (int | Unset): Seconds; with status 503.
    """

    line: int
    status: int
    id: int | Unset = UNSET
    repeated: bool | Unset = UNSET
    code: str | Unset = UNSET
    detail: str | Unset = UNSET
    errors: list[LineResultErrorsItem] | Unset = UNSET
    retry_after: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        line = self.line

        status = self.status

        id = self.id

        repeated = self.repeated

        code = self.code

        detail = self.detail

        errors: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.errors, Unset):
            errors = []
            for errors_item_data in self.errors:
                errors_item = errors_item_data.to_dict()
                errors.append(errors_item)

        retry_after = self.retry_after

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "line": line,
                "status": status,
            }
        )
        if id is not UNSET:
            field_dict["id"] = id
        if repeated is not UNSET:
            field_dict["repeated"] = repeated
        if code is not UNSET:
            field_dict["code"] = code
        if detail is not UNSET:
            field_dict["detail"] = detail
        if errors is not UNSET:
            field_dict["errors"] = errors
        if retry_after is not UNSET:
            field_dict["retry_after"] = retry_after

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.line_result_errors_item import LineResultErrorsItem

        d = dict(src_dict)
        line = d.pop("line")

        status = d.pop("status")

        id = d.pop("id", UNSET)

        repeated = d.pop("repeated", UNSET)

        code = d.pop("code", UNSET)

        detail = d.pop("detail", UNSET)

        _errors = d.pop("errors", UNSET)
        errors: list[LineResultErrorsItem] | Unset = UNSET
        if _errors is not UNSET:
            errors = []
            for errors_item_data in _errors:
                errors_item = LineResultErrorsItem.from_dict(errors_item_data)

                errors.append(errors_item)

        retry_after = d.pop("retry_after", UNSET)

        line_result = cls(
            line=line,
            status=status,
            id=id,
            repeated=repeated,
            code=code,
            detail=detail,
            errors=errors,
            retry_after=retry_after,
        )

        line_result.additional_properties = d
        return line_result

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
