from typing import Literal

ChannelDocumentState = Literal["active", "disabled", "pending"]

CHANNEL_DOCUMENT_STATE_VALUES: set[ChannelDocumentState] = {
    "active",
    "disabled",
    "pending",
}


def check_channel_document_state(value: str) -> ChannelDocumentState:
    if value in CHANNEL_DOCUMENT_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANNEL_DOCUMENT_STATE_VALUES!r}")
