"""Numbers and strings as the schema holds them."""

import contextlib
import unicodedata
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema_registry.core.decimals import number, number_for_json, number_text
from schema_registry.core.errors import OutsideDomain
from schema_registry.core.text import nfc, words


@pytest.mark.parametrize(
    ("raw", "value"),
    [(200, 200.0), (0.1, 0.1), (Decimal("0.10"), 0.1), (10**20, 1e20), (-0.0, 0.0), (Decimal("-0"), 0.0)],
)
def test_ints_floats_and_decimals_are_numbers(raw: Any, value: float) -> None:
    assert number(raw) == value
    assert str(number(raw)) == str(value)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (True, "not a number"),
        ("200", "not a number"),
        (None, "not a number"),
        ([1], "not a number"),
        (float("nan"), "NaN"),
        (Decimal("NaN"), "NaN"),
        (Decimal("sNaN"), "NaN"),
        (float("inf"), "too large"),
        (Decimal("1e400"), "too large"),
        (10**400, "too large"),
        (Decimal("1e-400"), "close to zero"),
        (5e-324, "close to zero"),
        (1234567890123456, "15 significant"),
        (0.1234567890123456, "15 significant"),
        (1 / 3, "15 significant"),
        (Decimal("1.0000000000000001"), "15 significant"),
    ],
)
def test_other_things_are_refused_with_a_reason(raw: Any, why: str) -> None:
    with pytest.raises(OutsideDomain, match=why):
        number(raw)


def test_an_integer_of_a_million_digits_is_refused_without_writing_it_out() -> None:
    with pytest.raises(OutsideDomain, match="too large"):
        number(10**1_000_000)


def test_trailing_zeros_do_not_count_as_significant_digits() -> None:
    assert number(123456789012345000) == 123456789012345000.0
    assert number(Decimal("1.50000000000000000000")) == 1.5


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**8), max_value=10**8))
def test_a_number_written_out_reads_back_the_same(raw: Decimal) -> None:
    value = number(raw)
    assert Decimal(number_text(value)) == raw
    assert number(number_for_json(value)) == value
    assert "e" not in number_text(value)


@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(-320, 300), st.integers(-(10**15) + 1, 10**15 - 1))
def test_doubles_order_decimals_of_15_digits_exactly(mantissa: int, exponent: int, other: int) -> None:
    one, two = Decimal(mantissa).scaleb(exponent), Decimal(other).scaleb(exponent)
    with contextlib.suppress(OutsideDomain):  # too large or too close to zero
        assert (number(one) < number(two)) == (one < two)
        assert Decimal(number_text(number(one))) == one


@pytest.mark.parametrize("raw", ["a\0b", "\ud800", "x" * 2001, "e" + "\u0301\u0323" * 400])
def test_unreadable_strings_are_refused(raw: str) -> None:
    with pytest.raises(OutsideDomain):
        nfc(raw)


def test_a_long_run_of_combining_marks_is_refused_before_it_is_normalised() -> None:
    with pytest.raises(OutsideDomain, match="combining"):
        words("e" + "\u0301\u0323" * 9000)
    with pytest.raises(OutsideDomain, match="more than 30 combining"):
        nfc("e" + "\u0301" * 31)
    assert nfc("e" + "\u0301" * 30) == "\u00e9" + "\u0301" * 29


def test_a_text_that_ligatures_make_too_long_is_refused() -> None:
    assert len(words("\ufdfa" * 1_100)) == 5
    with pytest.raises(OutsideDomain, match="21,600 characters long with its ligatures written out"):
        words("\ufdfa" * 1_200)


@given(st.text(max_size=50))
def test_words_are_the_runs_of_alphanumeric_characters_of_the_folded_text(text: str) -> None:
    with contextlib.suppress(OutsideDomain):
        plain = unicodedata.normalize("NFKC", text).casefold()
        spaced = "".join(character if character.isalnum() else " " for character in plain)
        assert words(text) == tuple(dict.fromkeys(spaced.split()))


def test_words_are_folded_and_split_on_everything_that_is_not_alphanumeric() -> None:
    assert words("It's a Ménagère, 18th-century (ﬁne)_X") == (
        *("it", "s", "a", "ménagère", "18th", "century", "fine", "x"),
    )
    assert words("a A a") == ("a",)
    assert words(" -- ") == ()
