from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.delivery_with_log_kind import (
    DeliveryWithLogKind,
    check_delivery_with_log_kind,
)
from ..models.delivery_with_log_state import (
    DeliveryWithLogState,
    check_delivery_with_log_state,
)

if TYPE_CHECKING:
    from ..models.attempt_document import AttemptDocument


T = TypeVar("T", bound="DeliveryWithLog")


@_attrs_define
class DeliveryWithLog:
    """
    Attributes:
        id (int):
        webhook_id (str): Its id on the wire, the same at every attempt.
        channel (int):
        kind (DeliveryWithLogKind): * `match` - match
            * `digest` - digest
            * `notice` - notice
            * `verify` - verification
            * `test` - test
        event (int | None):
        state (DeliveryWithLogState): * `waiting` - waiting
            * `delivered` - delivered
            * `dropped` - dropped
            * `dead` - given up
        reason (str):
        planned_at (datetime.datetime):
        attempts (int):
        next_attempt_at (datetime.datetime | None): null unless it waits.
        finished_at (datetime.datetime | None):
        log (list[AttemptDocument]): Every attempt, the oldest first.
    """

    id: int
    webhook_id: str
    channel: int
    kind: DeliveryWithLogKind
    event: int | None
    state: DeliveryWithLogState
    reason: str
    planned_at: datetime.datetime
    attempts: int
    next_attempt_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    log: list[AttemptDocument]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        webhook_id = self.webhook_id

        channel = self.channel

        kind: str = self.kind

        event: int | None
        event = self.event

        state: str = self.state

        reason = self.reason

        planned_at = self.planned_at.isoformat()

        attempts = self.attempts

        next_attempt_at: None | str
        if isinstance(self.next_attempt_at, datetime.datetime):
            next_attempt_at = self.next_attempt_at.isoformat()
        else:
            next_attempt_at = self.next_attempt_at

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        log = []
        for log_item_data in self.log:
            log_item = log_item_data.to_dict()
            log.append(log_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "webhook_id": webhook_id,
                "channel": channel,
                "kind": kind,
                "event": event,
                "state": state,
                "reason": reason,
                "planned_at": planned_at,
                "attempts": attempts,
                "next_attempt_at": next_attempt_at,
                "finished_at": finished_at,
                "log": log,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attempt_document import AttemptDocument

        d = dict(src_dict)
        id = d.pop("id")

        webhook_id = d.pop("webhook_id")

        channel = d.pop("channel")

        kind = check_delivery_with_log_kind(d.pop("kind"))

        def _parse_event(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        event = _parse_event(d.pop("event"))

        state = check_delivery_with_log_state(d.pop("state"))

        reason = d.pop("reason")

        planned_at = datetime.datetime.fromisoformat(d.pop("planned_at"))

        attempts = d.pop("attempts")

        def _parse_next_attempt_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_attempt_at_type_0 = datetime.datetime.fromisoformat(data)

                return next_attempt_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_attempt_at = _parse_next_attempt_at(d.pop("next_attempt_at"))

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

        log = []
        _log = d.pop("log")
        for log_item_data in _log:
            log_item = AttemptDocument.from_dict(log_item_data)

            log.append(log_item)

        delivery_with_log = cls(
            id=id,
            webhook_id=webhook_id,
            channel=channel,
            kind=kind,
            event=event,
            state=state,
            reason=reason,
            planned_at=planned_at,
            attempts=attempts,
            next_attempt_at=next_attempt_at,
            finished_at=finished_at,
            log=log,
        )

        delivery_with_log.additional_properties = d
        return delivery_with_log

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
