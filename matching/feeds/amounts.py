"""Numbers and sums of money as sites write them: "1,200.5", "US $1,200.00", "1.200,00 EUR", "£5".

Groups of thousands must be whole, so that "1,2" is not taken for 12. Where a mapping does not say which mark
is the decimal one, the last of two different marks is; one alone with three digits after it groups thousands,
unless only a zero stands before it. Money is converted exactly, in decimals, and rounded to cents.
"""

import re
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal

from matching.feeds.cleaning import UnreadableError as UnreadableError
from matching.feeds.cleaning import spaced
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import shown

MARKS = ("auto", ".", ",")
_WRITTEN = {
    "USD": "$ US$ US",
    "EUR": "€ EURO",
    "GBP": "£ UK£",
    "CAD": "C$ CA$",
    "AUD": "A$ AU$",
    "NZD": "NZ$",
    "HKD": "HK$",
    "SGD": "S$",
    "JPY": "¥",
    "CHF": "FR. SFR",
    "INR": "₹ RS.",
    "PLN": "ZŁ",
    "CZK": "KČ",
}
SYMBOLS = {symbol: code for code, symbols in _WRITTEN.items() for symbol in symbols.split()}
_LONGEST = 100
_GROUPING = " \u00a0\u2009\u202f'\u2019"
_CENT = Decimal("0.01")

_NUMBER = rf"\d{{1,3}}(?P<mark>[.,{_GROUPING}])\d{{3}}(?:(?P=mark)\d{{3}})*(?:[.,]\d+)?|\d*[.,]\d+|\d+[.,]?"
_PLAIN = re.compile(r"([+-]?)(\d{1,13})(\.\d{1,2})?")
_MONEY = re.compile(
    r"(?P<sign>[+-]?) ?(?P<before>[^\d.,+-]*[^\d.,+\s-]\.|[^\d.,+-]*?) ?(?P<inner>[+-]?) ?"
    rf"(?P<number>{_NUMBER})(?:,?-{{1,2}})? ?(?P<after>[^\d,+-]*)"
)
# What most sites write: nothing in it can be taken for something else, unless the decimal mark is a comma.
_USUAL = re.compile(r"([^\d.,+\s-]*\s?[^\d.,+\s-]*)\s?(\d{1,3}(?:,\d{3})*|\d+)(\.\d\d)", re.ASCII)
_AMOUNT = re.compile(rf"(?P<sign>[+-]?) ?(?P<number>{_NUMBER})")


def number(text: str, mark: str) -> int | float | Decimal:
    """The number that the text is. Raises UnreadableError."""
    if plain := _PLAIN.fullmatch(text):  # the usual case, where all marks mean the same
        return float(text) if plain[3] else int(text)
    found = _found(_AMOUNT, text)
    if found is None:
        raise UnreadableError(_("{value} is not a number.", value=shown(text)))
    amount = _decimal(found["number"], mark, text)
    return -amount if found["sign"] == "-" else amount


def money(text: str, mark: str, rate_of: Callable[[str], Decimal | None]) -> int | float | Decimal:
    """The sum that the text is, times the rate of its currency, in cents; without a rate, as it is.

    `rate_of` is asked with the currency as it is written, in capitals, or "". Raises UnreadableError.
    """
    if mark != "," and len(text) <= _LONGEST and (usual := _USUAL.fullmatch(text)):
        rate = rate_of(_name(usual[1]))
        exact = Decimal(usual[2].replace(",", "") + usual[3])
        return _in_cents(exact if rate is None else exact * rate, text)
    found = _found(_MONEY, text)
    if found is None or (found["sign"] and found["inner"]):
        raise UnreadableError(_("{value} is not a sum of money.", value=shown(text)))
    rate = rate_of(_currency(found["before"], found["after"]))
    exact = _decimal(found["number"], mark, text)
    exact = -exact if "-" in (found["sign"], found["inner"]) else exact
    return exact if rate is None else _in_cents(exact * rate, text)


def _found(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The patterns go back and forth, which takes long for a long text: it is none of ours anyway."""
    return pattern.fullmatch(spaced(text)) if len(text) <= _LONGEST else None


def _in_cents(exact: Decimal, text: str) -> float:
    if exact.adjusted() > 12:
        raise UnreadableError(_("{value} is too large.", value=shown(text)))
    return float(exact.quantize(_CENT, ROUND_HALF_EVEN))


def _currency(before: str, after: str) -> str:
    """Of "US $5.00 USD" and "$5.00 CAD" the code of three letters counts: it is the more exact one."""
    first, last = _name(before), _name(after)
    if not (first and last):
        return first or last
    return last if len(last) == 3 and last.isalpha() else first if last in first else first + last


def _name(written: str) -> str:
    """A currency as the tables have it: without spaces, in capitals."""
    return "".join(written.split()).upper()


def _decimal(digits: str, mark: str, text: str) -> Decimal:
    for character in _GROUPING:
        digits = digits.replace(character, "")
    decimal = _decimal_mark(digits) if mark == "auto" else mark
    whole, _mark, fraction = digits.rpartition(decimal) if decimal in digits and decimal else (digits, "", "")
    grouping = "." if decimal == "," else ","
    if grouping in fraction or not _is_grouped(whole, grouping if decimal else ".,"):
        written = _(
            "{value} is not a number with the decimal mark '{mark}'.", value=shown(text), mark=decimal
        )
        raise UnreadableError(written if decimal else _("{value} is not a number.", value=shown(text)))
    whole = whole.replace(".", "").replace(",", "")
    return Decimal(f"{whole or 0}.{fraction or 0}")


def _decimal_mark(digits: str) -> str:
    """The decimal mark of a number that may have others; "" where all marks group thousands."""
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        return "." if digits.rindex(".") > digits.rindex(",") else ","
    if points + commas != 1:
        return ""
    mark = "." if points else ","
    whole, _mark, fraction = digits.partition(mark)
    return "" if len(fraction) == 3 and whole.lstrip("0") else mark


def _is_grouped(whole: str, marks: str) -> bool:
    """Whether its marks, if it has any, are of one kind that may be, and stand before every three digits."""
    used = {character for character in whole if character in ".,"}
    if not used:
        return True
    if len(used) > 1 or not used <= set(marks):
        return False
    first, *groups = whole.split(used.pop())
    return 0 < len(first) <= 3 and all(len(group) == 3 for group in groups)
