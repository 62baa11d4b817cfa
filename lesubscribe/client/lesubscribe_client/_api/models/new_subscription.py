from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.new_subscription_channels_type_1 import (
    NewSubscriptionChannelsType1,
    check_new_subscription_channels_type_1,
)
from ..models.new_subscription_frequency import (
    NewSubscriptionFrequency,
    check_new_subscription_frequency,
)
from ..models.new_subscription_revisions import (
    NewSubscriptionRevisions,
    check_new_subscription_revisions,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="NewSubscription")


@_attrs_define
class NewSubscription:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        text (str):
        frequency (NewSubscriptionFrequency | Unset): * `at_once` - at_once
            * `hourly` - hourly
            * `daily` - daily
            * `weekly` - weekly
        revisions (NewSubscriptionRevisions | Unset): Whether you are told again of an item that has changed.

            * `once` - once
            * `price_drop` - price_drop
            * `always` - always
        channels (list[int] | NewSubscriptionChannelsType1 | Unset): The ids of channels, or "all", which includes those
            you add later. None: feed only.
        name (str | Unset):
        valid_days (int | None | Unset):
    """

    text: str
    frequency: NewSubscriptionFrequency | Unset = UNSET
    revisions: NewSubscriptionRevisions | Unset = UNSET
    channels: list[int] | NewSubscriptionChannelsType1 | Unset = UNSET
    name: str | Unset = UNSET
    valid_days: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        text = self.text

        frequency: str | Unset = UNSET
        if not isinstance(self.frequency, Unset):
            frequency = self.frequency

        revisions: str | Unset = UNSET
        if not isinstance(self.revisions, Unset):
            revisions = self.revisions

        channels: list[int] | str | Unset
        if isinstance(self.channels, Unset):
            channels = UNSET
        elif isinstance(self.channels, list):
            channels = self.channels

        else:
            channels = self.channels

        name = self.name

        valid_days: int | None | Unset
        if isinstance(self.valid_days, Unset):
            valid_days = UNSET
        else:
            valid_days = self.valid_days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "text": text,
            }
        )
        if frequency is not UNSET:
            field_dict["frequency"] = frequency
        if revisions is not UNSET:
            field_dict["revisions"] = revisions
        if channels is not UNSET:
            field_dict["channels"] = channels
        if name is not UNSET:
            field_dict["name"] = name
        if valid_days is not UNSET:
            field_dict["valid_days"] = valid_days

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        text = d.pop("text")

        _frequency = d.pop("frequency", UNSET)
        frequency: NewSubscriptionFrequency | Unset
        if isinstance(_frequency, Unset):
            frequency = UNSET
        else:
            frequency = check_new_subscription_frequency(_frequency)

        _revisions = d.pop("revisions", UNSET)
        revisions: NewSubscriptionRevisions | Unset
        if isinstance(_revisions, Unset):
            revisions = UNSET
        else:
            revisions = check_new_subscription_revisions(_revisions)

        def _parse_channels(data: object) -> list[int] | NewSubscriptionChannelsType1 | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                channels_type_0 = cast(list[int], data)

                return channels_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, str):
                raise TypeError()
            channels_type_1 = check_new_subscription_channels_type_1(data)

            return channels_type_1

        channels = _parse_channels(d.pop("channels", UNSET))

        name = d.pop("name", UNSET)

        def _parse_valid_days(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        valid_days = _parse_valid_days(d.pop("valid_days", UNSET))

        new_subscription = cls(
            text=text,
            frequency=frequency,
            revisions=revisions,
            channels=channels,
            name=name,
            valid_days=valid_days,
        )

        new_subscription.additional_properties = d
        return new_subscription

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
