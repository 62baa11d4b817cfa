from typing import Literal

ChannelWithSecretKind = Literal["chat", "email", "webhook"]

CHANNEL_WITH_SECRET_KIND_VALUES: set[ChannelWithSecretKind] = {
    "chat",
    "email",
    "webhook",
}


def check_channel_with_secret_kind(value: str) -> ChannelWithSecretKind:
    if value in CHANNEL_WITH_SECRET_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANNEL_WITH_SECRET_KIND_VALUES!r}")
