from typing import Literal

ChannelWithSecretWants = Literal["everything", "nothing", "notices"]

CHANNEL_WITH_SECRET_WANTS_VALUES: set[ChannelWithSecretWants] = {
    "everything",
    "nothing",
    "notices",
}


def check_channel_with_secret_wants(value: str) -> ChannelWithSecretWants:
    if value in CHANNEL_WITH_SECRET_WANTS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANNEL_WITH_SECRET_WANTS_VALUES!r}")
