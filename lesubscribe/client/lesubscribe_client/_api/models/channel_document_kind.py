from typing import Literal

ChannelDocumentKind = Literal["chat", "email", "webhook"]

CHANNEL_DOCUMENT_KIND_VALUES: set[ChannelDocumentKind] = {
    "chat",
    "email",
    "webhook",
}


def check_channel_document_kind(value: str) -> ChannelDocumentKind:
    if value in CHANNEL_DOCUMENT_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANNEL_DOCUMENT_KIND_VALUES!r}")
