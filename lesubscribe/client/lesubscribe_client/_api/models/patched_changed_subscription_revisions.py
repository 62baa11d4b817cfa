from typing import Literal

PatchedChangedSubscriptionRevisions = Literal["always", "once", "price_drop"]

PATCHED_CHANGED_SUBSCRIPTION_REVISIONS_VALUES: set[PatchedChangedSubscriptionRevisions] = {
    "always",
    "once",
    "price_drop",
}


def check_patched_changed_subscription_revisions(value: str) -> PatchedChangedSubscriptionRevisions:
    if value in PATCHED_CHANGED_SUBSCRIPTION_REVISIONS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PATCHED_CHANGED_SUBSCRIPTION_REVISIONS_VALUES!r}"
    )
