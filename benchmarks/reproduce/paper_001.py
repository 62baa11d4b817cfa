"""Figures 4 to 8 of paper 001 (Liu et al., DEBS 2007): evaluations per event of Sequential and Sub-Order.

`pairwise` is Sub-Order with the order of the paper (4.2.5), `suborder` the one we use (`operators/gains`).
"""

from collections.abc import Callable

from benchmarks.reproduce import overlapping
from benchmarks.reproduce.figure import Cell, Claim, Figure, Line, Plot, Row, Rows

SOURCE = "Paper 001, Liu et al., Scalable Event Matching for Overlapping Subscriptions, DEBS 2007, {}."
EXPECTED = "evaluated predicates per event"
COLUMNS = {
    "naive": "naive",
    "sequential": "Sequential",
    "pairwise": "Sub-Order, by pairs",
    "suborder": "Sub-Order",
    "yardstick": "yardstick",
    "floor": "floor",
    "used_predicates": "predicates in use",
    "events_taken": "events",
    "half_width": "95% ±",
    "order_seconds": "order, s",
}
LEGEND = (
    "*Sub-Order, by pairs* has the order of the paper's section 4.2.5; *Sub-Order* is the order we use,"
    " [by gain](../algorithms.md#expensive-operators). The *yardstick* is a greedy that knows every truth"
    " value in advance. The *floor* holds for any algorithm and any event: so many predicates are needed to"
    " meet every subscription, by a dual solution of the linear program."
)


def _cell(subscriptions: int, predicates: int, zipf: float | None, max_length: int = 5, **more: str) -> Cell:
    return {
        "subscriptions": subscriptions,
        "predicates": predicates,
        "zipf": zipf,
        "max_length": max_length,
        **more,
    }


def _lines(**paper: dict[object, float]) -> tuple[Line, ...]:
    names = ("naive", "sequential", "pairwise", "suborder", "yardstick")
    return tuple(Line(COLUMNS[name], name, paper=paper.get(name, {})) for name in names)


def _weight(cell: Cell) -> float:
    return float(cell["subscriptions"] * (3 + cell["max_length"]))


def _figure(
    number: int,
    title: str,
    section: str,
    cells: tuple[Cell, ...],
    claims: tuple[Claim, ...],
    plot: Plot,
    notes: Callable[[Rows], str],
) -> Figure:
    return Figure(
        name=f"001-fig{number}",
        title=title,
        source=SOURCE.format(section),
        claims=(*claims, *ALWAYS),
        cells=cells,
        measure=overlapping.measure,
        plot=plot,
        columns={plot.x: plot.x_label, **COLUMNS},
        notes=lambda rows: f"{LEGEND}\n\n{notes(rows)}",
        weight=_weight,
    )


def _most(rows: Rows, above: str, below: str) -> float:
    """The greatest ratio of two columns."""
    if not len(rows):
        raise LookupError("nothing is measured")
    return max(float(row[above] / row[below]) for row in rows)


def _counts(row: Row) -> str:
    return (
        f"naive {row['naive']:,.0f}, Sequential {row['sequential']:,.0f}, Sub-Order {row['suborder']:,.0f}"
        f" (by pairs {row['pairwise']:,.0f})"
    )


def _ratio(row: Row, above: str, below: str = "sequential") -> float:
    return float(row[above] / row[below])


def _increase(rows: Rows, column: str, parameter: str) -> float:
    """From the least to the greatest value of the parameter."""
    if len(rows) < 2:
        raise LookupError("not measured")
    first, *_, last = sorted(rows, key=lambda row: row[parameter])
    return float(last[column] - first[column])


def _growth(rows: Rows, column: str, parameter: str) -> float:
    """How much a count grows while the parameter grows from its least to its greatest, relative to that."""
    if len(rows) < 2:
        raise LookupError("not measured")
    ends = rows.every[0], rows.every[-1]
    return float((ends[1][column] / ends[0][column]) / (ends[1][parameter] / ends[0][parameter]))


ALWAYS = (
    Claim(
        "Both algorithms are better than naive in all scenarios, and Sub-Order better than Sequential.",
        lambda rows: (
            f"Sequential takes at most {_most(rows, 'sequential', 'naive'):.0%} of naive's evaluations, Sub-Order"
            f" at most {_most(rows, 'suborder', 'sequential'):.0%} of Sequential's; by pairs at most"
            f" {_most(rows, 'pairwise', 'sequential'):.0%}."
        ),
        lambda rows: _most(rows, "sequential", "naive") <= 1 and _most(rows, "suborder", "sequential") <= 1,
    ),
    Claim(
        "(Ours, not the paper's.) Sub-Order takes at most 1.4 times the yardstick.",
        lambda rows: (
            f"At most {_most(rows, 'suborder', 'yardstick'):.2f} times; by pairs"
            f" {_most(rows, 'pairwise', 'yardstick'):.2f} times."
        ),
        lambda rows: _most(rows, "suborder", "yardstick") <= 1.4,
    ),
)

SIZES = (2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 80_000)


def _below_floor(rows: Rows) -> str:
    row = rows.one(subscriptions=80_000)
    return f"""\
**7,761 and 7,037 evaluations are not possible with subscriptions drawn as the paper says.** An algorithm must evaluate
at least one predicate of every subscription. Here a predicate is in {80_000 * 4 / 40_000:g} subscriptions on average, the most
popular in about twice as many, and they overlap: at least {row["floor"]:,.0f} predicates are needed to meet all 80,000
subscriptions, whatever is true of the event and whatever the algorithm. Even the yardstick, which sees all truth
values, evaluates {row["yardstick"]:,.0f}. So no assumption about events closes the gap, only one about subscriptions.
[001-numbers](001-numbers.md) tries some: popularity must be a good deal less even than uniform weights make it.

**About 35,000 of naive** is read off the figure, and follows from "almost 80%". Naive always evaluates the first
predicate of every subscription, {row["naive"]:,.0f} in all here; it grows with the share of true predicates, which the
paper does not give.

**Sub-Order by pairs** is what the paper describes. Its nodes are in the order of selectivity alone, so a chain begins
with a predicate that is rarely true even if hardly any other chain has it. Ordering nodes and chains by gain takes
{1 - row["suborder"] / row["pairwise"]:.0%} less."""


FIGURE_4 = _figure(
    4,
    "Evaluations by number of subscriptions, uniform popularity",
    "section 5.3.1, figure 4",
    tuple(_cell(count, 40_000, None) for count in SIZES),
    (
        Claim(
            "With 80,000 subscriptions, Sequential and Sub-Order evaluate 7,761 and 7,037 predicates: almost 80% less"
            " than naive, so naive about 35,000.",
            lambda rows: _counts(rows.one(subscriptions=80_000)) + ".",
            lambda rows: rows.one(subscriptions=80_000)["sequential"] <= 1.1 * 7_761,
        ),
        Claim(
            "Naive grows linearly with the subscriptions, the others much slower.",
            lambda rows: (
                f"From 2,000 to 80,000 subscriptions, 40 times as many, naive grows"
                f" {40 * _growth(rows, 'naive', 'subscriptions'):.1f} times, Sequential"
                f" {40 * _growth(rows, 'sequential', 'subscriptions'):.1f}, Sub-Order"
                f" {40 * _growth(rows, 'suborder', 'subscriptions'):.1f}. Naive is not linear either: there are only"
                " 40,000 predicates to evaluate."
            ),
            lambda rows: (
                _growth(rows, "suborder", "subscriptions")
                < _growth(rows, "sequential", "subscriptions")
                < _growth(rows, "naive", "subscriptions")
            ),
        ),
    ),
    Plot(
        "subscriptions",
        "subscriptions",
        EXPECTED,
        _lines(naive={80_000: 35_000}, sequential={80_000: 7_761}, pairwise={80_000: 7_037}),
    ),
    _below_floor,
)

FIGURE_5 = _figure(
    5,
    "Evaluations by number of subscriptions, Zipf popularity",
    "section 5.3.1, figure 5",
    tuple(_cell(count, 40_000, 1.0) for count in SIZES),
    (
        Claim(
            "The same trend as with uniform popularity.",
            lambda rows: f"With 80,000 subscriptions {_counts(rows.one(subscriptions=80_000))}.",
            lambda rows: (
                _growth(rows, "sequential", "subscriptions") < _growth(rows, "naive", "subscriptions")
            ),
        ),
        Claim(
            "Both perform even better, relative to naive, than with uniform popularity (almost 80% less).",
            lambda rows: (
                f"{1 - 1 / _most(rows.where(subscriptions=80_000), 'naive', 'sequential'):.0%} and"
                f" {1 - 1 / _most(rows.where(subscriptions=80_000), 'naive', 'suborder'):.0%} less than naive."
            ),
            lambda rows: _most(rows.where(subscriptions=80_000), "naive", "suborder") > 5,
        ),
    ),
    Plot("subscriptions", "subscriptions", EXPECTED, _lines()),
    lambda rows: (
        "The paper has no numbers for this figure. Few predicates are in most subscriptions here, and whether"
        " those are true of an event decides much, so counts vary more from event to event than with uniform"
        " popularity.\n\nBy pairs, Sub-Order does not beat Sequential everywhere: Sequential goes on to evaluate the"
        " popular predicates of a subscription that is decided already, which pays here, while chains ordered by"
        " selectivity begin with rare predicates. The order by gain knows about popularity."
    ),
)


def _more_than_there_are(rows: Rows) -> str:
    row = rows.one(predicates=30_000)
    return f"""\
**Naive cannot have evaluated 16,251 predicates with Zipf popularity**: 20,000 subscriptions with 3 to 5 predicates drawn
from 30,000 with weights 1/rank use only {row["used_predicates"]:,} different ones, and naive evaluates
{row["naive"]:,.0f} of them. With uniform popularity it would be about 15,000 ([001-numbers](001-numbers.md)), and a little
more if predicates are true more often: the paper's number fits that, or an exponent of at most about 0.5.

**Sub-Order's 1,977** is near what the order of the paper gives here, {row["pairwise"]:,.0f}; the order by gain takes
{row["suborder"]:,.0f}. **Sequential's 3,267** depends on which undecided subscription is "arbitrarily" picked and in which
order its predicates are taken; here subscriptions are taken as they came, and their predicates as drawn."""


FIGURE_6 = _figure(
    6,
    "Evaluations by number of predicates, Zipf popularity",
    "section 5.3.2, figure 6",
    tuple(_cell(20_000, count, 1.0) for count in (2_000, 5_000, 10_000, 15_000, 20_000, 25_000, 30_000)),
    (
        Claim(
            "With 30,000 predicates naive evaluates 16,251, Sequential 3,267, Sub-Order 1,977.",
            lambda rows: _counts(rows.one(predicates=30_000)) + ".",
            lambda rows: rows.one(predicates=30_000)["naive"] >= 0.9 * 16_251,
        ),
        Claim(
            "With more predicates, Sequential and Sub-Order grow much slower than naive.",
            lambda rows: (
                "From 2,000 to 30,000 predicates naive evaluates"
                f" {rows.one(predicates=30_000)['naive'] - rows.one(predicates=2_000)['naive']:,.0f} more, Sequential"
                f" {rows.one(predicates=30_000)['sequential'] - rows.one(predicates=2_000)['sequential']:,.0f},"
                f" Sub-Order {rows.one(predicates=30_000)['suborder'] - rows.one(predicates=2_000)['suborder']:,.0f}."
            ),
            lambda rows: (
                _growth(rows, "sequential", "predicates") < 1
                and 3 * (rows.one(predicates=30_000)["sequential"] - rows.one(predicates=2_000)["sequential"])
                < rows.one(predicates=30_000)["naive"] - rows.one(predicates=2_000)["naive"]
            ),
        ),
    ),
    Plot(
        "predicates",
        "predicates",
        EXPECTED,
        _lines(naive={30_000: 16_251}, sequential={30_000: 3_267}, pairwise={30_000: 1_977}),
    ),
    _more_than_there_are,
)

FIGURE_7 = _figure(
    7,
    "Evaluations by length of subscriptions, Zipf popularity",
    "section 5.3.3, figure 7",
    tuple(_cell(20_000, 5_000, 1.0, length) for length in (5, 6, 7, 8, 9, 10, 11)),
    (
        Claim(
            "Sequential is not sensitive to the length: from 1,593 with at most 5 predicates to 1,784 with at most 11,"
            " 12% more.",
            lambda rows: (
                f"From {rows.one(max_length=5)['sequential']:,.0f} to {rows.one(max_length=11)['sequential']:,.0f}."
            ),
            lambda rows: (
                abs(rows.one(max_length=11)["sequential"] / rows.one(max_length=5)["sequential"] - 1) < 0.3
            ),
        ),
        Claim(
            "Naive evaluates almost all of the 5,000 predicates whatever the length.",
            lambda rows: (
                f"{rows.one(max_length=5)['naive']:,.0f} to {rows.one(max_length=11)['naive']:,.0f}, of"
                f" {rows.one(max_length=5)['used_predicates']:,} to {rows.one(max_length=11)['used_predicates']:,}"
                " that are in use."
            ),
            lambda rows: all(row["naive"] > 0.9 * row["used_predicates"] for row in rows),
        ),
        Claim(
            "The gap between Sequential and Sub-Order shrinks as subscriptions become longer.",
            lambda rows: (
                f"Sub-Order by pairs takes {rows.one(max_length=5)['pairwise'] / rows.one(max_length=5)['sequential']:.2f}"
                " of Sequential's evaluations with at most 5 predicates,"
                f" {rows.one(max_length=11)['pairwise'] / rows.one(max_length=11)['sequential']:.2f} with at most 11; by"
                f" gain {rows.one(max_length=5)['suborder'] / rows.one(max_length=5)['sequential']:.2f} and"
                f" {rows.one(max_length=11)['suborder'] / rows.one(max_length=11)['sequential']:.2f}."
            ),
            lambda rows: (
                rows.one(max_length=11)["pairwise"] / rows.one(max_length=11)["sequential"]
                > rows.one(max_length=5)["pairwise"] / rows.one(max_length=5)["sequential"]
            ),
        ),
    ),
    Plot(
        "max_length",
        "longest subscription",
        EXPECTED,
        _lines(sequential={5: 1_593, 11: 1_784}, naive={5: 5_000, 11: 5_000}),
    ),
    lambda rows: (
        "For longer subscriptions to match 0.2% all the same, predicates must be true more often: they are here, as"
        " the selectivities are fitted to that rate for each length. It is not known how the paper did this. Naive"
        " would come near to all predicates if they were true more often than the rate of 0.2% allows when"
        " predicates are independent of each other."
    ),
)

FIGURE_8 = _figure(
    8,
    "Evaluations by popularity of predicates",
    "section 5.3.4, figure 8",
    tuple(
        _cell(20_000, 5_000, zipf) | {"popularity": name}
        for zipf, name in (
            (None, "uniform"),
            (0.8, "Zipf 0.8"),
            (1.0, "Zipf 1"),
            (1.2, "Zipf 1.2"),
        )
    ),
    (
        Claim(
            "Sequential and Sub-Order perform much better with Zipf popularity than with uniform.",
            lambda rows: (
                f"Sequential {rows.one(zipf=None)['sequential']:,.0f} with uniform,"
                f" {rows.one(zipf=1.0)['sequential']:,.0f} with Zipf 1; Sub-Order {rows.one(zipf=None)['suborder']:,.0f}"
                f" and {rows.one(zipf=1.0)['suborder']:,.0f}."
            ),
            lambda rows: rows.one(zipf=1.0)["suborder"] < 0.7 * rows.one(zipf=None)["suborder"],
        ),
        Claim(
            "The greater the exponent, the better they perform.",
            lambda rows: (
                "Sub-Order "
                + ", ".join(f"{row['suborder']:,.0f} ({row['popularity']})" for row in rows)
                + "."
            ),
            lambda rows: rows.column("suborder") == sorted(rows.column("suborder"), reverse=True),
        ),
    ),
    Plot("popularity", "popularity", EXPECTED, _lines(sequential={"Zipf 1": 1_593}), is_bars=True),
    lambda rows: (
        "The paper gives no numbers here, but Zipf 1 is the first point of figure 7. Naive falls as well with a"
        " greater exponent: fewer different predicates are in use."
    ),
)


def _case(subscriptions: int, predicates: int, zipf: float | None, events: str) -> Cell:
    popularity = "uniform" if zipf is None else f"Zipf {zipf:g}"
    size = f"{subscriptions // 1000}k/{predicates // 1000}k"
    return _cell(subscriptions, predicates, zipf, events=events) | {"case": f"{size} {popularity}, {events}"}


LARGE, SMALL = (80_000, 40_000), (20_000, 30_000)
NUMBERS = Figure(
    name="001-numbers",
    title="The paper's two sets of numbers, under several assumptions",
    source=SOURCE.format("sections 5.3.1 and 5.3.2"),
    claims=(
        Claim(
            "80,000 subscriptions, 40,000 predicates, uniform: naive about 35,000, Sequential 7,761, Sub-Order 7,037.",
            lambda rows: (
                "; ".join(f"{row['case']}: {_counts(row)}" for row in rows.where(subscriptions=80_000)) + "."
            ),
            lambda rows: any(
                row["naive"] > 31_500 and row["sequential"] < 8_600
                for row in rows.where(subscriptions=80_000)
            ),
        ),
        Claim(
            "20,000 subscriptions, 30,000 predicates, Zipf 1: naive 16,251, Sequential 3,267, Sub-Order 1,977.",
            lambda rows: (
                "; ".join(f"{row['case']}: {_counts(row)}" for row in rows.where(subscriptions=20_000)) + "."
            ),
            lambda rows: any(
                row["naive"] > 14_600 and row["sequential"] < 3_600
                for row in rows.where(subscriptions=20_000)
            ),
        ),
    ),
    cells=(
        *(_case(*LARGE, zipf, "spread") for zipf in (None, 0.8, 0.9)),
        _case(*LARGE, None, "equal"),
        _case(*LARGE, None, "chosen"),
        *(_case(*SMALL, zipf, "spread") for zipf in (None, 0.5, 0.8, 1.0)),
        _case(*SMALL, 1.0, "equal"),
        _case(*SMALL, 1.0, "chosen"),
    ),
    measure=overlapping.measure,
    plot=Plot("case", "", EXPECTED, _lines(), is_bars=True),
    columns={"case": "case", **COLUMNS, "matching_rate": "matching"},
    weight=_weight,
)

FIGURES = (FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_7, FIGURE_8, NUMBERS)
