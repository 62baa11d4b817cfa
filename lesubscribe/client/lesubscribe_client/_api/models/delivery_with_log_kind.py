from typing import Literal

DeliveryWithLogKind = Literal["digest", "match", "notice", "test", "verify"]

DELIVERY_WITH_LOG_KIND_VALUES: set[DeliveryWithLogKind] = {
    "digest",
    "match",
    "notice",
    "test",
    "verify",
}


def check_delivery_with_log_kind(value: str) -> DeliveryWithLogKind:
    if value in DELIVERY_WITH_LOG_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DELIVERY_WITH_LOG_KIND_VALUES!r}")
