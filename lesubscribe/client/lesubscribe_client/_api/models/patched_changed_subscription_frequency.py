from typing import Literal

PatchedChangedSubscriptionFrequency = Literal["at_once", "daily", "hourly", "weekly"]

PATCHED_CHANGED_SUBSCRIPTION_FREQUENCY_VALUES: set[PatchedChangedSubscriptionFrequency] = {
    "at_once",
    "daily",
    "hourly",
    "weekly",
}


def check_patched_changed_subscription_frequency(value: str) -> PatchedChangedSubscriptionFrequency:
    if value in PATCHED_CHANGED_SUBSCRIPTION_FREQUENCY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PATCHED_CHANGED_SUBSCRIPTION_FREQUENCY_VALUES!r}"
    )
