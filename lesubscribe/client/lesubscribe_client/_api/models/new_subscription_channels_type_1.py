from typing import Literal

NewSubscriptionChannelsType1 = Literal["all"]

NEW_SUBSCRIPTION_CHANNELS_TYPE_1_VALUES: set[NewSubscriptionChannelsType1] = {
    "all",
}


def check_new_subscription_channels_type_1(value: str) -> NewSubscriptionChannelsType1:
    if value in NEW_SUBSCRIPTION_CHANNELS_TYPE_1_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {NEW_SUBSCRIPTION_CHANNELS_TYPE_1_VALUES!r}"
    )
