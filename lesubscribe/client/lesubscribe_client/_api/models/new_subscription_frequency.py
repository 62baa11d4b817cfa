from typing import Literal

NewSubscriptionFrequency = Literal["at_once", "daily", "hourly", "weekly"]

NEW_SUBSCRIPTION_FREQUENCY_VALUES: set[NewSubscriptionFrequency] = {
    "at_once",
    "daily",
    "hourly",
    "weekly",
}


def check_new_subscription_frequency(value: str) -> NewSubscriptionFrequency:
    if value in NEW_SUBSCRIPTION_FREQUENCY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NEW_SUBSCRIPTION_FREQUENCY_VALUES!r}")
