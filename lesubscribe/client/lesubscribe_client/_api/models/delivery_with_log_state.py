from typing import Literal

DeliveryWithLogState = Literal["dead", "delivered", "dropped", "waiting"]

DELIVERY_WITH_LOG_STATE_VALUES: set[DeliveryWithLogState] = {
    "dead",
    "delivered",
    "dropped",
    "waiting",
}


def check_delivery_with_log_state(value: str) -> DeliveryWithLogState:
    if value in DELIVERY_WITH_LOG_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DELIVERY_WITH_LOG_STATE_VALUES!r}")
