from typing import Literal

ChangedDocumentState = Literal["active", "expired", "muted", "paused"]

CHANGED_DOCUMENT_STATE_VALUES: set[ChangedDocumentState] = {
    "active",
    "expired",
    "muted",
    "paused",
}


def check_changed_document_state(value: str) -> ChangedDocumentState:
    if value in CHANGED_DOCUMENT_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANGED_DOCUMENT_STATE_VALUES!r}")
