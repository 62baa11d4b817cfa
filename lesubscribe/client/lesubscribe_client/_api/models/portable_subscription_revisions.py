from typing import Literal

PortableSubscriptionRevisions = Literal["always", "once", "price_drop"]

PORTABLE_SUBSCRIPTION_REVISIONS_VALUES: set[PortableSubscriptionRevisions] = {
    "always",
    "once",
    "price_drop",
}


def check_portable_subscription_revisions(value: str) -> PortableSubscriptionRevisions:
    if value in PORTABLE_SUBSCRIPTION_REVISIONS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PORTABLE_SUBSCRIPTION_REVISIONS_VALUES!r}")
