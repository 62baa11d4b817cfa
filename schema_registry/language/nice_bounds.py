"""A range round a number with bounds that people would choose: 180 is between 100 and 300. Pure."""

from math import floor, isfinite, log10

from schema_registry.core.domains import NumericDomain

_STEPS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_BELOW, _ABOVE = 0.6, 1.6


def nice_bounds(number: float, domain: NumericDomain) -> tuple[float, float] | None:
    """Some way below and above the number, within the domain; None where there is no such, as round zero."""
    if not isfinite(number) or number <= 0:
        return None
    low, high = _nice(number * _BELOW, up=False), _nice(number * _ABOVE, up=True)
    if domain.low is not None:
        low = max(low, domain.low)
    if domain.high is not None:
        high = min(high, domain.high)
    return (low, high) if low <= number <= high else None


def _nice(number: float, *, up: bool) -> float:
    """The next number of one or two digits, below or above."""
    exponent = floor(log10(number))
    mantissa = number / 10.0**exponent
    fitting = [step for step in _STEPS if (step >= mantissa if up else step <= mantissa)]
    step = (min(fitting) if up else max(fitting)) if fitting else mantissa
    return float(f"{step:g}e{exponent}")  # what people write: 0.3, not 0.30000000000000004
