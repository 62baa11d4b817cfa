"""`money(price, currency, 'EUR', ?amount)`: a price in another currency, rounded to cents."""

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache

from matching.feeds.amounts import SYMBOLS
from matching.operators.builtin import MOST_VALUES
from matching.operators.builtin.rates import PER_EURO
from matching.operators.declaring import each, operator
from schema_registry.core.domains import Value
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_noop
from schema_registry.core.wording import shown

_CENT = Decimal("0.01")
_MOST_DIGITS = 13  # as for the prices of feeds
_MOST_CURRENCIES = 5


def _known(name: str, constant: Value) -> str | None:
    if name in ("currency", "to") and code(constant) is None:
        known = ", ".join(sorted(PER_EURO))
        return _(
            "{value} is not a currency with a rate. There are {known}.", value=shown(constant), known=known
        )
    return None


@operator(
    "money(price: number, currency: string, to: string, ?amount: number)",
    cost=0.000_005,
    isolated=False,
    description=gettext_noop("The price in another currency."),
    check_constant=_known,
    label=gettext_noop("price in a currency"),
    sentence=gettext_noop("{price} {amount} in {to}"),
)
def money(
    price: Value | tuple[Value, ...], currency: Value | tuple[Value, ...], to: Value | tuple[Value, ...]
) -> list[tuple[float]]:
    """A row for each price in each currency that the event names."""
    rates = [
        rate
        for source in each(currency, _MOST_CURRENCIES)
        for target in each(to, _MOST_CURRENCIES)
        if (rate := _rate(source, target))
    ]
    return [(amount,) for rate in rates for amount in _converted(each(price, MOST_VALUES), rate)]


def code(written: Value) -> str | None:
    """The code of a currency with a rate, however it is written: EUR, eur, €."""
    name = str(written).strip().upper()
    found = SYMBOLS.get(name, name)
    return found if found in PER_EURO else None


@lru_cache(maxsize=1_000)
def _rate(source: Value, target: Value) -> Decimal | None:
    from_code, to_code = code(source), code(target)
    return PER_EURO[to_code] / PER_EURO[from_code] if from_code and to_code else None


def _converted(prices: tuple[Value, ...], rate: Decimal) -> Iterator[float]:
    for price in prices:
        exact = Decimal(str(price)) * rate
        if exact.adjusted() < _MOST_DIGITS:
            yield float(exact.quantize(_CENT, ROUND_HALF_EVEN))
