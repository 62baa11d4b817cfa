"""What a figure of a paper is, for us to measure it again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from benchmarks.own_process import Report

Cell = Mapping[str, Any]
"""The parameters of one point of a figure: JSON, and all that it depends on besides the code."""

Row = Mapping[str, Any]
"""The parameters of a cell and what was measured of it."""

Measured = TypeVar("Measured")
"""What claims are judged by: the rows of a figure, or those of all."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What was measured of a figure, in the order of its cells; cells not yet measured are missing."""

    every: Sequence[Row]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.every)

    def __len__(self) -> int:
        return len(self.every)

    def where(self, **parameters: Any) -> "Rows":
        """Those with these parameters."""
        chosen = [
            row for row in self.every if all(row.get(name) == value for name, value in parameters.items())
        ]
        return Rows(chosen)

    def one(self, **parameters: Any) -> Row:
        """The only one with these parameters. Raises LookupError if it was not measured."""
        chosen = self.where(**parameters).every
        if len(chosen) != 1:
            raise LookupError(f"{len(chosen)} rows have {parameters}")
        return chosen[0]

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self.every]


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper says, in words and numbers, and what we say to it.

    `measured` gives the sentence beside it, made of the rows, and `holds` whether the claim is true of them.
    Both may raise LookupError where the cells they need are not measured. `why` says why it does not hold, if
    it does not: a sentence, or one made of the rows.
    """

    said: str
    measured: Callable[[Rows], str]
    holds: Callable[[Rows], bool]
    why: str | Callable[[Rows], str] = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, or group of bars, of the picture: this column of the rows with these parameters.

    `paper` are the points that the paper gives in its words, drawn as crosses.
    """

    label: str
    column: str
    where: Mapping[str, Any] = field(default_factory=dict)
    paper: Mapping[Any, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plot:
    """`x` is the column across; where its values are words, or `is_bars`, it is drawn as bars."""

    x: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    is_bars: bool = False
    is_log_x: bool = False
    is_log_y: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """`measure(cell, *, paper, report)` gives the numbers of a cell; it is a function of a module, since it
    may run in another process. With `paper` it does everything as often as the paper did, otherwise as often
    as a good estimate needs. `version` is part of what results are kept under: raise it when the measurement
    means something else. `notes` is Markdown below the claims: where we differ, and why. `weight` is how long
    a cell takes relative to others, for the estimate of the time left. `columns` are those of the table on
    the page, with their headings; all go into the CSV file. `same_as` names a figure with the same cells and
    measurement, of which this one shows another column: what is saved of one is saved of both.
    """

    name: str
    title: str
    source: str
    claims: tuple[Claim, ...]
    cells: tuple[Cell, ...]
    measure: Callable[..., dict[str, Any]]
    plot: Plot
    columns: Mapping[str, str]
    notes: Callable[[Rows], str] = lambda rows: ""
    version: int = 1
    weight: Callable[[Cell], float] = lambda cell: 1.0
    is_in_own_process: bool = True
    most_seconds: float | None = None
    same_as: str | None = None

    def numbers(self, cell: Cell, *, paper: bool, report: Report) -> dict[str, Any]:
        return self.measure(dict(cell), paper=paper, report=report)


def with_why(remark: str, why: str | Callable[[Measured], str], of: Measured) -> str:
    """The remark on a claim that does not hold, with the reason if there is one."""
    reason = why if isinstance(why, str) else why(of)
    return f"{remark} *Why:* {reason}" if reason else remark


def shown(value: Any) -> str:
    """As in all tables: three digits that count, and thousands apart."""
    match value:
        case None:
            return ""
        case bool() | str():
            return str(value)
        case int():
            return f"{value:,}"
        case float() if abs(value) >= 100:
            return f"{value:,.0f}"
        case _:
            return f"{value:.3g}"
