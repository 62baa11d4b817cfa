from typing import Literal

PatchedChangedSubscriptionState = Literal["active", "muted", "paused"]

PATCHED_CHANGED_SUBSCRIPTION_STATE_VALUES: set[PatchedChangedSubscriptionState] = {
    "active",
    "muted",
    "paused",
}


def check_patched_changed_subscription_state(value: str) -> PatchedChangedSubscriptionState:
    if value in PATCHED_CHANGED_SUBSCRIPTION_STATE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PATCHED_CHANGED_SUBSCRIPTION_STATE_VALUES!r}"
    )
