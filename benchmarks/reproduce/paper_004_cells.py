"""What is measured for the figures of paper 004, and how it is tabled and drawn."""

from collections.abc import Iterable
from typing import Any

from benchmarks.reproduce.figure import Cell, Line
from benchmarks.reproduce.paper_004_comparing import NAMES

MILLION = 1_000_000
COLUMNS = {
    "variant": "matcher",
    "ms": "ms",
    "std_ms": "std, ms",
    "p99_ms": "p99, ms",
    "traversed": "traversed",
    "matching": "matching",
    "wrong": "wrong",
    "add_us": "add, us",
    "bytes": "bytes",
    "load_seconds": "load, s",
    "events_taken": "events",
    "half_width": "95% ±",
}


def cells_of(
    x: str, values: Iterable[Any], variants: Iterable[str] = NAMES, **fixed: Any
) -> tuple[Cell, ...]:
    """Every variant at every value of x; a width is both the least and the greatest."""
    return tuple(
        {
            "variant": variant,
            "subscriptions": MILLION,
            **fixed,
            x: value,
            **({"min_width": value, "max_width": value} if x == "width" else {}),
        }
        for value in values
        for variant in variants
    )


def lines_of(column: str, variants: Iterable[str] = NAMES) -> tuple[Line, ...]:
    return tuple(Line(NAMES.get(each, each), column, {"variant": each}) for each in variants)


def weight(cell: Cell) -> float:
    return float(cell["subscriptions"] * (5 + cell.get("attributes", 10)))
