from typing import Literal

PortableSubscriptionState = Literal["active", "expired", "muted", "paused"]

PORTABLE_SUBSCRIPTION_STATE_VALUES: set[PortableSubscriptionState] = {
    "active",
    "expired",
    "muted",
    "paused",
}


def check_portable_subscription_state(value: str) -> PortableSubscriptionState:
    if value in PORTABLE_SUBSCRIPTION_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PORTABLE_SUBSCRIPTION_STATE_VALUES!r}")
