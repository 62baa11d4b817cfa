"""A drawing as SVG: lines, dots, bars and words, and scales to place them by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from math import ceil, floor, log10

INK, FAINT, GRID = "#24292f", "#8c959f", "#e4e8ec"
BLUE, GREEN, AMBER, GREY = "#1f6feb", "#1a7f64", "#b35900", "#c3cad1"
FONT = "system-ui, sans-serif"

Point = tuple[float, float]


@dataclass(slots=True)
class Drawing:
    """White, so that it can be read on a dark page too."""

    width: float
    height: float
    title: str
    parts: list[str] = field(default_factory=list)

    def line(
        self, points: Iterable[Point], colour: str, *, width: float = 1.0, is_dashed: bool = False
    ) -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if is_dashed else ""
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>'
        )

    def dot(self, at: Point, colour: str, *, radius: float = 4.0) -> None:
        self.parts.append(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}" fill="{colour}"/>')

    def bar(self, at: Point, width: float, height: float, colour: str) -> None:
        x, y = at
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
        )

    def words(
        self, at: Point, said: str, *, colour: str = INK, anchor: str = "start", size: int = 12
    ) -> None:
        self.parts.append(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{colour}" font-size="{size}"'
            f' text-anchor="{anchor}">{escape(said)}</text>'
        )

    def svg(self) -> str:
        size = f'viewBox="0 0 {self.width:g} {self.height:g}"'
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}">'
        title = f"<title>{escape(self.title)}</title>"
        background = '<rect width="100%" height="100%" fill="#ffffff"/>'
        return "\n".join((opening, title, background, *self.parts, "</svg>\n"))


@dataclass(frozen=True, slots=True)
class LogScale:
    """Places numbers between whole powers of ten on a stretch of the drawing."""

    first_power: int
    last_power: int
    start: float
    end: float

    @classmethod
    def of(cls, numbers: Iterable[float], start: float, end: float) -> "LogScale":
        logarithms = [log10(number) for number in numbers]
        first = floor(min(logarithms, default=0.0))
        return cls(first, max(ceil(max(logarithms, default=0.0)), first + 1), start, end)

    def __call__(self, number: float) -> float:
        share = (log10(number) - self.first_power) / (self.last_power - self.first_power)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self.first_power, self.last_power + 1)]


def apart(places: Sequence[float], least: float) -> list[float]:
    """The places, moved down where they are closer than this, in the order given."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for before, here in pairwise(order):
        moved[here] = max(moved[here], moved[before] + least)
    return moved


def short(number: float) -> str:
    """1 us, 250k, 5M: for axes and labels."""
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if number >= unit:
            return f"{number / unit:.3g}{name}"
    return f"{number:.3g}"
