from typing import Literal

PortableDocumentFormat = Literal["lesubscribe-subscriptions"]

PORTABLE_DOCUMENT_FORMAT_VALUES: set[PortableDocumentFormat] = {
    "lesubscribe-subscriptions",
}


def check_portable_document_format(value: str) -> PortableDocumentFormat:
    if value in PORTABLE_DOCUMENT_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PORTABLE_DOCUMENT_FORMAT_VALUES!r}")
