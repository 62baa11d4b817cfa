from typing import Literal

PortableDocumentVersion = Literal[1]

PORTABLE_DOCUMENT_VERSION_VALUES: set[PortableDocumentVersion] = {
    1,
}


def check_portable_document_version(value: int) -> PortableDocumentVersion:
    if value in PORTABLE_DOCUMENT_VERSION_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PORTABLE_DOCUMENT_VERSION_VALUES!r}")
