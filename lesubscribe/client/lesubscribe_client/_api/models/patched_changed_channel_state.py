from typing import Literal

PatchedChangedChannelState = Literal["active", "disabled"]

PATCHED_CHANGED_CHANNEL_STATE_VALUES: set[PatchedChangedChannelState] = {
    "active",
    "disabled",
}


def check_patched_changed_channel_state(value: str) -> PatchedChangedChannelState:
    if value in PATCHED_CHANGED_CHANNEL_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PATCHED_CHANGED_CHANNEL_STATE_VALUES!r}")
