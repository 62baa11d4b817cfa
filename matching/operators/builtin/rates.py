"""What one euro is worth in other currencies: the reference rates of the European Central Bank of `DAY`.

They are for comparing prices, not for paying. Who runs the system may put newer ones here.
"""

from collections.abc import Mapping
from decimal import Decimal

DAY = "2024-02-19"

_REFERENCE = (
    "USD 1.0776, JPY 161.59, BGN 1.9558, CZK 25.455, DKK 7.4547, GBP 0.85448, HUF 388.40, PLN 4.3265, "
    "RON 4.9770, SEK 11.2370, CHF 0.9492, ISK 148.70, NOK 11.3045, TRY 33.2640, AUD 1.6479, BRL 5.3433, "
    "CAD 1.4522, CNY 7.7570, HKD 8.4273, IDR 16860.24, ILS 3.9074, INR 89.4620, KRW 1438.87, MXN 18.3698, "
    "MYR 5.1585, NZD 1.7536, PHP 60.410, SGD 1.4503, THB 38.826, ZAR 20.4310"
)
PER_EURO: Mapping[str, Decimal] = {
    "EUR": Decimal(1),
    **{code: Decimal(rate) for code, rate in (each.split() for each in _REFERENCE.split(", "))},
}
