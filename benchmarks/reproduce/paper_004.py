"""Figures 2 to 17 of paper 004 (Fan et al., DEXIN): six matchers on ranges over numbers."""

from collections.abc import Callable

from benchmarks.reproduce import paper_004_claims as claimed
from benchmarks.reproduce import paper_004_words as words
from benchmarks.reproduce import ranges
from benchmarks.reproduce.figure import Cell, Claim, Figure, Plot, Rows
from benchmarks.reproduce.paper_004_cells import COLUMNS, MILLION, cells_of, lines_of, weight
from benchmarks.reproduce.paper_004_claims import LINKED, METHODS
from benchmarks.reproduce.paper_004_comparing import NAMES, SOURCE
from benchmarks.reproduce.paper_004_orders import ORDERS

MS, DEVIATION = "ms per event", "standard deviation, ms"


def _figure(
    number: int,
    title: str,
    section: str,
    cells: tuple[Cell, ...],
    claims: tuple[Claim, ...],
    plot: Plot,
    *,
    notes: Callable[[Rows], str] = words.times,
    same_as: str | None = None,
) -> Figure:
    return Figure(
        name=f"004-fig{number}",
        title=title,
        source=SOURCE.format(f"section {section}, figure {number}"),
        claims=claims,
        cells=cells,
        measure=ranges.measure,
        plot=plot,
        columns={plot.x: plot.x_label, **COLUMNS},
        notes=notes,
        weight=weight,
        same_as=same_as,
    )


SIZES = cells_of("subscriptions", (250_000, 500_000, MILLION, 1_750_000), (*NAMES, LINKED))
ATTRIBUTES = cells_of("attributes", (2, 6, 10, 14, 22))
WIDTHS = cells_of("width", (0.1, 0.3, 0.5, 0.7, 0.9))

MATCHING = (
    _figure(
        2,
        "Time by number of subscriptions",
        "4.1.1",
        SIZES,
        claimed.FIGURE_2,
        Plot("subscriptions", "subscriptions", MS, lines_of("ms")),
    ),
    _figure(
        3,
        "Deviation of time by number of subscriptions",
        "4.1.1",
        SIZES,
        claimed.FIGURE_3,
        Plot("subscriptions", "subscriptions", DEVIATION, lines_of("std_ms")),
        notes=words.deviations,
        same_as="004-fig2",
    ),
    _figure(
        4,
        "Time by number of attributes",
        "4.1.2",
        ATTRIBUTES,
        claimed.FIGURE_4,
        Plot("attributes", "attributes", MS, lines_of("ms")),
    ),
    _figure(
        5,
        "Deviation of time by number of attributes",
        "4.1.2",
        ATTRIBUTES,
        claimed.FIGURE_5,
        Plot("attributes", "attributes", DEVIATION, lines_of("std_ms")),
        notes=words.deviations,
        same_as="004-fig4",
    ),
    _figure(
        6,
        "Time by width of ranges",
        "4.1.3",
        WIDTHS,
        claimed.FIGURE_6,
        Plot("width", "width of ranges", MS, lines_of("ms")),
    ),
    *(
        _figure(
            number,
            f"Time by {what}, Zipf distribution",
            "4.1.4",
            cells_of(x, values, zipf=1.0),
            claimed.ZIPF,
            Plot(x, what, MS, lines_of("ms")),
            notes=words.zipf,
        )
        for number, x, what, values in (
            (7, "subscriptions", "number of subscriptions", (250_000, MILLION, 1_750_000)),
            (8, "attributes", "number of attributes", (4, 10, 22)),
            (9, "width", "width of ranges", (0.1, 0.5, 0.9)),
        )
    ),
    _figure(
        10,
        "Time by cardinality of values",
        "4.1.5",
        cells_of("cardinality", (100, 10_000, MILLION)),
        claimed.FIGURE_10,
        Plot("cardinality", "values of an attribute", MS, lines_of("ms"), is_log_x=True),
    ),
    _figure(
        11,
        "Time by share of points",
        "4.1.6",
        cells_of("point_share", (0.1, 0.5, 0.9)),
        claimed.FIGURE_11,
        Plot("point_share", "share of points", MS, lines_of("ms")),
    ),
    _figure(
        12,
        "Time by matching rate",
        "4.1.7",
        cells_of("matching_rate", (0.001, 0.02, 0.2)),
        claimed.FIGURE_12,
        Plot("matching_rate", "share of subscriptions that match", MS, lines_of("ms"), is_log_x=True),
    ),
    _figure(
        13,
        "Time to subscribe",
        "4.2.1",
        SIZES,
        claimed.FIGURE_13,
        Plot(
            "subscriptions",
            "subscriptions",
            "s to take them all",
            lines_of("load_seconds", (*NAMES, LINKED)),
        ),
        notes=words.subscribing,
        same_as="004-fig2",
    ),
    _figure(
        14,
        "Memory",
        "4.2.2",
        SIZES,
        claimed.FIGURE_14,
        Plot("subscriptions", "subscriptions", "bytes/subscription", lines_of("bytes", (*NAMES, LINKED))),
        notes=words.memory,
        same_as="004-fig2",
    ),
)

FIGURE_17 = _figure(
    17,
    "The two methods alone, by matching rate",
    "4.4",
    cells_of("matching_rate", (0.001, 0.02, 0.2), METHODS),
    claimed.FIGURE_17,
    Plot("matching_rate", "share that match", MS, lines_of("ms", METHODS), is_log_x=True),
    notes=words.methods,
)


FIGURES = (*MATCHING, *ORDERS, FIGURE_17)
