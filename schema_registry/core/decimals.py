"""Numbers of the numeric domain: decimals of at most 15 significant digits, held as floats.

In the normal range of doubles such decimals and floats correspond one to one: different decimals
give different floats in the same order, and `repr` gives the decimal back. So a float is an exact
canonical value, and comparing floats compares the decimals.
"""

from decimal import Context, Decimal

from schema_registry.core.errors import OutsideDomain
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import shown

LARGEST = 1.79769313486231e308
SMALLEST = 2.22507385850721e-308  # below it doubles lose digits
MAX_SIGNIFICANT_DIGITS = 15
_FIFTEEN_DIGITS = Context(prec=MAX_SIGNIFICANT_DIGITS, Emin=-999_999, Emax=999_999)


def number(raw: object) -> float:
    """The canonical value of an int, a float (by its repr) or a Decimal; never -0.0.

    Raises OutsideDomain for booleans, NaN, infinities, other types, more than 15 significant digits,
    and magnitudes that doubles cannot hold exactly.
    """
    kind = type(raw)
    if kind is int and -(10**15) < raw < 10**15:  # type: ignore[operator]
        return float(raw)  # type: ignore[arg-type]
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal):
        raise OutsideDomain(_("{value} is not a number.", value=shown(raw)), fault="not_a_number")
    if isinstance(raw, int) and raw.bit_length() > 1024:  # before int -> float can overflow
        raise OutsideDomain(_("The number is too large."))
    if isinstance(raw, Decimal) and raw.is_snan():
        raise OutsideDomain(_("NaN is not a number here."), fault="not_a_number")
    value = float(raw) if not isinstance(raw, int) else _float_of_int(raw)
    if value != value:
        raise OutsideDomain(_("NaN is not a number here."), fault="not_a_number")
    if abs(value) > LARGEST:
        raise OutsideDomain(_("{value} is too large.", value=shown(raw)))
    if abs(value) < SMALLEST:
        if raw == 0:
            return 0.0
        raise OutsideDomain(_("{value} is too close to zero.", value=shown(raw)))
    rounded = format(value, f".{MAX_SIGNIFICANT_DIGITS}g")
    exact = float(rounded) == value if isinstance(raw, float) else Decimal(rounded) == raw
    if not exact:
        digits = MAX_SIGNIFICANT_DIGITS
        raise OutsideDomain(
            _("{value} has more than {digits} significant digits.", value=shown(raw), digits=digits)
        )
    return value


def _float_of_int(raw: int) -> float:
    try:
        return float(raw)
    except OverflowError:
        return float("inf")


def number_text(value: float) -> str:
    """The shortest usual spelling: `200`, `0.5`; an exponent only far from 1. Reads back the same."""
    decimal = Decimal(repr(value)).normalize()
    if -8 < decimal.adjusted() < 21:
        return format(decimal, "f")
    return format(decimal, "e")


def number_for_json(value: float) -> int | float:
    """An int where the value is whole and of ordinary size, so that 200 is written 200, not 200.0."""
    return int(value) if value.is_integer() and abs(value) < 10**15 else value


def next_above(value: float) -> float:
    """The least number of the domain greater than this one; LARGEST gives infinity."""
    if value >= LARGEST:
        return float("inf")
    if 0 <= value < SMALLEST:
        return SMALLEST
    above = float(Decimal(repr(value)).next_plus(_FIFTEEN_DIGITS))
    return 0.0 if -SMALLEST < above < 0 else above
