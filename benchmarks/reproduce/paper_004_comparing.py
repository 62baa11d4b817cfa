"""The matchers of paper 004 compared, over the cells of a figure.

All raise LookupError where cells are missing.
"""

from collections.abc import Iterable
from statistics import fmean

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


def shares(rows: Rows, column: str = "ms") -> str:
    """What DEXIN takes of the others' time, on average."""
    own = mean(rows, "dexin", column)
    return ", ".join(f"{own / mean(rows, each, column):.0%} of {NAMES[each]}" for each in OTHERS)


def is_least(rows: Rows, column: str, others: Iterable[str] = OTHERS) -> bool:
    """Whether DEXIN's is the least in every cell."""
    own, theirs = rows.where(variant="dexin"), [rows.where(variant=each) for each in others]
    if not len(own) or any(len(each) != len(own) for each in theirs):
        raise LookupError("not measured")
    return all(
        mine <= least
        for mine, *rest in zip(own.column(column), *(each.column(column) for each in theirs), strict=True)
        for least in rest
    )


def each_of(rows: Rows, column: str, variants: Iterable[str] = NAMES) -> str:
    form = ",.0f" if column in ("bytes", "add_us") else ".3g"
    named = (f"{NAMES.get(each, each)} {mean(rows, each, column):{form}}" for each in variants)
    return ", ".join(named) + "."


def grows_least(rows: Rows) -> bool:
    """In milliseconds for each subscription more, which is the slope of the curve."""

    def slope(variant: str) -> float:
        times = rows.where(variant=variant).column("ms")
        if len(times) < 2:
            raise LookupError("not measured")
        return float(times[-1] - times[0])

    return all(slope("dexin") < slope(each) for each in OTHERS)


def late_growth(rows: Rows, variant: str) -> float:
    return float(
        rows.one(variant=variant, attributes=22)["ms"] / rows.one(variant=variant, attributes=6)["ms"]
    )
