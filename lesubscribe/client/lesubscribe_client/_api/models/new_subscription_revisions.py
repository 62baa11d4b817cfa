from typing import Literal

NewSubscriptionRevisions = Literal["always", "once", "price_drop"]

NEW_SUBSCRIPTION_REVISIONS_VALUES: set[NewSubscriptionRevisions] = {
    "always",
    "once",
    "price_drop",
}


def check_new_subscription_revisions(value: str) -> NewSubscriptionRevisions:
    if value in NEW_SUBSCRIPTION_REVISIONS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NEW_SUBSCRIPTION_REVISIONS_VALUES!r}")
