from typing import Literal

ChangedDocumentChannelsType1 = Literal["all"]

CHANGED_DOCUMENT_CHANNELS_TYPE_1_VALUES: set[ChangedDocumentChannelsType1] = {
    "all",
}


def check_changed_document_channels_type_1(value: str) -> ChangedDocumentChannelsType1:
    if value in CHANGED_DOCUMENT_CHANNELS_TYPE_1_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {CHANGED_DOCUMENT_CHANNELS_TYPE_1_VALUES!r}"
    )
