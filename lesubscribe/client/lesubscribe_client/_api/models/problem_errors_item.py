from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="ProblemErrorsItem")


@_attrs_define
class ProblemErrorsItem:
    """
    Attributes:
        field (str):
        code (str):
        detail (str):
        suggestion (None | str | Unset):
        line (int | Unset):
        column (int | Unset):
        expected (list[str] | Unset):
    """

    field: str
    code: str
    detail: str
    suggestion: None | str | Unset = UNSET
    line: int | Unset = UNSET
    column: int | Unset = UNSET
    expected: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field = self.field

        code = self.code

        detail = self.detail

        suggestion: None | str | Unset
        if isinstance(self.suggestion, Unset):
            suggestion = UNSET
        else:
            suggestion = self.suggestion

        line = self.line

        column = self.column

        expected: list[str] | Unset = UNSET
        if not isinstance(self.expected, Unset):
            expected = self.expected

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "field": field,
                "code": code,
                "detail": detail,
            }
        )
        if suggestion is not UNSET:
            field_dict["suggestion"] = suggestion
        if line is not UNSET:
            field_dict["line"] = line
        if column is not UNSET:
            field_dict["column"] = column
        if expected is not UNSET:
            field_dict["expected"] = expected

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        field = d.pop("field")

        code = d.pop("code")

        detail = d.pop("detail")

        def _parse_suggestion(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        suggestion = _parse_suggestion(d.pop("suggestion", UNSET))

        line = d.pop("line", UNSET)

        column = d.pop("column", UNSET)

        expected = cast(list[str], d.pop("expected", UNSET))

        problem_errors_item = cls(
            field=field,
            code=code,
            detail=detail,
            suggestion=suggestion,
            line=line,
            column=column,
            expected=expected,
        )

        problem_errors_item.additional_properties = d
        return problem_errors_item

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
