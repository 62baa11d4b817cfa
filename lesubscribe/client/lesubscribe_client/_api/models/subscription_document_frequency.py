from typing import Literal

SubscriptionDocumentFrequency = Literal["at_once", "daily", "hourly", "weekly"]

SUBSCRIPTION_DOCUMENT_FREQUENCY_VALUES: set[SubscriptionDocumentFrequency] = {
    "at_once",
    "daily",
    "hourly",
    "weekly",
}


def check_subscription_document_frequency(value: str) -> SubscriptionDocumentFrequency:
    if value in SUBSCRIPTION_DOCUMENT_FREQUENCY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUBSCRIPTION_DOCUMENT_FREQUENCY_VALUES!r}")
