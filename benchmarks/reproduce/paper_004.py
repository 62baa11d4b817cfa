"""Figures 2 to 17 of paper 004 (Fan et al., DEXIN): six matchers on ranges over numbers."""

from collections.abc import Callable

from benchmarks.reproduce import paper_004_words as words
from benchmarks.reproduce import ranges
from benchmarks.reproduce.figure import Cell, Claim, Figure, Plot, Rows
from benchmarks.reproduce.paper_004_cells import COLUMNS, MILLION, cells_of, lines_of, weight
from benchmarks.reproduce.paper_004_comparing import (
    NAMES,
    OTHERS,
    SOURCE,
    each_of,
    grows_least,
    growth,
    is_least,
    late_growth,
    mean,
    shares,
)
from benchmarks.reproduce.paper_004_orders import ORDERS

LINKED, INCLUSIVE, EXCLUSIVE = "dexin, linked", "dexin, inclusive", "dexin, exclusive"
MS, DEVIATION = "ms per event", "standard deviation, ms"


NOT_IN_PROPORTION = (
    "what an entry costs differs by structure, and not as in Java; the page has what each matcher looked at."
)


def _fastest(said: str) -> Claim:
    return Claim(
        said,
        lambda rows: f"DEXIN takes {shares(rows)}.",
        lambda rows: is_least(rows, "ms"),
        NOT_IN_PROPORTION,
    )


def _growths(said: str, holds: Callable[[Rows], bool]) -> Claim:
    def measured(rows: Rows) -> str:
        each = ", ".join(f"{NAMES[variant]} {growth(rows, variant):.2f}" for variant in NAMES)
        return f"From the first to the last value time grows by these factors: {each}."

    return Claim(said, measured, holds, NOT_IN_PROPORTION)


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
        (
            _fastest(
                "DEXIN is the fastest at every N: on average it takes 20.18% of TAMA's time, 64.28% of"
                " H-Tree's, 68.36% of BE-Tree's, 26.4% of OpIndex's, 38.49% of REIN's."
            ),
            _growths("All grow with N, DEXIN least.", grows_least),
        ),
        Plot("subscriptions", "subscriptions", MS, lines_of("ms")),
    ),
    _figure(
        3,
        "Deviation of time by number of subscriptions",
        "4.1.1",
        SIZES,
        (
            Claim(
                "DEXIN has the lowest standard deviation at every N; the means are TAMA 27.49, H-Tree 36.02,"
                " BE-Tree 5.74, OpIndex 13.39, REIN 11.87, DEXIN 1.52.",
                lambda rows: each_of(rows, "std_ms"),
                lambda rows: is_least(rows, "std_ms"),
            ),
        ),
        Plot("subscriptions", "subscriptions", DEVIATION, lines_of("std_ms")),
        same_as="004-fig2",
    ),
    _figure(
        4,
        "Time by number of attributes",
        "4.1.2",
        ATTRIBUTES,
        (
            _growths(
                "TAMA, BE-Tree, OpIndex and REIN grow with M; DEXIN rises slightly up to 6 and then stays.",
                lambda rows: (
                    all(growth(rows, each) > 1.5 for each in ("tama", "be-tree", "opindex", "rein"))
                    and late_growth(rows, "dexin") < 1.3
                ),
            ),
        ),
        Plot("attributes", "attributes", MS, lines_of("ms")),
    ),
    _figure(
        5,
        "Deviation of time by number of attributes",
        "4.1.2",
        ATTRIBUTES,
        (
            Claim(
                "DEXIN is the most stable; the means are TAMA 28.13, H-Tree 39.32, BE-Tree 6.17, OpIndex"
                " 11.38, REIN 11.47, DEXIN 1.7.",
                lambda rows: each_of(rows, "std_ms"),
                lambda rows: all(
                    mean(rows, "dexin", "std_ms") < mean(rows, each, "std_ms") for each in OTHERS
                ),
            ),
        ),
        Plot("attributes", "attributes", DEVIATION, lines_of("std_ms")),
        same_as="004-fig4",
    ),
    _figure(
        6,
        "Time by width of ranges",
        "4.1.3",
        WIDTHS,
        (
            _growths(
                "TAMA and, above 0.3, H-Tree grow rapidly with the width, REIN falls, DEXIN hardly changes.",
                lambda rows: (
                    growth(rows, "tama") > 2
                    and growth(rows, "h-tree") > 2
                    and growth(rows, "rein") < 1
                    and 0.5 < growth(rows, "dexin") < 2
                ),
            ),
            Claim(
                "H-Tree is the fastest up to a width of 0.3.",
                lambda rows: each_of(rows.where(width=0.1), "ms"),
                lambda rows: (
                    mean(rows.where(width=0.1), "h-tree")
                    == min(mean(rows.where(width=0.1), each) for each in NAMES)
                ),
            ),
        ),
        Plot("width", "width of ranges", MS, lines_of("ms")),
    ),
    *(
        _figure(
            number,
            f"Time by {what}, Zipf distribution",
            "4.1.4",
            cells_of(x, values, zipf=1.0),
            (_fastest("DEXIN is affected least by the distribution, and is the fastest."),),
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
        (
            _fastest("DEXIN outperforms the others by more than 26.88%."),
            _growths(
                "All increase very slowly below a cardinality of 1,000, then stay.",
                lambda rows: all(growth(rows, each) < 1.5 for each in NAMES),
            ),
        ),
        Plot("cardinality", "values of an attribute", MS, lines_of("ms"), is_log_x=True),
    ),
    _figure(
        11,
        "Time by share of points",
        "4.1.6",
        cells_of("point_share", (0.1, 0.5, 0.9)),
        (
            _growths(
                "TAMA, H-Tree, BE-Tree and OpIndex fall as points become more, REIN and DEXIN stay flat.",
                lambda rows: (
                    all(growth(rows, each) < 0.8 for each in ("tama", "h-tree", "be-tree", "opindex"))
                    and all(0.7 < growth(rows, each) < 1.4 for each in ("rein", "dexin"))
                ),
            ),
        ),
        Plot("point_share", "share of points", MS, lines_of("ms")),
    ),
    _figure(
        12,
        "Time by matching rate",
        "4.1.7",
        cells_of("matching_rate", (0.001, 0.02, 0.2)),
        (
            _growths(
                "TAMA, H-Tree, BE-Tree and OpIndex grow with the rate, REIN falls, DEXIN is stable.",
                lambda rows: (
                    all(growth(rows, each) > 1 for each in ("tama", "h-tree", "be-tree", "opindex"))
                    and growth(rows, "rein") < 1
                    and 0.5 < growth(rows, "dexin") < 2
                ),
            ),
            _fastest("DEXIN wins over the next best, BE-Tree, by 42.46% on average."),
        ),
        Plot("matching_rate", "share of subscriptions that match", MS, lines_of("ms"), is_log_x=True),
    ),
    _figure(
        13,
        "Time to subscribe",
        "4.2.1",
        SIZES,
        (
            Claim(
                "DEXIN subscribes faster than TAMA, H-Tree, BE-Tree and OpIndex, slightly slower than REIN,"
                " and with linked lists as fast as REIN.",
                lambda rows: each_of(rows, "add_us", (*NAMES, LINKED)),
                lambda rows: (
                    mean(rows, "dexin", "add_us")
                    < min(mean(rows, each, "add_us") for each in ("tama", "h-tree", "be-tree", "opindex"))
                ),
            ),
        ),
        Plot("subscriptions", "subscriptions", "us to add one", lines_of("add_us", (*NAMES, LINKED))),
        notes=words.subscribing,
        same_as="004-fig2",
    ),
    _figure(
        14,
        "Memory",
        "4.2.2",
        SIZES,
        (
            Claim(
                "DEXIN's memory is low, only slightly more than REIN's, and with linked lists the same.",
                lambda rows: each_of(rows, "bytes", (*NAMES, LINKED)),
                lambda rows: mean(rows, "dexin", "bytes") < 1.1 * mean(rows, "rein", "bytes"),
                "beside its slots ours has the ends of all intervals in arrays, for the inclusive method.",
            ),
        ),
        Plot("subscriptions", "subscriptions", "bytes/subscription", lines_of("bytes", (*NAMES, LINKED))),
        notes=words.memory,
        same_as="004-fig2",
    ),
)

METHODS = ("dexin", INCLUSIVE, EXCLUSIVE)
FIGURE_17 = _figure(
    17,
    "The two methods alone, by matching rate",
    "4.4",
    cells_of("matching_rate", (0.001, 0.02, 0.2), METHODS),
    (
        Claim(
            "With the rate the inclusive method alone takes longer, the exclusive one shorter; both together"
            " are the fastest throughout.",
            lambda rows: each_of(rows, "ms", METHODS),
            lambda rows: (
                growth(rows, INCLUSIVE) > 1 > growth(rows, EXCLUSIVE)
                and is_least(rows, "ms", (INCLUSIVE, EXCLUSIVE))
            ),
            "the first inclusive step runs over two arrays from end to end, which a processor likes better"
            " than"
            " striking out entries all over memory.",
        ),
        Claim(
            "(Our own.) Both together traverse the fewest subscriptions, which is what the order minimises.",
            lambda rows: each_of(rows, "traversed", METHODS),
            lambda rows: is_least(rows, "traversed", (INCLUSIVE, EXCLUSIVE)),
        ),
    ),
    Plot("matching_rate", "share that match", MS, lines_of("ms", METHODS), is_log_x=True),
    notes=words.methods,
)


FIGURES = (*MATCHING, *ORDERS, FIGURE_17)
