from typing import Literal

ChannelWithSecretState = Literal["active", "disabled", "pending"]

CHANNEL_WITH_SECRET_STATE_VALUES: set[ChannelWithSecretState] = {
    "active",
    "disabled",
    "pending",
}


def check_channel_with_secret_state(value: str) -> ChannelWithSecretState:
    if value in CHANNEL_WITH_SECRET_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANNEL_WITH_SECRET_STATE_VALUES!r}")
