"""Which figures there are."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from benchmarks.reproduce.figure import Figure

MODULES: tuple[str, ...] = (
    "benchmarks.reproduce.paper_000",
    "benchmarks.reproduce.paper_001",
    "benchmarks.reproduce.paper_002",
    "benchmarks.reproduce.paper_003",
    "benchmarks.reproduce.paper_004",
)
"""Each has a tuple `FIGURES`."""


class UnknownFigureError(Exception):
    """The message says what there is."""


@cache
def figures() -> dict[str, Figure]:
    """By name, in the order of the papers."""
    every = [figure for module in sorted(MODULES) for figure in import_module(module).FIGURES]
    return {figure.name: figure for figure in every}


def figure(name: str) -> Figure:
    """Raises UnknownFigureError."""
    known = figures()
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1, cutoff=0.0)
    hint = f"; did you mean {near[0]}?" if near else "."
    raise UnknownFigureError(f"There is no figure {name!r}{hint}")
