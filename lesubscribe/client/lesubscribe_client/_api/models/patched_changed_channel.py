from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.patched_changed_channel_state import (
    PatchedChangedChannelState,
    check_patched_changed_channel_state,
)
from ..models.patched_changed_channel_wants import (
    PatchedChangedChannelWants,
    check_patched_changed_channel_wants,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="PatchedChangedChannel")


@_attrs_define
class PatchedChangedChannel:
    """A body with these fields and no others: a misspelt one is told, not passed over.

    Attributes:
        state (PatchedChangedChannelState | Unset): * `active` - active
            * `disabled` - disabled
        wants (PatchedChangedChannelWants | Unset): * `everything` - everything
            * `notices` - notices
            * `nothing` - nothing
        most_per_day (int | None | Unset): What comes after that waits for the next daily digest; null means no limit of
            your own.
    """

    state: PatchedChangedChannelState | Unset = UNSET
    wants: PatchedChangedChannelWants | Unset = UNSET
    most_per_day: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        state: str | Unset = UNSET
        if not isinstance(self.state, Unset):
            state = self.state

        wants: str | Unset = UNSET
        if not isinstance(self.wants, Unset):
            wants = self.wants

        most_per_day: int | None | Unset
        if isinstance(self.most_per_day, Unset):
            most_per_day = UNSET
        else:
            most_per_day = self.most_per_day

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if state is not UNSET:
            field_dict["state"] = state
        if wants is not UNSET:
            field_dict["wants"] = wants
        if most_per_day is not UNSET:
            field_dict["most_per_day"] = most_per_day

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        _state = d.pop("state", UNSET)
        state: PatchedChangedChannelState | Unset
        if isinstance(_state, Unset):
            state = UNSET
        else:
            state = check_patched_changed_channel_state(_state)

        _wants = d.pop("wants", UNSET)
        wants: PatchedChangedChannelWants | Unset
        if isinstance(_wants, Unset):
            wants = UNSET
        else:
            wants = check_patched_changed_channel_wants(_wants)

        def _parse_most_per_day(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        most_per_day = _parse_most_per_day(d.pop("most_per_day", UNSET))

        patched_changed_channel = cls(
            state=state,
            wants=wants,
            most_per_day=most_per_day,
        )

        patched_changed_channel.additional_properties = d
        return patched_changed_channel

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
