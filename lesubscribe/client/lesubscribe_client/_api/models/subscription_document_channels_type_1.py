from typing import Literal

SubscriptionDocumentChannelsType1 = Literal["all"]

SUBSCRIPTION_DOCUMENT_CHANNELS_TYPE_1_VALUES: set[SubscriptionDocumentChannelsType1] = {
    "all",
}


def check_subscription_document_channels_type_1(value: str) -> SubscriptionDocumentChannelsType1:
    if value in SUBSCRIPTION_DOCUMENT_CHANNELS_TYPE_1_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {SUBSCRIPTION_DOCUMENT_CHANNELS_TYPE_1_VALUES!r}"
    )
