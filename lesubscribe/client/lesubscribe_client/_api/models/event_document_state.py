from typing import Literal

EventDocumentState = Literal["accepted", "matched", "parked", "withdrawn"]

EVENT_DOCUMENT_STATE_VALUES: set[EventDocumentState] = {
    "accepted",
    "matched",
    "parked",
    "withdrawn",
}


def check_event_document_state(value: str) -> EventDocumentState:
    if value in EVENT_DOCUMENT_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {EVENT_DOCUMENT_STATE_VALUES!r}")
