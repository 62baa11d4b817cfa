"""Numbers of rows, as anybody may send them."""

import pytest

from matching.row_numbers import LARGEST_NUMBER, row_number


@pytest.mark.parametrize(("said", "number"), [("0", 0), ("7", 7), (str(LARGEST_NUMBER), LARGEST_NUMBER)])
def test_what_a_row_may_have_is_read(said: str, number: int) -> None:
    assert row_number(said) == number


@pytest.mark.parametrize("said", [None, "", "-1", "+1", " 1", "1.0", "x", "\u0663", str(2**63), "9" * 5_000])
def test_what_no_row_can_have_is_none(said: str | None) -> None:
    assert row_number(said) is None
