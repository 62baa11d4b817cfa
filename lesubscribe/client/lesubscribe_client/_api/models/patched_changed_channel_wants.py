from typing import Literal

PatchedChangedChannelWants = Literal["everything", "nothing", "notices"]

PATCHED_CHANGED_CHANNEL_WANTS_VALUES: set[PatchedChangedChannelWants] = {
    "everything",
    "nothing",
    "notices",
}


def check_patched_changed_channel_wants(value: str) -> PatchedChangedChannelWants:
    if value in PATCHED_CHANGED_CHANNEL_WANTS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PATCHED_CHANGED_CHANNEL_WANTS_VALUES!r}")
