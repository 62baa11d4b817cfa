from typing import Literal

PatchedChangedSubscriptionChannelsType1 = Literal["all"]

PATCHED_CHANGED_SUBSCRIPTION_CHANNELS_TYPE_1_VALUES: set[PatchedChangedSubscriptionChannelsType1] = {
    "all",
}


def check_patched_changed_subscription_channels_type_1(value: str) -> PatchedChangedSubscriptionChannelsType1:
    if value in PATCHED_CHANGED_SUBSCRIPTION_CHANNELS_TYPE_1_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {PATCHED_CHANGED_SUBSCRIPTION_CHANNELS_TYPE_1_VALUES!r}"
    )
