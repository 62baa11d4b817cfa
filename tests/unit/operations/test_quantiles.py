"""A quantile from counts below bounds, as a histogram keeps them."""

from math import inf

import pytest

from lesubscribe.operations.sampling import quantile


@pytest.mark.parametrize(
    ("cumulated", "expected"),
    [
        ([], None),
        ([(1.0, 0), (inf, 0)], None),
        ([(1.0, 100), (inf, 100)], 0.95),
        ([(1.0, 90), (2.0, 100), (inf, 100)], 1.5),
        ([(1.0, 95), (2.0, 100), (inf, 100)], 1.0),
        ([(1.0, 0), (2.0, 1), (inf, 1)], 1.95),
        ([(1.0, 1), (2.0, 1), (inf, 100)], 2.0),  # it is known only that it took longer
    ],
)
def test_it_lies_between_the_bounds_around_it(
    cumulated: list[tuple[float, float]], expected: float | None
) -> None:
    found = quantile(cumulated, 0.95)
    assert found == (None if expected is None else pytest.approx(expected))
