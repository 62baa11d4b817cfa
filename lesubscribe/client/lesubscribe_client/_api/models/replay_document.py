from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.replay_document_state import (
    ReplayDocumentState,
    check_replay_document_state,
)

T = TypeVar("T", bound="ReplayDocument")


@_attrs_define
class ReplayDocument:
    """
    Attributes:
        from_ (datetime.datetime):
        id (int):
        until (datetime.datetime):
        state (ReplayDocumentState): * `under_way` - under_way
            * `done` - done
            * `stopped` - stopped
        deliveries (int): How many are sent again.
        begun (int): How many of them are on their way, or have arrived.
        asked_at (datetime.datetime):
        finished_at (datetime.datetime | None):
    """

    from_: datetime.datetime
    id: int
    until: datetime.datetime
    state: ReplayDocumentState
    deliveries: int
    begun: int
    asked_at: datetime.datetime
    finished_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from_ = self.from_.isoformat()

        id = self.id

        until = self.until.isoformat()

        state: str = self.state

        deliveries = self.deliveries

        begun = self.begun

        asked_at = self.asked_at.isoformat()

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "from": from_,
                "id": id,
                "until": until,
                "state": state,
                "deliveries": deliveries,
                "begun": begun,
                "asked_at": asked_at,
                "finished_at": finished_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        from_ = datetime.datetime.fromisoformat(d.pop("from"))

        id = d.pop("id")

        until = datetime.datetime.fromisoformat(d.pop("until"))

        state = check_replay_document_state(d.pop("state"))

        deliveries = d.pop("deliveries")

        begun = d.pop("begun")

        asked_at = datetime.datetime.fromisoformat(d.pop("asked_at"))

        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)

                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finished_at"))

        replay_document = cls(
            from_=from_,
            id=id,
            until=until,
            state=state,
            deliveries=deliveries,
            begun=begun,
            asked_at=asked_at,
            finished_at=finished_at,
        )

        replay_document.additional_properties = d
        return replay_document

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
