from typing import Literal

ChannelDocumentWants = Literal["everything", "nothing", "notices"]

CHANNEL_DOCUMENT_WANTS_VALUES: set[ChannelDocumentWants] = {
    "everything",
    "nothing",
    "notices",
}


def check_channel_document_wants(value: str) -> ChannelDocumentWants:
    if value in CHANNEL_DOCUMENT_WANTS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANNEL_DOCUMENT_WANTS_VALUES!r}")
