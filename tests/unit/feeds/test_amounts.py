"""Numbers and sums of money as sites write them."""

from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.feeds.amounts import MARKS, UnreadableError, money, number

CENTS = st.integers(0, 10**11).map(lambda cents: Decimal(cents) / 100)


def nothing_to_convert(currency: str) -> None:
    return None


def read(text: str, mark: str = "auto") -> tuple[float, str]:
    """The amount without conversion, and the currency as it is asked for."""
    asked: list[str] = []
    amount = money(text, mark, asked.append)
    return float(amount), asked[0]


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("US $1,200.00", 1200, "US$"),
        ("1.200,00 EUR", 1200, "EUR"),
        ("$1,234.00", 1234, "$"),
        ("£5", 5, "£"),
        ("5", 5, ""),
        ("1 200,50 €", 1200.5, "€"),
        ("1\u00a0200,50\u00a0€", 1200.5, "€"),
        ("CHF 1'200.50", 1200.5, "CHF"),
        ("EUR 1.200", 1200, "EUR"),
        ("1,200", 1200, ""),
        ("0.125", 0.125, ""),
        (".99 USD", 0.99, "USD"),
        ("1.234.567,8 EUR", 1234567.8, "EUR"),
        ("-5.00 EUR", -5, "EUR"),
        ("$-5.00", -5, "$"),
        ("US $5.00 USD", 5, "USD"),
        ("$5.00 CAD", 5, "CAD"),
        ("12,- EUR", 12, "EUR"),
        ("  $ 7.5  ", 7.5, "$"),
        ("12.5 QQQ", 12.5, "QQQ"),
    ],
)
def test_a_sum_is_read_with_its_currency(text: str, amount: float, currency: str) -> None:
    assert read(text) == (amount, currency)


@pytest.mark.parametrize(
    "text", ["", "USD", "call us", "1,2,3", "1,23,456", "5 to 10", "1.2.3", "--5", "9" * 200, "1,200,00", "$"]
)
def test_what_is_no_sum_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read(text)


def test_a_long_text_is_refused_without_a_search_in_it() -> None:
    """A million letters would take hours; if this test ends, they are not looked through."""
    for text in ("x" * 1_000_000, "$ " + "x" * 1_000_000, "$5.00".rjust(101)):
        with pytest.raises(UnreadableError):
            read(text)


def test_the_mapping_may_say_which_mark_is_the_decimal_one() -> None:
    assert read("1.200", ".") == (1.2, "")
    assert read("1.200", ",") == (1200, "")
    assert read("1,200", ",") == (1.2, "")
    with pytest.raises(UnreadableError, match="decimal mark ','"):
        read("1,200.00", ",")
    with pytest.raises(UnreadableError, match=r"decimal mark '\.'"):
        read("1.200,00", ".")


def test_money_is_converted_exactly_and_rounded_to_cents() -> None:
    assert money("0.15 USD", "auto", lambda _currency: Decimal("0.1")) == 0.02  # half to even: 0.015 is exact
    assert money("0.25 USD", "auto", lambda _currency: Decimal("0.1")) == 0.02
    assert money("1,000,000.10 USD", "auto", lambda _currency: Decimal("0.92")) == 920_000.09


@given(CENTS)
def test_an_amount_reads_back_however_it_is_written(amount: Decimal) -> None:
    english = f"{amount:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    french = german.replace(".", "\u202f")
    for text in (english, german, french, f"US ${english}", f"{german} EUR", f"€ {french}", f"{amount:.2f}"):
        assert Decimal(str(money(text, "auto", nothing_to_convert))) == amount
    assert Decimal(str(number(english, "."))) == amount
    assert Decimal(str(number(german, ","))) == amount


@given(st.one_of(st.text(max_size=40), st.text("0159.,-+ \u00a0$€EUR", max_size=20)), st.sampled_from(MARKS))
def test_any_text_is_a_sum_or_refused(text: str, mark: str) -> None:
    with suppress(UnreadableError):
        assert isinstance(money(text, mark, nothing_to_convert), int | float | Decimal)
    with suppress(UnreadableError):
        assert isinstance(number(text, mark), int | float | Decimal)
