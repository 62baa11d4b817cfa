from typing import Literal

PreferencesDocumentDigestWeekday = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]

PREFERENCES_DOCUMENT_DIGEST_WEEKDAY_VALUES: set[PreferencesDocumentDigestWeekday] = {
    "friday",
    "monday",
    "saturday",
    "sunday",
    "thursday",
    "tuesday",
    "wednesday",
}


def check_preferences_document_digest_weekday(value: str) -> PreferencesDocumentDigestWeekday:
    if value in PREFERENCES_DOCUMENT_DIGEST_WEEKDAY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PREFERENCES_DOCUMENT_DIGEST_WEEKDAY_VALUES!r}"
    )
