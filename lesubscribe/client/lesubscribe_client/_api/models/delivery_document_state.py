from typing import Literal

DeliveryDocumentState = Literal["dead", "delivered", "dropped", "waiting"]

DELIVERY_DOCUMENT_STATE_VALUES: set[DeliveryDocumentState] = {
    "dead",
    "delivered",
    "dropped",
    "waiting",
}


def check_delivery_document_state(value: str) -> DeliveryDocumentState:
    if value in DELIVERY_DOCUMENT_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DELIVERY_DOCUMENT_STATE_VALUES!r}")
