from typing import Literal

ChangedDocumentFrequency = Literal["at_once", "daily", "hourly", "weekly"]

CHANGED_DOCUMENT_FREQUENCY_VALUES: set[ChangedDocumentFrequency] = {
    "at_once",
    "daily",
    "hourly",
    "weekly",
}


def check_changed_document_frequency(value: str) -> ChangedDocumentFrequency:
    if value in CHANGED_DOCUMENT_FREQUENCY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANGED_DOCUMENT_FREQUENCY_VALUES!r}")
