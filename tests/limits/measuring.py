"""The fixture `measured`, to which a test hands a figure that has a limit.

The report of a run lists all of them; `--limits FILE` adds them to a file, of which
`python -m tests.limits.page` makes the table in docs/reliability.md.
"""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from benchmarks import machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    what: str
    figure: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    database: str = ""

    @property
    def is_within(self) -> bool:
        not_above = self.at_most is None or self.figure <= self.at_most
        return not_above and (self.at_least is None or self.figure >= self.at_least)

    @property
    def limit(self) -> str:
        if self.at_most == self.at_least:
            return f"{self.at_most:,g}"
        bounds = [("at most", self.at_most), ("at least", self.at_least)]
        return " and ".join(f"{words} {bound:,g}" for words, bound in bounds if bound is not None)

    def __str__(self) -> str:
        return f"{self.what}: {shown(self.figure)} {self.unit}".rstrip() + f" ({self.limit})"


class Measured:
    """What a test calls with its figures."""

    def __init__(self, figures: list[Figure], database: str) -> None:
        self._figures = figures
        self._database = database

    def __call__(
        self,
        what: str,
        figure: float,
        unit: str = "",
        *,
        at_most: float | None = None,
        at_least: float | None = None,
        slowness: float = 1.0,
    ) -> None:
        """Keep it, and fail if it is beyond its limit.

        Seconds are so many times as long where other tests run beside: the test fails beyond that. What is
        saved for the page must be within the limit itself.
        """
        kept = Figure(
            what=what,
            figure=figure,
            unit=unit,
            at_most=at_most,
            at_least=at_least,
            database=self._database,
        )
        self._figures.append(kept)
        most = None if at_most is None else at_most * slowness
        assert replace(kept, at_most=most).is_within, kept


_FIGURES = pytest.StashKey[list[Figure]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--limits", type=Path, metavar="FILE", help="add the figures that have a limit to this")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_FIGURES] = []


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Measured:
    is_postgresql = os.environ.get("DATABASE_URL", "").startswith("postgres")
    is_on_both = request.node.get_closest_marker("database") is not None
    database = ("PostgreSQL" if is_postgresql else "SQLite") if is_on_both else ""
    return Measured(request.config.stash[_FIGURES], database)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    figures = config.stash[_FIGURES]
    if not figures:
        return
    terminalreporter.section("figures that have a limit")
    for figure in figures:
        terminalreporter.write_line(f"{figure} {figure.database}".rstrip())
    if path := config.getoption("--limits"):
        with path.open("a") as file:
            for figure in figures:
                file.write(json.dumps(asdict(figure) | {"machine": machine.description()}) + "\n")


def shown(figure: float) -> str:
    return f"{figure:,.0f}" if figure == int(figure) or figure >= 100 else f"{figure:.3g}"
