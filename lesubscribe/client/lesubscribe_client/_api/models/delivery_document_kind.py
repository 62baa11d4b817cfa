from typing import Literal

DeliveryDocumentKind = Literal["digest", "match", "notice", "test", "verify"]

DELIVERY_DOCUMENT_KIND_VALUES: set[DeliveryDocumentKind] = {
    "digest",
    "match",
    "notice",
    "test",
    "verify",
}


def check_delivery_document_kind(value: str) -> DeliveryDocumentKind:
    if value in DELIVERY_DOCUMENT_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DELIVERY_DOCUMENT_KIND_VALUES!r}")
