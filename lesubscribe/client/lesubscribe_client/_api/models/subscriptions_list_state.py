from typing import Literal

SubscriptionsListState = Literal["active", "expired", "muted", "paused"]

SUBSCRIPTIONS_LIST_STATE_VALUES: set[SubscriptionsListState] = {
    "active",
    "expired",
    "muted",
    "paused",
}


def check_subscriptions_list_state(value: str) -> SubscriptionsListState:
    if value in SUBSCRIPTIONS_LIST_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUBSCRIPTIONS_LIST_STATE_VALUES!r}")
