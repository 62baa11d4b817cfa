from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.patched_changed_subscription_channels_type_1 import (
    PatchedChangedSubscriptionChannelsType1,
    check_patched_changed_subscription_channels_type_1,
)
from ..models.patched_changed_subscription_frequency import (
    PatchedChangedSubscriptionFrequency,
    check_patched_changed_subscription_frequency,
)
from ..models.patched_changed_subscription_revisions import (
    PatchedChangedSubscriptionRevisions,
    check_patched_changed_subscription_revisions,
)
from ..models.patched_changed_subscription_state import (
    PatchedChangedSubscriptionState,
    check_patched_changed_subscription_state,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="PatchedChangedSubscription")


@_attrs_define
class PatchedChangedSubscription:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        frequency (PatchedChangedSubscriptionFrequency | Unset): * `at_once` - at_once
            * `hourly` - hourly
            * `daily` - daily
            * `weekly` - weekly
        revisions (PatchedChangedSubscriptionRevisions | Unset): Whether you are told again of an item that has changed.

            * `once` - once
            * `price_drop` - price_drop
            * `always` - always
        channels (list[int] | PatchedChangedSubscriptionChannelsType1 | Unset): The ids of channels, or "all", which
            includes those you add later. None: feed only.
        text (str | Unset):
        name (str | Unset):
        state (PatchedChangedSubscriptionState | Unset): * `active` - active
            * `paused` - paused
            * `muted` - muted
    """

    frequency: PatchedChangedSubscriptionFrequency | Unset = UNSET
    revisions: PatchedChangedSubscriptionRevisions | Unset = UNSET
    channels: list[int] | PatchedChangedSubscriptionChannelsType1 | Unset = UNSET
    text: str | Unset = UNSET
    name: str | Unset = UNSET
    state: PatchedChangedSubscriptionState | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
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

        text = self.text

        name = self.name

        state: str | Unset = UNSET
        if not isinstance(self.state, Unset):
            state = self.state

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if frequency is not UNSET:
            field_dict["frequency"] = frequency
        if revisions is not UNSET:
            field_dict["revisions"] = revisions
        if channels is not UNSET:
            field_dict["channels"] = channels
        if text is not UNSET:
            field_dict["text"] = text
        if name is not UNSET:
            field_dict["name"] = name
        if state is not UNSET:
            field_dict["state"] = state

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        _frequency = d.pop("frequency", UNSET)
        frequency: PatchedChangedSubscriptionFrequency | Unset
        if isinstance(_frequency, Unset):
            frequency = UNSET
        else:
            frequency = check_patched_changed_subscription_frequency(_frequency)

        _revisions = d.pop("revisions", UNSET)
        revisions: PatchedChangedSubscriptionRevisions | Unset
        if isinstance(_revisions, Unset):
            revisions = UNSET
        else:
            revisions = check_patched_changed_subscription_revisions(_revisions)

        def _parse_channels(data: object) -> list[int] | PatchedChangedSubscriptionChannelsType1 | Unset:
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
            channels_type_1 = check_patched_changed_subscription_channels_type_1(data)

            return channels_type_1

        channels = _parse_channels(d.pop("channels", UNSET))

        text = d.pop("text", UNSET)

        name = d.pop("name", UNSET)

        _state = d.pop("state", UNSET)
        state: PatchedChangedSubscriptionState | Unset
        if isinstance(_state, Unset):
            state = UNSET
        else:
            state = check_patched_changed_subscription_state(_state)

        patched_changed_subscription = cls(
            frequency=frequency,
            revisions=revisions,
            channels=channels,
            text=text,
            name=name,
            state=state,
        )

        patched_changed_subscription.additional_properties = d
        return patched_changed_subscription

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
