from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.portable_subscription_frequency import (
    PortableSubscriptionFrequency,
    check_portable_subscription_frequency,
)
from ..models.portable_subscription_revisions import (
    PortableSubscriptionRevisions,
    check_portable_subscription_revisions,
)
from ..models.portable_subscription_state import (
    PortableSubscriptionState,
    check_portable_subscription_state,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="PortableSubscription")


@_attrs_define
class PortableSubscription:
    """
    Attributes:
        name (str):
        text (str):
        state (PortableSubscriptionState): * `active` - active
            * `paused` - paused
            * `muted` - muted
            * `expired` - expired
        expires_at (datetime.datetime | None): null means never.
        frequency (PortableSubscriptionFrequency | Unset): * `at_once` - at_once
            * `hourly` - hourly
            * `daily` - daily
            * `weekly` - weekly
        revisions (PortableSubscriptionRevisions | Unset): * `once` - once
            * `price_drop` - price_drop
            * `always` - always
    """

    name: str
    text: str
    state: PortableSubscriptionState
    expires_at: datetime.datetime | None
    frequency: PortableSubscriptionFrequency | Unset = UNSET
    revisions: PortableSubscriptionRevisions | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        text = self.text

        state: str = self.state

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        frequency: str | Unset = UNSET
        if not isinstance(self.frequency, Unset):
            frequency = self.frequency

        revisions: str | Unset = UNSET
        if not isinstance(self.revisions, Unset):
            revisions = self.revisions

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "text": text,
                "state": state,
                "expires_at": expires_at,
            }
        )
        if frequency is not UNSET:
            field_dict["frequency"] = frequency
        if revisions is not UNSET:
            field_dict["revisions"] = revisions

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        text = d.pop("text")

        state = check_portable_subscription_state(d.pop("state"))

        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expires_at"))

        _frequency = d.pop("frequency", UNSET)
        frequency: PortableSubscriptionFrequency | Unset
        if isinstance(_frequency, Unset):
            frequency = UNSET
        else:
            frequency = check_portable_subscription_frequency(_frequency)

        _revisions = d.pop("revisions", UNSET)
        revisions: PortableSubscriptionRevisions | Unset
        if isinstance(_revisions, Unset):
            revisions = UNSET
        else:
            revisions = check_portable_subscription_revisions(_revisions)

        portable_subscription = cls(
            name=name,
            text=text,
            state=state,
            expires_at=expires_at,
            frequency=frequency,
            revisions=revisions,
        )

        portable_subscription.additional_properties = d
        return portable_subscription

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
