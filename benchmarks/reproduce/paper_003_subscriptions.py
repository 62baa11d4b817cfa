"""Figures 3 and 4 and tables 1 and 2 of paper 003: who has the satisfied predicates, on W4."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from statistics import fmean

from benchmarks.reproduce import paper_003_words as words
from benchmarks.reproduce import stages
from benchmarks.reproduce.figure import Cell, Claim, Figure, Line, Plot, Rows, shown

SOURCE = "Paper 003, Ashayer, Leung and Jacobsen (ToPSS), {}."
MEASURED_AS = "003-fig3"
LIST, BIT, BYTE, SORTED = "list", "bit", "byte", "list, predicates in lists"
GROUPING, SEQUENTIAL = "DuckDB, grouping", "DuckDB, sequential"
SQLITE = ("SQLite, grouping", "SQLite, sequential")
FEWEST, MOST = 1_000, 5_000_000
SIZES = (FEWEST, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, MOST)  # the paper's
SOME_SIZES = (FEWEST, 10_000, 100_000, 1_000_000)
LARGE = (500_000, 1_000_000, MOST)
MILLIONS = (1_000_000, MOST)
MEMORY_OF_PAPER = 1_500  # MB


def _table(*milliseconds: float) -> dict[int, float]:
    return dict(zip(SIZES, milliseconds, strict=True))


MATCHING = {
    GROUPING: _table(89.3, 206.4, 397.4, 1_800.3, 3_451.2, 17_299.7, 33_473.1, 338_166.1),
    BIT: _table(0.3, 1.9, 3.8, 20.0, 40.4, 264.0, 562.4, 1_555.7),
    LIST: _table(0.10, 0.27, 0.63, 3.85, 8.10, 79.0, 190.7, 1_056.0),
}
LOADING = {
    GROUPING: _table(52, 84, 196, 706, 1_699, 6_976, 15_658, 69_811),
    BIT: _table(6, 26, 52, 261, 523, 2_712, 5_428, 26_976),
    LIST: _table(6, 28, 58, 353, 862, 16_093, 97_746, 2_678_858),
}

COLUMNS = {
    "variant": "matcher",
    "subscriptions": "subscriptions",
    "ms": "ms",
    "predicates_ms": "stage one",
    "subscriptions_ms": "stage two",
    "load_ms": "load, ms",
    "mb": "MB",
    "mb_with_removal": "MB, to remove too",
    "add_us": "add, us",
    "remove_us": "remove, us",
    "events_taken": "events",
    "half_width": "95% ±",
}


def _cells(variants: Iterable[str], sizes: Iterable[int] = SIZES) -> tuple[Cell, ...]:
    return tuple({"variant": each, "subscriptions": size} for each in variants for size in sizes)


COUNTING = _cells((LIST, BIT, BYTE))
IN_DATABASES = (*_cells((GROUPING,)), *_cells((SEQUENTIAL, *SQLITE), SOME_SIZES))


def _at(rows: Rows, variant: str, size: int, column: str) -> float:
    return float(rows.one(variant=variant, subscriptions=size)[column])


def _ascend(rows: Rows, variants: tuple[str, ...], column: str, sizes: Iterable[int] = SIZES) -> bool:
    """Whether each takes less than the next, at every size."""
    return all(
        _at(rows, less, size, column) < _at(rows, more, size, column)
        for size in sizes
        for less, more in pairwise(variants)
    )


def _said(rows: Rows, variants: Iterable[str], column: str, sizes: Iterable[int] = MILLIONS) -> str:
    unit = "MB" if column.startswith("mb") else column[-2:]
    at_each = (
        f"at {size:,}: "
        + ", ".join(f"{each} {shown(_at(rows, each, size, column))} {unit}" for each in variants)
        for size in sizes
    )
    return f"A{'; '.join(at_each)[1:]}."


def _ratio(rows: Rows, more: str, less: str, column: str, sizes: Iterable[int] = SIZES) -> float:
    return fmean(_at(rows, more, size, column) / _at(rows, less, size, column) for size in sizes)


def _extreme(rows: Rows, variant: str, most: Callable[[Iterable[float]], float]) -> int:
    """At how many sizes it takes the least, or the most, time for stage two."""
    return sum(
        _at(rows, variant, size, "subscriptions_ms")
        == most([_at(rows, each, size, "subscriptions_ms") for each in (LIST, BIT, BYTE)])
        for size in SIZES
    )


def _no_compact_kdb(rows: Rows) -> str:
    database, bits = (_at(rows, each, MOST, "mb") * 1e6 / MOST for each in (GROUPING, BIT))
    return (
        f"for 1,000 it does, for 5 million DuckDB takes {database:.0f} bytes for a subscription: a pair of"
        " subscription and predicate is two integers of four bytes, a subscription has three on average, and"
        f" an index of the subscriptions is the rest; bits take {bits:.0f}, one for each of 400 predicates."
        " The paper's gigabyte is 200 for a subscription; what Kdb kept in it, besides the process's own, is"
        " not said."
    )


def _stage_two_decides(rows: Rows) -> str:
    lists, bits, of_sorted = (
        [_at(rows, each, MOST, stage) for stage in ("predicates_ms", "subscriptions_ms")]
        for each in (LIST, BIT, SORTED)
    )
    best = all(_ascend(rows, (LIST, other), "ms", (1_000_000,)) for other in (SORTED, BIT, GROUPING))
    return (
        f"{'at a million they do; ' if best else ''}at 5 million stage two decides, {lists[1]:.1f} ms with"
        f" lists and {bits[1]:.1f} with bits, since the hits of so many do not fit into the cache and lists"
        f" go all over them; stage one is {lists[0]:.2f} ms with tables of predicates and {of_sorted[0]:.2f}"
        " with lists of them."
    )


def _list_with_removal(rows: Rows, size: int) -> float:
    return _at(rows, LIST, size, "mb_with_removal")


def _load_growth(rows: Rows, variant: str) -> float:
    """From 100,000 to a million."""
    return _at(rows, variant, 1_000_000, "load_ms") / _at(rows, variant, 100_000, "load_ms")


def _figure(
    name: str,
    title: str,
    where: str,
    cells: tuple[Cell, ...],
    claims: tuple[Claim, ...],
    y_label: str,
    lines: tuple[Line, ...],
    notes: Callable[[Rows], str],
) -> Figure:
    return Figure(
        name=f"003-{name}",
        title=title,
        source=SOURCE.format(where),
        claims=claims,
        cells=cells,
        measure=stages.measure_subscriptions,
        plot=Plot("subscriptions", "subscriptions", y_label, lines, is_log_x=True, is_log_y=True),
        columns=COLUMNS,
        notes=notes,
        weight=lambda cell: (
            4.0 + cell["subscriptions"] / (100_000 if cell["variant"] in (LIST, BIT) else 50_000)
        ),
        most_seconds=1_800.0,
        same_as=None if f"003-{name}" == MEASURED_AS else MEASURED_AS,
    )


FIGURE_3 = _figure(
    "fig3",
    "Matching subscriptions: time of stage two",
    "section 5.1.2, figure 3",
    COUNTING,
    (
        Claim(
            "Stage two takes least with lists, and most with the matrix of bytes.",
            lambda rows: (
                _said(rows, (LIST, BIT, BYTE), "subscriptions_ms", (100_000, *MILLIONS))
                + f" Lists take least at {_extreme(rows, LIST, min)} of {len(SIZES)} sizes, bytes most at"
                f" {_extreme(rows, BYTE, max)}."
            ),
            lambda rows: _ascend(rows, (LIST, BIT, BYTE), "subscriptions_ms"),
            "a processor of today adds bytes 32 at a time, and rows from end to end faster than hits all over"
            " memory: few subscriptions are on the side of bytes, millions on that of the matrices.",
        ),
        Claim(
            "Bits outperform bytes by about a factor of 3.",
            lambda rows: (
                f"On average over all sizes {_ratio(rows, BYTE, BIT, 'subscriptions_ms'):.2f}, from a million"
                f" on {_ratio(rows, BYTE, BIT, 'subscriptions_ms', MILLIONS):.2f}."
            ),
            lambda rows: 2 < _ratio(rows, BYTE, BIT, "subscriptions_ms") < 4,
            "64 bits are added at once, but as binary numbers, in several operations; bytes are added 32 at a"
            " time in one.",
        ),
        Claim(
            "For want of memory (1.5 GB) bytes could not be run over all sizes.",
            lambda rows: f"At 5,000,000 the matrix of bytes takes {_at(rows, BYTE, MOST, 'mb'):,.0f} MB.",
            lambda rows: _at(rows, BYTE, MOST, "mb") > MEMORY_OF_PAPER,
        ),
    ),
    "ms of stage two",
    tuple(Line(each, "subscriptions_ms", {"variant": each}) for each in (LIST, BIT, BYTE)),
    words.counting,
)

FIGURE_4 = _figure(
    "fig4",
    "Matching subscriptions: memory",
    "section 5.1.2, figure 4",
    (*COUNTING, *_cells((GROUPING,))),
    (
        Claim(
            "Lists alone take less memory than all others.",
            lambda rows: _said(rows, (LIST, BIT, BYTE, GROUPING), "mb"),
            lambda rows: _ascend(rows, (LIST, BIT, BYTE), "mb") and _ascend(rows, (LIST, GROUPING), "mb"),
        ),
        Claim(
            "With what deletion needs, bits take less than lists.",
            lambda rows: (
                f"At 1,000,000: bits {_at(rows, BIT, 1_000_000, 'mb'):,.0f}, lists with the reverse table"
                f" {_list_with_removal(rows, 1_000_000):,.0f} MB; at 5,000,000:"
                f" {_at(rows, BIT, MOST, 'mb'):,.0f} and {_list_with_removal(rows, MOST):,.0f} MB."
            ),
            lambda rows: all(_at(rows, BIT, size, "mb") < _list_with_removal(rows, size) for size in SIZES),
        ),
        Claim(
            "The database takes 4,400 KB for 1,000 subscriptions (bits 122 KB), and about 1 GB for 5 million"
            " (bits 248 MB).",
            lambda rows: _said(rows, (GROUPING, BIT), "mb", (FEWEST, MOST)),
            lambda rows: _ascend(rows, (BIT, GROUPING), "mb", (FEWEST, MOST)),
            _no_compact_kdb,
        ),
    ),
    "MB",
    (
        *(Line(each, "mb", {"variant": each}) for each in (LIST, BIT, BYTE)),
        Line("list, with what removal needs", "mb_with_removal", {"variant": LIST}),
        Line(GROUPING, "mb", {"variant": GROUPING}, paper={FEWEST: 4.4, MOST: 1_000.0}),
    ),
    words.memory,
)

TABLE_1 = _figure(
    "table1",
    "Time to match one event, both stages",
    "section 5.1.3, table 1",
    (*_cells((LIST, BIT)), *_cells((SORTED,), (*SOME_SIZES, MOST)), *IN_DATABASES),
    (
        Claim(
            "The database takes more time than bits and lists, whatever the number of subscriptions: 426"
            " times that of lists at 100,000, 176 at a million.",
            lambda rows: (
                f"DuckDB by grouping takes {_ratio(rows, GROUPING, LIST, 'ms', (100_000,)):,.0f} times as"
                f" long as lists at 100,000, {_ratio(rows, GROUPING, LIST, 'ms', (1_000_000,)):,.0f} times at"
                " a million."
            ),
            lambda rows: _ascend(rows, (LIST, GROUPING), "ms") and _ascend(rows, (BIT, GROUPING), "ms"),
        ),
        Claim(
            "Lists are faster than bits at every size.",
            lambda rows: _said(rows, (LIST, BIT), "ms", (FEWEST, 100_000, *MILLIONS)),
            lambda rows: _ascend(rows, (LIST, BIT), "ms"),
            "counting in lists goes all over memory, which is slow once the hits of millions do not fit into"
            " the cache.",
        ),
        Claim(
            "For millions of subscriptions, tables of predicates with lists of subscriptions perform best"
            " (section 6).",
            lambda rows: _said(rows, (LIST, SORTED, BIT, GROUPING), "ms"),
            lambda rows: all(
                _ascend(rows, (LIST, other), "ms", MILLIONS) for other in (SORTED, BIT, GROUPING)
            ),
            _stage_two_decides,
        ),
        Claim(
            "Sequential search cannot scale; grouping needs fewer comparisons (sections 4.1 and 4.2).",
            lambda rows: _said(rows, (SEQUENTIAL, GROUPING, *reversed(SQLITE)), "ms", (100_000, 1_000_000)),
            lambda rows: all(
                _ascend(rows, pair, "ms", (100_000, 1_000_000)) for pair in ((GROUPING, SEQUENTIAL), SQLITE)
            ),
        ),
    ),
    "ms for an event",
    (
        *(Line(each, "ms", {"variant": each}, paper=MATCHING[each]) for each in (LIST, BIT, GROUPING)),
        *(Line(each, "ms", {"variant": each}) for each in (SEQUENTIAL, *SQLITE)),
    ),
    words.databases,
)

TABLE_2 = _figure(
    "table2",
    "Time to load all subscriptions",
    "section 5.1.3, table 2",
    (*_cells((LIST, BIT)), *IN_DATABASES),
    (
        Claim(
            "For many subscriptions the database loads faster than lists do (from 500,000 on in the table).",
            lambda rows: _said(rows, (GROUPING, LIST), "load_ms", LARGE),
            lambda rows: _ascend(rows, (GROUPING, LIST), "load_ms", LARGE),
            "the paper's lists grow by a constant amount and are copied each time; ours are made by one"
            " sort.",
        ),
        Claim(
            "Bits load fastest.",
            lambda rows: _said(rows, (BIT, LIST, GROUPING), "load_ms", (FEWEST, *MILLIONS)),
            lambda rows: (
                _ascend(rows, (BIT, GROUPING), "load_ms")
                and all(
                    _at(rows, BIT, size, "load_ms") < 1.1 * _at(rows, LIST, size, "load_ms") for size in SIZES
                )
            ),
        ),
        Claim(
            "(From the table.) From 100,000 to a million loading lists takes 113 times as long, where bits"
            " take 10 times.",
            lambda rows: f"Lists {_load_growth(rows, LIST):.1f} times, bits {_load_growth(rows, BIT):.1f}.",
            lambda rows: _load_growth(rows, LIST) > 2 * _load_growth(rows, BIT),
            "the same: nothing is copied again as lists grow. That both take more than ten times is the sort"
            " of all pairs, and what does not fit into the cache.",
        ),
    ),
    "ms to load",
    (
        *(Line(each, "load_ms", {"variant": each}, paper=LOADING[each]) for each in (LIST, BIT, GROUPING)),
        *(Line(each, "load_ms", {"variant": each}) for each in (SEQUENTIAL, *SQLITE)),
    ),
    words.loading,
)

SUBSCRIPTIONS = (FIGURE_3, FIGURE_4, TABLE_1, TABLE_2)
