"""The pictures of the page. The engine is blue, `limit` is black, all others are grey."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.cell import ENGINE, LIMIT
from benchmarks.performance.drawing import (
    AMBER,
    BLUE,
    FAINT,
    GREEN,
    GREY,
    GRID,
    INK,
    Drawing,
    LogScale,
    Point,
    apart,
    short,
)

WIDTH = 760
COLOURS = {ENGINE: BLUE, LIMIT: INK}
LINE_COLOURS = (BLUE, GREEN, AMBER)
PART_COLOURS = (GREY, FAINT, BLUE, INK)


@dataclass(frozen=True, slots=True)
class Panel:
    """A small plot of several lines."""

    title: str
    lines: Mapping[str, Sequence[Point]]


def strips(title: str, unit: str, rows: Mapping[str, Mapping[str, float]]) -> Drawing:
    """For each workload a line with a dot for each algorithm; the engine and the best of the others named."""
    left, top, step = 110, 56, 46
    drawing = Drawing(WIDTH, top + step * len(rows) + 34, title)
    drawing.words((16, 24), title, size=15)
    numbers = [number for row in rows.values() for number in row.values()]
    scale = LogScale.of(numbers, left, WIDTH - 60)
    bottom = top + step * len(rows) - 8
    for tick in scale.ticks():
        drawing.line([(scale(tick), top - 12), (scale(tick), bottom)], GRID)
        drawing.words((scale(tick), bottom + 16), f"{short(tick)} {unit}", colour=FAINT, anchor="middle")
    for place, (name, row) in enumerate(rows.items()):
        _strip(drawing, scale, name, row, top + step * place + step / 2 - 8)
    _legend(drawing)
    return drawing


def _strip(drawing: Drawing, scale: LogScale, name: str, row: Mapping[str, float], y: float) -> None:
    drawing.words((16, y + 4), name)
    drawing.line([(scale.start, y), (scale.end, y)], GRID)
    others = {each: number for each, number in row.items() if each not in COLOURS}
    for number in others.values():
        drawing.dot((scale(number), y), GREY)
    if others:
        best = min(others, key=others.__getitem__)
        drawing.dot((scale(others[best]), y), FAINT)
        drawing.words(
            (scale(others[best]), y + 18),
            f"{best} {short(others[best])}",
            colour=FAINT,
            anchor="middle",
            size=11,
        )
    if LIMIT in row:
        x = scale(row[LIMIT])
        drawing.line([(x, y - 8), (x, y + 8)], INK, width=2.5)
    if ENGINE in row:
        drawing.dot((scale(row[ENGINE]), y), BLUE, radius=5)
        drawing.words((scale(row[ENGINE]), y - 10), short(row[ENGINE]), colour=BLUE, anchor="middle")


def _legend(drawing: Drawing) -> None:
    x, y = WIDTH - 250.0, 20.0
    drawing.dot((x, y), BLUE, radius=5)
    drawing.words((x + 10, y + 4), "engine", colour=BLUE)
    drawing.line([(x + 72, y - 8), (x + 72, y + 8)], INK, width=2.5)
    drawing.words((x + 80, y + 4), "limit")
    drawing.dot((x + 130, y), FAINT)
    drawing.words((x + 140, y + 4), "other matchers", colour=FAINT)


def panels(title: str, axes: str, every: Sequence[Panel], *, to_a_row: int = 3) -> Drawing:
    """Small plots side by side on the same two logarithmic scales, each line named at its end."""
    rows = -(-len(every) // to_a_row)
    wide, high = (WIDTH - 16) / to_a_row, 190.0 if to_a_row > 1 else 300.0
    drawing = Drawing(WIDTH, 60 + high * rows, title)
    drawing.words((16, 24), title, size=15)
    drawing.words((16, 42), axes, colour=FAINT)
    points = [point for panel in every for line in panel.lines.values() for point in line]
    for place, panel in enumerate(every):
        left, top = 16 + wide * (place % to_a_row), 60 + high * (place // to_a_row)
        across = LogScale.of([x for x, _ in points], left + 34, left + wide - 96)
        upwards = LogScale.of([y for _, y in points], top + high - 34, top + 22)
        _panel(drawing, panel, across, upwards)
    return drawing


def _panel(drawing: Drawing, panel: Panel, across: LogScale, upwards: LogScale) -> None:
    drawing.words((across.start, upwards.end - 8), panel.title)
    for tick in upwards.ticks():
        at = across.start - 5, upwards(tick) + 4
        drawing.line([(across.start, upwards(tick)), (across.end, upwards(tick))], GRID)
        drawing.words(at, short(tick), colour=FAINT, anchor="end", size=10)
    for tick in across.ticks():
        at = across(tick), upwards.start + 15
        drawing.words(at, short(tick), colour=FAINT, anchor="middle", size=10)
    lines = {name: [(across(x), upwards(y)) for x, y in line] for name, line in panel.lines.items() if line}
    for number, (name, line) in enumerate(lines.items()):
        colour = _colour(name, number, lines)
        drawing.line(line, colour, width=2, is_dashed=name == LIMIT)
        for point in line:
            drawing.dot(point, colour, radius=2.5)
    _name_lines(drawing, lines)


def _name_lines(drawing: Drawing, lines: Mapping[str, Sequence[Point]]) -> None:
    """To the right of those that go on to the end; others, which have lines beside them, above or below."""
    last = max((line[-1][0] for line in lines.values()), default=0.0)
    reaching = [name for name, line in lines.items() if line[-1][0] == last]
    heights = dict(zip(reaching, apart([lines[name][-1][1] for name in reaching], 13), strict=True))
    for number, (name, line) in enumerate(lines.items()):
        x, y = line[-1]
        colour = _colour(name, number, lines)
        if name in heights:
            drawing.words((x + 7, heights[name] + 4), name, colour=colour, size=11)
            continue
        is_covered = any(at == x and 0 < y - height < 25 for other in lines.values() for at, height in other)
        drawing.words((x, y + (16 if is_covered else -8)), name, colour=colour, anchor="end", size=11)


def _colour(name: str, number: int, lines: Mapping[str, object]) -> str:
    """Of an algorithm its own; lines of other things, workloads say, are told apart by theirs."""
    if ENGINE in lines or LIMIT in lines:
        return COLOURS.get(name, FAINT)
    return LINE_COLOURS[number % len(LINE_COLOURS)]


def bars(
    title: str, unit: str, rows: Mapping[str, Mapping[str, float]], *, mark: tuple[float, str] | None = None
) -> Drawing:
    """For each row a bar of its parts one after the other; a mark for the figure to reach."""
    left, top, step = 130.0, 76.0, 40.0
    drawing = Drawing(WIDTH, top + step * len(rows) + 16, title)
    drawing.words((16, 24), title, size=15)
    longest = max([sum(row.values()) for row in rows.values()] + ([mark[0]] if mark else []))
    of_one = (WIDTH - left - 110) / longest
    _names_of_parts(drawing, rows)
    for place, (name, row) in enumerate(rows.items()):
        x, y = left, top + step * place
        drawing.words((16, y + 17), name)
        for number, length in enumerate(row.values()):
            drawing.bar((x, y), length * of_one, 24, _part_colour(number, row))
            x += length * of_one
        drawing.words((x + 7, y + 17), f"{sum(row.values()):.3g} {unit}")
    if mark:
        x = left + mark[0] * of_one
        drawing.line([(x, top - 8), (x, top + step * len(rows) - 8)], INK, width=1.5, is_dashed=True)
        drawing.words((x, top - 14), mark[1], anchor="middle", size=11)
    return drawing


def _names_of_parts(drawing: Drawing, rows: Mapping[str, Mapping[str, float]]) -> None:
    x = 16.0
    row = next(iter(rows.values()))
    for number, part in enumerate(row if len(row) > 1 else ()):
        drawing.bar((x, 35), 11, 11, _part_colour(number, row))
        drawing.words((x + 16, 45), part, colour=FAINT)
        x += 40 + 7 * len(part)


def _part_colour(number: int, row: Mapping[str, float]) -> str:
    return PART_COLOURS[number % len(PART_COLOURS)] if len(row) > 1 else BLUE
