from typing import Literal

ArgumentDocumentType = Literal["any", "number", "string"]

ARGUMENT_DOCUMENT_TYPE_VALUES: set[ArgumentDocumentType] = {
    "any",
    "number",
    "string",
}


def check_argument_document_type(value: str) -> ArgumentDocumentType:
    if value in ARGUMENT_DOCUMENT_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ARGUMENT_DOCUMENT_TYPE_VALUES!r}")
