"""The matchers of paper 004 compared, over the cells of a figure.

All raise LookupError where cells are missing.
"""

from collections.abc import Iterable
from statistics import fmean
from typing import Any

from benchmarks.reproduce.figure import Rows

SOURCE = "Paper 004, Fan et al., DEXIN: A fast content-based multi-attribute event matching algorithm, {}."
NAMES = {
    "tama": "TAMA",
    "h-tree": "H-Tree",
    "be-tree": "BE-Tree",
    "opindex": "OpIndex",
    "rein": "REIN",
    "dexin": "DEXIN",
}
OTHERS = tuple(NAMES)[:-1]
NEARLY = 1.4  # what stays "nearly the same" or is "nearly flat" grows and falls by less than this factor


def name_of(variant: str) -> str:
    """As the paper writes it; "dexin, linked" is "DEXIN linked"."""
    return NAMES.get(variant) or variant.replace("dexin, ", "DEXIN ")


def mean(rows: Rows, variant: str, column: str = "ms") -> float:
    """Over all cells."""
    chosen = rows.where(variant=variant)
    if not len(chosen):
        raise LookupError(f"nothing of {variant} is measured")
    return fmean(chosen.column(column))


def growth(rows: Rows, variant: str, column: str = "ms") -> float:
    """The last relative to the first."""
    chosen = rows.where(variant=variant).column(column)
    if len(chosen) < 2:
        raise LookupError(f"{variant} is not measured")
    return float(chosen[-1] / chosen[0])


def is_nearly_flat(factor: float) -> bool:
    return 1 / NEARLY < factor < NEARLY


def at(rows: Rows, variant: str, column: str, **parameters: Any) -> float:
    """Of one cell."""
    return float(rows.one(variant=variant, **parameters)[column])


def growths(rows: Rows, column: str = "ms", variants: Iterable[str] = NAMES) -> str:
    return ", ".join(f"{name_of(each)} {growth(rows, each, column):.2f}" for each in variants)


def one_by_one(rows: Rows, variant: str, column: str = "ms") -> str:
    """Of all cells."""
    return ", ".join(f"{number:.3g}" for number in rows.where(variant=variant).column(column))


def first_and_last(rows: Rows, variant: str, column: str = "traversed", form: str = ".2f") -> str:
    numbers = rows.where(variant=variant).column(column)
    if len(numbers) < 2:
        raise LookupError(f"{variant} is not measured")
    return f"{numbers[0]:{form}} to {numbers[-1]:{form}}"


def ns_of_one(rows: Rows, variant: str) -> float:
    """What one entry or subscription costs that a matcher looks at, on average over the cells."""
    chosen = rows.where(variant=variant)
    if not len(chosen):
        raise LookupError(f"nothing of {variant} is measured")
    return fmean(row["ms"] * 1e6 / row["traversed"] / row["subscriptions"] for row in chosen)


def relative_deviation(rows: Rows, variant: str) -> float:
    """Of the times of events, relative to their mean; on average over the cells."""
    chosen = rows.where(variant=variant)
    if not len(chosen):
        raise LookupError(f"nothing of {variant} is measured")
    return fmean(row["std_ms"] / row["ms"] for row in chosen)


def shares(rows: Rows, column: str = "ms") -> str:
    """What DEXIN takes of the others' time, on average."""
    own = mean(rows, "dexin", column)
    return ", ".join(f"{own / mean(rows, each, column):.0%} of {NAMES[each]}" for each in OTHERS)


def places_won(rows: Rows, column: str, others: Iterable[str] = OTHERS) -> tuple[int, int]:
    """In how many cells, of how many, DEXIN's is the least."""
    own, theirs = rows.where(variant="dexin"), [rows.where(variant=each) for each in others]
    if not len(own) or any(len(each) != len(own) for each in theirs):
        raise LookupError("not measured")
    columns = zip(own.column(column), *(each.column(column) for each in theirs), strict=True)
    return sum(mine <= min(rest) for mine, *rest in columns), len(own)


def faster(rows: Rows) -> str:
    """Who takes less time than DEXIN, with both times."""
    own = rows.where(variant="dexin").column("ms")
    return ", ".join(
        f"{NAMES[each]} ({time:.3g} against {mine:.3g} ms)"
        for each in OTHERS
        for time, mine in zip(rows.where(variant=each).column("ms"), own, strict=True)
        if time < mine
    )


def won(rows: Rows, column: str) -> str:
    return "{} of {}".format(*places_won(rows, column))


def is_least(rows: Rows, column: str, others: Iterable[str] = OTHERS) -> bool:
    """Whether DEXIN's is the least in every cell."""
    won, cells = places_won(rows, column, others)
    return won == cells


def each_of(rows: Rows, column: str, variants: Iterable[str] = NAMES) -> str:
    form = ",.0f" if column == "bytes" else ".3g"
    named = (f"{name_of(each)} {mean(rows, each, column):{form}}" for each in variants)
    return ", ".join(named) + "."


def grows_least(rows: Rows) -> bool:
    """In milliseconds for each subscription more, which is the slope of the curve."""

    def slope(variant: str) -> float:
        times = rows.where(variant=variant).column("ms")
        if len(times) < 2:
            raise LookupError("not measured")
        return float(times[-1] - times[0])

    return all(slope("dexin") < slope(each) for each in OTHERS)
