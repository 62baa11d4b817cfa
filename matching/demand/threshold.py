"""Which numbers of people may be told, and how coarsely.

A cell of `n` people is told as "t or more" with t = (n - m) rounded down to tens, and only where t is 20 or
more. m, from 0 to 9, is the cell's own margin: always the same, and known to nobody outside. So

- what is told is true: n >= t >= 20;
- n lies anywhere from t to t + 18, and for a cell that is not told from 0 to 28. Nobody learns it any closer
  by watching when the number changes, as it does so at another n in each cell;
- of two cells of which one holds the other, P of p people and C of c, the people who are in P alone are
  p - c: from t(P) - t(C) - 18 to t(P) - t(C) + 18. If somebody can conclude that there is anybody, which
  takes t(P) - t(C) >= 20, then for all they know there may be 38. The same holds for P without several C's.
"""

from collections.abc import Callable

FEWEST = 20
STEP = 10
MARGINS = 10

Margin = Callable[[str], int]  # of a cell by its name, from 0 to MARGINS - 1


def told(people: int, margin: int) -> int:
    """So many or more may be told; 0 for nothing."""
    rounded = (people - margin) // STEP * STEP
    return rounded if rounded >= FEWEST else 0
