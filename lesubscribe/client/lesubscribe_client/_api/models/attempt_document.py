from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AttemptDocument")


@_attrs_define
class AttemptDocument:
    """
    Attributes:
        number (int):
        began_at (datetime.datetime):
        milliseconds (int):
        is_success (bool):
        status (int | None):
        request (str):
        response (str):
        error (str):
    """

    number: int
    began_at: datetime.datetime
    milliseconds: int
    is_success: bool
    status: int | None
    request: str
    response: str
    error: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        number = self.number

        began_at = self.began_at.isoformat()

        milliseconds = self.milliseconds

        is_success = self.is_success

        status: int | None
        status = self.status

        request = self.request

        response = self.response

        error = self.error

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "number": number,
                "began_at": began_at,
                "milliseconds": milliseconds,
                "is_success": is_success,
                "status": status,
                "request": request,
                "response": response,
                "error": error,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        number = d.pop("number")

        began_at = datetime.datetime.fromisoformat(d.pop("began_at"))

        milliseconds = d.pop("milliseconds")

        is_success = d.pop("is_success")

        def _parse_status(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        status = _parse_status(d.pop("status"))

        request = d.pop("request")

        response = d.pop("response")

        error = d.pop("error")

        attempt_document = cls(
            number=number,
            began_at=began_at,
            milliseconds=milliseconds,
            is_success=is_success,
            status=status,
            request=request,
            response=response,
            error=error,
        )

        attempt_document.additional_properties = d
        return attempt_document

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
