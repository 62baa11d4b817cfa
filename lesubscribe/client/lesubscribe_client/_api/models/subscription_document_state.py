from typing import Literal

SubscriptionDocumentState = Literal["active", "expired", "muted", "paused"]

SUBSCRIPTION_DOCUMENT_STATE_VALUES: set[SubscriptionDocumentState] = {
    "active",
    "expired",
    "muted",
    "paused",
}


def check_subscription_document_state(value: str) -> SubscriptionDocumentState:
    if value in SUBSCRIPTION_DOCUMENT_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUBSCRIPTION_DOCUMENT_STATE_VALUES!r}")
