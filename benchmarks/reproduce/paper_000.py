"""Paper 000, section 7: the simulation of Gryphon's matching tree, each optimisation on and off.

Its numbers are lost in our copy, and so are the axes of its figure; those of the workload are ours (see
`matching.workloads.aguilera`). Time is measured twice: in nodes visited, which is what the theorem bounds,
and in microseconds. Space is, as in the paper, edges plus the sizes of successor sets.
"""

from collections.abc import Mapping
from math import log
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.own_process import Report
from benchmarks.reproduce.figure import Claim, Figure, Line, Plot, Row, Rows
from benchmarks.reproduce.precision import LEAST_SECONDS, PRECISION, checkpoints, half_width
from matching.algorithms.aguilera import AguileraMatcher
from matching.workloads.aguilera import Aguilera

SIZES = (1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 1_000_000)
TENS_OF_THOUSANDS = 25_000
MOST_EVENTS = 20_000
EVENTS_OF_PAPER = 5_000  # it does not say how many; so many with --paper, however soon the mean is known
WARM_UP_EVENTS = 100

OPTIMISATIONS: Mapping[str, Mapping[str, Any]] = {
    "none": {"collapse": False},
    "collapsed": {},
    "successors": {"successors": "plain"},
    "refined": {"successors": "refined"},
    "factored": {"index_attributes": True},
    "all": {"successors": "refined", "index_attributes": True},
}
"""What each line switches on; but for the first, chains of don't-cares are collapsed."""


def measure(cell: dict[str, Any], *, paper: bool, report: Report) -> dict[str, Any]:
    """Means over events, until both the nodes and the time are known within 5%."""
    workload = Aguilera()
    options = dict(OPTIMISATIONS[cell["optimisation"]])
    if options.pop("index_attributes", False):
        options["index_attributes"] = workload.index_names
    matcher = AguileraMatcher(workload.schema, **options)
    report("loading", 0.0)
    columns = workload.subscriptions(cell["subscriptions"])
    began = perf_counter()
    matcher.load(columns)
    loading = perf_counter() - began
    for event in workload.training_events(WARM_UP_EVENTS):
        matcher.match_ids(event)
    visited: list[float] = []
    seconds: list[float] = []
    matches = 0
    looks = checkpoints(MOST_EVENTS)
    look = next(looks)
    for event in workload.events(MOST_EVENTS):
        matcher.work.reset()
        began = perf_counter()
        found = matcher.match_ids(event)
        seconds.append(perf_counter() - began)
        visited.append(matcher.work.visited_nodes)
        matches += len(found)
        if len(visited) >= max(look, EVENTS_OF_PAPER if paper else 0):
            precision = max(half_width(visited), half_width(seconds))
            report("matching", min(1.0, PRECISION / precision) if precision else 1.0)
            is_known = precision <= PRECISION and sum(seconds) >= LEAST_SECONDS
            if is_known or len(visited) == MOST_EVENTS:
                break
            look = next(looks)
    space = matcher.space()
    return {
        "visited": float(np.mean(visited)),
        "match_us": float(np.mean(seconds)) * 1e6,
        "matches": matches / len(visited),
        "bound": bound_of_theorem(cell["subscriptions"], workload.attributes, workload.values),
        "edges": space["edges"],
        "successors": space["successors"],
        "space": space["edges"] + space["successors"],
        "load_seconds": round(loading, 2),
        "events_taken": len(visited),
        "half_width": max(half_width(visited), half_width(seconds)),
    }


def bound_of_theorem(subscriptions: int, attributes: int, values: int) -> float:
    """Theorem 1, as paper 002 has it in its paragraph on Aguilera: expected nodes visited, at most."""
    k1 = attributes + 1
    exponent = 1 - log(values) / (log(values) + log(k1))
    times = values * k1 * (log(values) + log(k1)) / ((values * k1 - 1) * log(k1))
    return float(times * (k1 * subscriptions**exponent - 1))


def _growth(rows: Rows, column: str, optimisation: str) -> float:
    found = rows.where(optimisation=optimisation).every
    if len(found) < 2:
        raise LookupError(f"{optimisation} is not measured at two sizes")
    sizes = [log(row["subscriptions"]) for row in found]
    return float(np.polyfit(sizes, [log(row[column]) for row in found], 1)[0])


def _pair(rows: Rows, with_it: str, without: str) -> tuple[Row, Row]:
    new, old = (rows.one(subscriptions=TENS_OF_THOUSANDS, optimisation=name) for name in (with_it, without))
    return new, old


def _effect(rows: Rows, with_it: str, without: str) -> str:
    new, old = _pair(rows, with_it, without)
    return "At 25,000: " + ", ".join(
        f"{words} {old[column]:,.0f} to {new[column]:,.0f} ({new[column] / old[column] - 1:+.0%})"
        for column, words in {"visited": "nodes", "match_us": "us", "space": "space"}.items()
    )


def _fewer(rows: Rows, with_it: str, without: str, *columns: str) -> bool:
    new, old = _pair(rows, with_it, without)
    return all(new[column] < old[column] for column in columns)


def _below_bound(rows: Rows) -> str:
    row = _largest_of(rows, "none")
    return (
        f"At {row['subscriptions']:,}: {row['visited']:,.0f} nodes visited without any optimisation, bound"
        f" {row['bound']:,.0f}."
    )


def _is_below_bound(rows: Rows) -> bool:
    return all(row["visited"] <= row["bound"] for row in rows.where(optimisation="none"))


def _largest_of(rows: Rows, optimisation: str) -> Row:
    found = rows.where(optimisation=optimisation).every
    if not found:
        raise LookupError(f"{optimisation} is not measured")
    return found[-1]


SIMULATION = Figure(
    name="000-simulation",
    title="Gryphon's matching tree: nodes visited by the number of subscriptions",
    source="Paper 000, sections 4, 5 and 7.",
    claims=(
        Claim(
            "The expected time to match a random event is bounded by theorem 1.",
            _below_bound,
            _is_below_bound,
        ),
        Claim(
            "It grows less than linearly in the number of subscriptions.",
            lambda rows: (
                f"Nodes visited grow like subscriptions ^ {_growth(rows, 'visited', 'none'):.2f},"
                f" collapsed ^ {_growth(rows, 'visited', 'collapsed'):.2f}; the theorem's exponent is 0.60."
            ),
            lambda rows: _growth(rows, "visited", "none") < 1,
        ),
        Claim(
            "Space is linear in the number of subscriptions.",
            lambda rows: f"Edges grow like subscriptions ^ {_growth(rows, 'edges', 'none'):.2f}.",
            lambda rows: _growth(rows, "edges", "none") <= 1,
        ),
        Claim(
            "Collapsing chains of don't-cares reduces matching time.",
            lambda rows: _effect(rows, "collapsed", "none") + ".",
            lambda rows: _fewer(rows, "collapsed", "none", "visited", "match_us"),
        ),
        Claim(
            "Successor annotations reduce it further, for more space, which stays linear.",
            lambda rows: _effect(rows, "successors", "collapsed") + ".",
            lambda rows: _fewer(rows, "successors", "collapsed", "visited", "match_us"),
            "nodes are fewer; but our walk has all nodes of a level in its hand, and gains nothing by"
            " jumping.",
        ),
        Claim(
            "More aggressive analysis refines the successors.",
            lambda rows: _effect(rows, "refined", "successors") + ".",
            lambda rows: _fewer(rows, "refined", "successors", "visited"),
        ),
        Claim(
            "Factoring by index attributes improves the search further, at the cost of space.",
            lambda rows: _effect(rows, "factored", "collapsed") + ".",
            lambda rows: (
                _fewer(rows, "factored", "collapsed", "visited", "match_us")
                and not _fewer(rows, "factored", "collapsed", "space")
            ),
        ),
        Claim(
            "With tens of thousands of subscriptions an unoptimised prototype in Java matches an event in"
            " milliseconds (how many is lost).",
            lambda rows: f"{_pair(rows, 'all', 'none')[0]['match_us'] / 1000:.2f} ms at 25,000.",
            lambda rows: bool(_pair(rows, "all", "none")[0]["match_us"] < 10_000),
        ),
    ),
    cells=tuple({"optimisation": name, "subscriptions": size} for size in SIZES for name in OPTIMISATIONS),
    measure=measure,
    plot=Plot(
        x="subscriptions",
        x_label="subscriptions",
        y_label="nodes visited for an event",
        lines=(
            Line("bound of theorem 1", "bound", {"optimisation": "none"}),
            *(Line(name, "visited", {"optimisation": name}) for name in OPTIMISATIONS),
        ),
        is_log_x=True,
        is_log_y=True,
    ),
    columns={
        "optimisation": "optimisation",
        "subscriptions": "subscriptions",
        "visited": "nodes visited",
        "bound": "bound",
        "match_us": "us",
        "matches": "matches",
        "edges": "edges",
        "successors": "successors",
        "load_seconds": "load s",
        "events_taken": "events",
        "half_width": "95% within",
    },
    notes=lambda rows: _NOTES,
    weight=lambda cell: 1.0 + float(cell["subscriptions"]) / 100_000,
    most_seconds=1_800.0,
)

_NOTES = """\
- **The workload's numbers are ours**: 10 attributes of 5 values, the i-th tested with probability 0.98 x
  0.85^i, Zipf(1) test values, uniform events, 3 index attributes. So percentages cannot be compared with
  the paper's, which our copy has lost too.
- **Our walk takes a level at a time**, all its nodes at once in arrays. A node costs some nanoseconds, a
  step of the walk some microseconds. Collapsing and factoring make steps smaller. Successors make for
  fewer nodes and more steps: from node to successor to successor, where the plain walk has all nodes of a
  level in its hand anyway. A program that visits one node after the other would gain what the count of
  nodes says.
- **Factoring** looks at one of 6^3 subtrees, since value 0 stands for any that is not known; the paper
  has one for each possible value.
- **Space** counts an edge for every node but roots, leaves included.
"""

FIGURES = (SIMULATION,)
