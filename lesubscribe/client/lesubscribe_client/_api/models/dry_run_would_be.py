from typing import Literal

DryRunWouldBe = Literal["new", "repeat", "revision"]

DRY_RUN_WOULD_BE_VALUES: set[DryRunWouldBe] = {
    "new",
    "repeat",
    "revision",
}


def check_dry_run_would_be(value: str) -> DryRunWouldBe:
    if value in DRY_RUN_WOULD_BE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DRY_RUN_WOULD_BE_VALUES!r}")
