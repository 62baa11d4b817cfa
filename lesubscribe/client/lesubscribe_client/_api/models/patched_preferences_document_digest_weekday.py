from typing import Literal

PatchedPreferencesDocumentDigestWeekday = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]

PATCHED_PREFERENCES_DOCUMENT_DIGEST_WEEKDAY_VALUES: set[PatchedPreferencesDocumentDigestWeekday] = {
    "friday",
    "monday",
    "saturday",
    "sunday",
    "thursday",
    "tuesday",
    "wednesday",
}


def check_patched_preferences_document_digest_weekday(value: str) -> PatchedPreferencesDocumentDigestWeekday:
    if value in PATCHED_PREFERENCES_DOCUMENT_DIGEST_WEEKDAY_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PATCHED_PREFERENCES_DOCUMENT_DIGEST_WEEKDAY_VALUES!r}"
    )
