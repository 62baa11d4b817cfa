"""Paper 002, section 4: the matchers of Le Subscribe on its own load, figures 9 to 11 and what its text says.

The curves of the figures cannot be read in our copy; the claims are those of the text around them. The
paper's three algorithms are measured at all its sizes, the peers of section 3 and the engine at some.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import log10
from typing import Any

import numpy as np

from benchmarks.reproduce.figure import Cell, Claim, Figure, Line, Plot, Row, Rows
from benchmarks.reproduce.two_processes import measure
from matching import registry

FAIR, PREFERRED, QUARANTINING = "fair-predicate", "equality-preferred", "quarantining"
OWN = (FAIR, PREFERRED, QUARANTINING)
PEERS = tuple(name for name in ("gough", "hanson", "aguilera", "neon", "engine") if name in registry.names())
SIZES = (50_000, 100_000, 200_000, 400_000, 800_000)
LARGEST = 3_200_000
SIZES_OF_PEERS = (100_000, 800_000)
SIZE_OF_NAIVE = 400_000
SIZE_OF_FIGURE_10 = 800_000
PROBABILITIES = (0.0, 0.25, 0.5, 0.75, 1.0)
UNSELECTIVE = {"p": 0.0, "strings": 2}
MOST_SECONDS = 1_800.0
SAME = 1.15  # times that differ by less are called equal: the machine's own speed swings as much

COLUMNS = {
    "algorithm": "algorithm",
    "subscriptions": "subscriptions",
    "p": "p",
    "processing_us": "processing us",
    "matching_us": "of it matching",
    "sending_us": "sending ids us",
    "execution_us": "execution us",
    "matches": "matches",
    "evaluations": "evaluations",
    "load_seconds": "load s",
    "add_us": "add us",
    "events_taken": "events",
    "half_width": "95% within",
}


def _weight(cell: Cell) -> float:
    return 1.0 + float(cell["subscriptions"]) / 200_000


def _times(ratio: float) -> str:
    return f"{ratio:,.2g} times" if ratio < 100 else f"{ratio:,.0f} times"


def _by(rows: Rows, column: str, **where: Any) -> dict[str, float]:
    """The column by algorithm, of the paper's three."""
    return {name: rows.one(algorithm=name, **where)[column] for name in OWN}


def _shown(values: dict[str, float], unit: str = "us") -> str:
    return ", ".join(f"{name} {value:,.0f} {unit}" for name, value in sorted(values.items(), key=_second))


def _second(item: tuple[str, float]) -> float:
    return item[1]


def _growth(rows: Sequence[Row], column: str) -> float:
    """The exponent with which a column grows with the number of subscriptions: 1 is linear."""
    sizes = [log10(row["subscriptions"]) for row in rows]
    return float(np.polyfit(sizes, [log10(row[column]) for row in rows], 1)[0])


# Figure 9a

FIGURE_9A_CELLS: tuple[Cell, ...] = (
    *({"algorithm": name, "subscriptions": size, "p": 0.5} for size in SIZES for name in OWN),
    *({"algorithm": name, "subscriptions": size, "p": 0.5} for size in SIZES_OF_PEERS for name in PEERS),
    {"algorithm": "naive", "subscriptions": SIZE_OF_NAIVE, "p": 0.5},
    *({"algorithm": name, "subscriptions": LARGEST, "p": 0.5, "adding": True} for name in OWN),
    *({"algorithm": name, "subscriptions": SIZE_OF_FIGURE_10, **UNSELECTIVE} for name in OWN),
)


def _order_at(rows: Rows) -> str:
    return "At 800,000: " + _shown(_by(rows, "processing_us", subscriptions=800_000, p=0.5)) + "."


def _sizes_in_order(rows: Rows) -> list[int]:
    """At which sizes the three are in the paper's order."""
    times = {size: _by(rows, "processing_us", subscriptions=size, p=0.5) for size in SIZES}
    return [size for size, of in times.items() if of[QUARANTINING] <= of[PREFERRED] <= of[FAIR]]


def _not_for_few(rows: Rows) -> str:
    return (
        f"it is so at {', '.join(f'{size:,}' for size in _sizes_in_order(rows))}. With fewer, what"
        " fair-predicate counts fits into the caches, while the other two look up all that an event's values"
        " can spell, which costs the same for few subscriptions as for many."
    )


def _order(rows: Rows, size: int, column: str) -> list[str]:
    times = _by(rows, column, subscriptions=size)
    return sorted(OWN, key=times.__getitem__)


def _is_order_kept(rows: Rows) -> bool:
    return all(_order(rows, size, "execution_us") == _order(rows, size, "processing_us") for size in SIZES)


def _naive(rows: Rows) -> str:
    naive = rows.one(algorithm="naive", subscriptions=SIZE_OF_NAIVE)
    quarantining = rows.one(algorithm=QUARANTINING, subscriptions=SIZE_OF_NAIVE)
    return (
        f"{_times(naive['matching_us'] / quarantining['matching_us'])} in matching,"
        f" {_times(naive['evaluations'] / quarantining['evaluations'])} in predicates evaluated."
    )


def _naive_holds(rows: Rows) -> bool:
    naive = rows.one(algorithm="naive", subscriptions=SIZE_OF_NAIVE)["matching_us"]
    return bool(naive > 5_000 * rows.one(algorithm=QUARANTINING, subscriptions=SIZE_OF_NAIVE)["matching_us"])


def _adding(rows: Rows) -> dict[str, float]:
    return _by(rows, "add_us", subscriptions=LARGEST, p=0.5)


def _adding_holds(rows: Rows) -> bool:
    adding = _adding(rows)
    alike = max(adding[PREFERRED], adding[QUARANTINING]) / min(adding[PREFERRED], adding[QUARANTINING])
    return alike < 2 and adding[FAIR] < adding[QUARANTINING]


def _unselective(rows: Rows) -> dict[str, float]:
    return _by(rows, "processing_us", subscriptions=SIZE_OF_FIGURE_10, **UNSELECTIVE)


FIGURE_9A = Figure(
    name="002-fig9a",
    title="Processing time by the number of subscriptions, p = 0.5",
    source="Paper 002, section 4, figure 9.a.",
    claims=(
        Claim(
            "Equality-preferred and quarantining are the best, and quarantining is the better of the two.",
            _order_at,
            lambda rows: _sizes_in_order(rows) == list(SIZES),
            _not_for_few,
        ),
        Claim(
            "For 400,000 subscriptions naive takes almost ten thousand times as long as quarantining.",
            _naive,
            _naive_holds,
            "ours tests all subscriptions side by side in compiled loops; and quarantining has to count those"
            " that match, thousands an event.",
        ),
        Claim(
            "If equalities are not very selective, equality-preferred may be better than quarantining.",
            lambda rows: (
                "Strings with 2 values instead of 200, numbers only compared: "
                + _shown(_unselective(rows))
                + "."
            ),
            lambda rows: _unselective(rows)[PREFERRED] < _unselective(rows)[QUARANTINING],
            "testing a candidate's comparisons, in one pass over arrays, is cheap beside counting all that"
            " hold.",
        ),
        Claim(
            "With 3,200,000 subscriptions, adding one takes 32.2 ms with quarantining, about as long with"
            " equality-preferred, and less with fair-predicate.",
            lambda rows: _shown(_adding(rows)) + ".",
            _adding_holds,
            "compiling the predicates of one subscription is the same for all three, and much of the time.",
        ),
    ),
    cells=FIGURE_9A_CELLS,
    measure=measure,
    plot=Plot(
        x="subscriptions",
        x_label="subscriptions",
        y_label="processing time, us",
        lines=tuple(Line(name, "processing_us", {"algorithm": name, "p": 0.5}) for name in (*OWN, *PEERS)),
        is_log_x=True,
        is_log_y=True,
    ),
    columns={**COLUMNS, "strings": "strings"},
    notes=lambda rows: _NOTES_9A,
    weight=_weight,
    most_seconds=MOST_SECONDS,
)

_NOTES_9A = """\
- **Small sizes.** The order is the paper's once there are enough subscriptions. With few of them our
  fair-predicate is as quick: what it counts fits into the processor's caches, while the other two look up
  all that an event's values can spell, which costs the same for few subscriptions as for many.
- **The factor of naive.** Ours tests all subscriptions side by side in compiled loops, tens of
  nanoseconds a predicate, where an interpreter needs microseconds; and quarantining has to report
  thousands of matches an event, nearly all of them without an equality, whose predicates it must count.
  So the factor in time, and even that in evaluations, is far below the paper's.
- **Adding.** Of the 200 that are added here the first takes tens of milliseconds, since arrays are made
  larger, most of them with fair-predicate; the others take a third of one, whatever the algorithm, and
  most of that goes into compiling the predicates, which is the same for all. So they differ less than
  their structures do, and not as in the paper.
- **Unselective equalities.** Both find the same candidates. Quarantining tests the comparisons of each,
  in one pass over arrays; equality-preferred counts the satisfied comparisons of all subscriptions,
  candidates or not. Which is cheaper depends on the price of a test against that of an increment; the
  paper's K program and our arrays need not agree.
- **Processing** includes receiving the events from another process, in sets of 50, as JSON, and
  validating them.
"""


# Figure 9b

FIGURE_9B = Figure(
    name="002-fig9b",
    title="Execution time by the number of subscriptions, p = 0.5: the ids sent to another process",
    source="Paper 002, section 4, figure 9.b.",
    claims=(
        Claim(
            "Sending the result takes more time with more subscriptions, slightly, since more of them match.",
            lambda rows: (
                f"Sending grows like subscriptions ^ {_growth(_of(rows, QUARANTINING), 'sending_us'):.2f}: "
                + _from_to(_of(rows, QUARANTINING), "sending_us")
                + "; matches "
                + _from_to(_of(rows, QUARANTINING), "matches", "")
                + "."
            ),
            lambda rows: 0 < _growth(_of(rows, QUARANTINING), "sending_us") <= 1.1,
        ),
        Claim(
            "The order of the algorithms is the same as without sending.",
            lambda rows: (
                f"At 800,000: {_shown(_by(rows, 'execution_us', subscriptions=800_000))}; without sending"
                f" {_shown(_by(rows, 'processing_us', subscriptions=800_000))}."
            ),
            _is_order_kept,
            "sending costs about the same for all three, so where they are close it may turn their order.",
        ),
    ),
    cells=tuple({"algorithm": name, "subscriptions": size, "p": 0.5} for size in SIZES for name in OWN),
    measure=measure,
    plot=Plot(
        x="subscriptions",
        x_label="subscriptions",
        y_label="execution time, us",
        lines=tuple(Line(name, "execution_us", {"algorithm": name}) for name in OWN),
    ),
    columns={name: heading for name, heading in COLUMNS.items() if name != "add_us"},
    notes=lambda rows: (
        "Ids go through a pipe as 8 bytes each, and the other process makes Python numbers of them; the paper"
        " sent lists from a K program to a Java program. For small sizes see the note on figure 9.a."
    ),
    weight=_weight,
    most_seconds=MOST_SECONDS,
)


def _of(rows: Rows, algorithm: str) -> Sequence[Row]:
    found = rows.where(algorithm=algorithm).every
    if len(found) < 2:
        raise LookupError(f"{algorithm} is not measured at two sizes")
    return found


def _from_to(rows: Sequence[Row], column: str, unit: str = " us") -> str:
    first, last = rows[0], rows[-1]
    return (
        f"{first[column]:,.0f}{unit} at {first['subscriptions']:,} to {last[column]:,.0f}{unit} at"
        f" {last['subscriptions']:,}"
    )


# Figure 10


def _at(rows: Rows, p: float) -> dict[str, float]:
    return _by(rows, "processing_us", p=p)


def _falls(rows: Rows) -> bool:
    for name in OWN:
        times = [_at(rows, p)[name] for p in PROBABILITIES]
        if any(later > SAME * earlier for earlier, later in pairwise(times)):
            return False
    return True


FIGURE_10 = Figure(
    name="002-fig10",
    title="Processing time by the probability p of an equality, 800,000 subscriptions",
    source="Paper 002, section 4, figure 10.",
    claims=(
        Claim(
            "Without any nonequality predicate, equality-preferred and quarantining take the same time.",
            lambda rows: "p = 1: " + _shown(_at(rows, 1.0)) + ".",
            lambda rows: 1 / SAME < _at(rows, 1.0)[PREFERRED] / _at(rows, 1.0)[QUARANTINING] < SAME,
            "equality-preferred still has an array of counts, as long as there are subscriptions.",
        ),
        Claim(
            "The lower the ratio of nonequality predicates, the better the performance, of all three.",
            lambda rows: "; ".join(f"p = {p:g}: " + _shown(_at(rows, p)) for p in (0.0, 0.5, 1.0)) + ".",
            _falls,
        ),
    ),
    cells=tuple(
        {"algorithm": name, "subscriptions": SIZE_OF_FIGURE_10, "p": p} for p in PROBABILITIES for name in OWN
    ),
    measure=measure,
    plot=Plot(
        x="p",
        x_label="p, the probability that a predicate on a number is an equality",
        y_label="processing time, us",
        lines=tuple(Line(name, "processing_us", {"algorithm": name}) for name in OWN),
        is_log_y=True,
    ),
    columns={name: heading for name, heading in COLUMNS.items() if name != "add_us"},
    notes=lambda rows: (
        "At p = 1 equality-preferred still counts, though nothing is there to be counted: its counts are an"
        " array as long as there are subscriptions. Quarantining's has only those without an equality: none."
    ),
    weight=_weight,
    most_seconds=MOST_SECONDS,
)


# Figure 11

FIGURE_11 = Figure(
    name="002-fig11",
    title="Only equalities: processing time by the number of subscriptions",
    source="Paper 002, section 4, figure 11.",
    claims=(
        Claim(
            "After a threshold, reached with very few subscriptions, the time grows slightly, like a"
            " logarithm.",
            lambda rows: (
                f"Quarantining's processing grows like subscriptions ^"
                f" {_growth(_of(rows, QUARANTINING), 'processing_us'):.2f}: "
                + _from_to(_of(rows, QUARANTINING), "processing_us")
                + "."
            ),
            lambda rows: _growth(_of(rows, QUARANTINING), "processing_us") < 0.35,
        ),
    ),
    cells=tuple(
        {"algorithm": name, "subscriptions": size, "p": 1.0}
        for size in (1_000, 10_000, *SIZES, 1_600_000, LARGEST)
        for name in (PREFERRED, QUARANTINING)
    ),
    measure=measure,
    plot=Plot(
        x="subscriptions",
        x_label="subscriptions",
        y_label="processing time, us",
        lines=tuple(Line(name, "processing_us", {"algorithm": name}) for name in (PREFERRED, QUARANTINING)),
    ),
    columns={name: heading for name, heading in COLUMNS.items() if name not in ("add_us", "p")},
    notes=lambda rows: (
        "The threshold is there for the same reason: receiving an event, and looking up all that its values"
        " can spell, cost the same for few subscriptions as for many. For equality-preferred see the note on"
        " figure 10: its counts are as long as there are subscriptions."
    ),
    weight=_weight,
    most_seconds=MOST_SECONDS,
)

FIGURES = (FIGURE_9A, FIGURE_9B, FIGURE_10, FIGURE_11)
