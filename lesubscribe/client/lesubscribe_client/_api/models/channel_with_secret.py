from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.channel_with_secret_kind import (
    ChannelWithSecretKind,
    check_channel_with_secret_kind,
)
from ..models.channel_with_secret_state import (
    ChannelWithSecretState,
    check_channel_with_secret_state,
)
from ..models.channel_with_secret_wants import (
    ChannelWithSecretWants,
    check_channel_with_secret_wants,
)

T = TypeVar("T", bound="ChannelWithSecret")


@_attrs_define
class ChannelWithSecret:
    """
    Attributes:
        id (int):
        kind (ChannelWithSecretKind): * `email` - email
            * `webhook` - webhook
            * `chat` - chat or push
        address (str):
        state (ChannelWithSecretState): * `pending` - waiting for confirmation
            * `active` - active
            * `disabled` - switched off
        reason (str): Why it is switched off.
        wants (ChannelWithSecretWants): * `everything` - matches and notices
            * `notices` - notices only
            * `nothing` - nothing
        most_per_day (int | None): What comes after that waits for a digest.
        created_at (datetime.datetime):
        verified_at (datetime.datetime | None):
        failures (int): In a row, up to now.
        failing_since (datetime.datetime | None):
        old_secret_until (datetime.datetime | None): So long the secret before the last rotation signs along.
        secret (str): Shown this once. It signs what a webhook gets; a chat has none to show.
    """

    id: int
    kind: ChannelWithSecretKind
    address: str
    state: ChannelWithSecretState
    reason: str
    wants: ChannelWithSecretWants
    most_per_day: int | None
    created_at: datetime.datetime
    verified_at: datetime.datetime | None
    failures: int
    failing_since: datetime.datetime | None
    old_secret_until: datetime.datetime | None
    secret: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        kind: str = self.kind

        address = self.address

        state: str = self.state

        reason = self.reason

        wants: str = self.wants

        most_per_day: int | None
        most_per_day = self.most_per_day

        created_at = self.created_at.isoformat()

        verified_at: None | str
        if isinstance(self.verified_at, datetime.datetime):
            verified_at = self.verified_at.isoformat()
        else:
            verified_at = self.verified_at

        failures = self.failures

        failing_since: None | str
        if isinstance(self.failing_since, datetime.datetime):
            failing_since = self.failing_since.isoformat()
        else:
            failing_since = self.failing_since

        old_secret_until: None | str
        if isinstance(self.old_secret_until, datetime.datetime):
            old_secret_until = self.old_secret_until.isoformat()
        else:
            old_secret_until = self.old_secret_until

        secret = self.secret

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "kind": kind,
                "address": address,
                "state": state,
                "reason": reason,
                "wants": wants,
                "most_per_day": most_per_day,
                "created_at": created_at,
                "verified_at": verified_at,
                "failures": failures,
                "failing_since": failing_since,
                "old_secret_until": old_secret_until,
                "secret": secret,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        kind = check_channel_with_secret_kind(d.pop("kind"))

        address = d.pop("address")

        state = check_channel_with_secret_state(d.pop("state"))

        reason = d.pop("reason")

        wants = check_channel_with_secret_wants(d.pop("wants"))

        def _parse_most_per_day(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        most_per_day = _parse_most_per_day(d.pop("most_per_day"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_verified_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                verified_at_type_0 = datetime.datetime.fromisoformat(data)

                return verified_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        verified_at = _parse_verified_at(d.pop("verified_at"))

        failures = d.pop("failures")

        def _parse_failing_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                failing_since_type_0 = datetime.datetime.fromisoformat(data)

                return failing_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        failing_since = _parse_failing_since(d.pop("failing_since"))

        def _parse_old_secret_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                old_secret_until_type_0 = datetime.datetime.fromisoformat(data)

                return old_secret_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        old_secret_until = _parse_old_secret_until(d.pop("old_secret_until"))

        secret = d.pop("secret")

        channel_with_secret = cls(
            id=id,
            kind=kind,
            address=address,
            state=state,
            reason=reason,
            wants=wants,
            most_per_day=most_per_day,
            created_at=created_at,
            verified_at=verified_at,
            failures=failures,
            failing_since=failing_since,
            old_secret_until=old_secret_until,
            secret=secret,
        )

        channel_with_secret.additional_properties = d
        return channel_with_secret

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
