from typing import Literal

PortableSubscriptionFrequency = Literal["at_once", "daily", "hourly", "weekly"]

PORTABLE_SUBSCRIPTION_FREQUENCY_VALUES: set[PortableSubscriptionFrequency] = {
    "at_once",
    "daily",
    "hourly",
    "weekly",
}


def check_portable_subscription_frequency(value: str) -> PortableSubscriptionFrequency:
    if value in PORTABLE_SUBSCRIPTION_FREQUENCY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PORTABLE_SUBSCRIPTION_FREQUENCY_VALUES!r}")
