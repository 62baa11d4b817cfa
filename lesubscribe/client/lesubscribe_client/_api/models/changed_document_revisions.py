from typing import Literal

ChangedDocumentRevisions = Literal["always", "once", "price_drop"]

CHANGED_DOCUMENT_REVISIONS_VALUES: set[ChangedDocumentRevisions] = {
    "always",
    "once",
    "price_drop",
}


def check_changed_document_revisions(value: str) -> ChangedDocumentRevisions:
    if value in CHANGED_DOCUMENT_REVISIONS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANGED_DOCUMENT_REVISIONS_VALUES!r}")
