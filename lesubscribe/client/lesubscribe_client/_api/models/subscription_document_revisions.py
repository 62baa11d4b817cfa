from typing import Literal

SubscriptionDocumentRevisions = Literal["always", "once", "price_drop"]

SUBSCRIPTION_DOCUMENT_REVISIONS_VALUES: set[SubscriptionDocumentRevisions] = {
    "always",
    "once",
    "price_drop",
}


def check_subscription_document_revisions(value: str) -> SubscriptionDocumentRevisions:
    if value in SUBSCRIPTION_DOCUMENT_REVISIONS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUBSCRIPTION_DOCUMENT_REVISIONS_VALUES!r}")
