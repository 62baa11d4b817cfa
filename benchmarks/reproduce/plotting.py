"""The picture of a figure, by matplotlib: our lines, and the paper's numbers as crosses."""

from pathlib import Path
from typing import Any

from benchmarks.reproduce.figure import Figure, Plot, Rows

SIZE = 8.0, 5.0  # inches
COLOURS = ("#8c959f", "#1f6feb", "#1a7f64", "#b35900", "#24292f", "#8250df", "#cf222e", "#bf3989")
INK = "#24292f"
LONGEST_LABELS = 80  # characters; longer ones, all together, are turned
MARKERS = "osD^vP*X"


def draw(figure: Figure, rows: Rows, path: Path) -> None:
    """Write it as PNG; matplotlib is loaded here, since nothing else needs it."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=SIZE, layout="constrained")
    axes = canvas.subplots()
    plot = figure.plot
    if plot.is_bars or any(isinstance(row[plot.x], str) for row in rows):
        _bars(axes, plot, rows)
    else:
        _lines(axes, plot, rows)
    axes.set_title(figure.title, loc="left", fontsize=11)
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.y_label)
    if plot.is_log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter("{x:,.0f}" if axes.get_ylim()[1] > 20 else "{x:g}")
    axes.grid(axis="y", color="#e4e8ec")
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    canvas.savefig(path, dpi=120, metadata={"Software": None})


def _lines(axes: Any, plot: Plot, rows: Rows) -> None:
    if plot.is_log_x:
        axes.set_xscale("log")
    else:
        axes.xaxis.set_major_formatter("{x:,.0f}")
    for number, line in enumerate(plot.lines):
        colour = COLOURS[number % len(COLOURS)]
        points = [(row[plot.x], row[line.column]) for row in rows.where(**line.where) if line.column in row]
        if points:
            marker = MARKERS[number % len(MARKERS)]
            axes.plot(*zip(*points, strict=True), color=colour, marker=marker, markersize=4, label=line.label)
        if line.paper:
            label = f"{line.label}, the paper"
            axes.scatter(*zip(*line.paper.items(), strict=True), color=colour, marker="x", s=70, label=label)


def _bars(axes: Any, plot: Plot, rows: Rows) -> None:
    places = list(dict.fromkeys(str(row[plot.x]) for row in rows))
    width = 0.8 / len(plot.lines)
    for number, line in enumerate(plot.lines):
        heights = {
            str(row[plot.x]): row[line.column] for row in rows.where(**line.where) if line.column in row
        }
        offset = (number - (len(plot.lines) - 1) / 2) * width
        at = [places.index(name) + offset for name in heights]
        colour = COLOURS[number % len(COLOURS)]
        axes.bar(at, list(heights.values()), width * 0.92, color=colour, label=line.label)
        crosses = {places.index(str(x)) + offset: y for x, y in line.paper.items() if str(x) in places}
        if crosses:
            label = f"{line.label}, the paper"
            axes.scatter(
                *zip(*crosses.items(), strict=True), color=INK, marker="x", s=60, zorder=3, label=label
            )
    axes.set_xticks(range(len(places)), places)
    if sum(map(len, places)) > LONGEST_LABELS:
        axes.tick_params(axis="x", rotation=35)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
