"""Why claims of paper 004's figures do not hold here: sentences made of the rows.

What is said of how a matcher goes about it follows from its code (`matching.algorithms`); numbers are those
of the cells, and of `passes`.
"""

from math import sqrt

from benchmarks.reproduce import passes
from benchmarks.reproduce.figure import Rows
from benchmarks.reproduce.paper_004_comparing import (
    NAMES,
    OTHERS,
    at,
    faster,
    first_and_last,
    growth,
    mean,
    ns_of_one,
    one_by_one,
    relative_deviation,
)
from matching.algorithms.dexin import FEW
from matching.workloads.dexin import Dexin

TEST = "[a test](../../tests/unit/benchmarks/test_paper_004.py)"
PASSES = f"runs over the marks of all subscriptions as long as more than {FEW:.0%} are left"
WIDTHS = (0.1, 0.3, 0.5, 0.7, 0.9)
ATTRIBUTES = (2, 6, 10, 14, 22)


def passes_by_width() -> str:
    workloads = (Dexin(min_width=width, max_width=width) for width in WIDTHS)
    return f"{passes.said(*workloads)} times an event at {', '.join(map(str, WIDTHS))}"


def passes_by_attributes() -> str:
    workloads = (Dexin(attributes=count) for count in ATTRIBUTES)
    return f"{passes.said(*workloads)} times an event with {', '.join(map(str, ATTRIBUTES))} attributes"


def ns_of_each(rows: Rows) -> str:
    """What one that is traversed costs, by matcher."""
    return ", ".join(f"{NAMES[variant]} {ns_of_one(rows, variant):.2g}" for variant in NAMES)


def costs(rows: Rows) -> str:
    """Where times are not in proportion to what is looked at."""
    return (
        "what is looked at is not equally dear; ns for each entry or subscription looked at:"
        f" {ns_of_each(rows)}."
        " Entries of long arrays are cheap, subscriptions looked up by number, attribute after attribute, are"
        " not."
    )


def deviation(rows: Rows) -> str:
    relative = {each: relative_deviation(rows, each) for each in ("dexin", "tama", "rein")}
    fewest = min(row["events_taken"] for row in rows)
    return (
        f"our DEXIN {PASSES}, {passes.said(Dexin())} times an event with ten attributes, and its time hangs"
        f" on that: its deviation is {relative['dexin']:.0%} of its mean, TAMA's {relative['tama']:.0%},"
        f" REIN's {relative['rein']:.0%}, who sum over all attributes, which evens out. In what it traverses,"
        f" which is what the paper counts, it does differ less from event to event than they and OpIndex"
        f" ({TEST}). And from {fewest} events, which was enough for some means, a deviation is known to"
        f" {1 / sqrt(2 * (fewest - 1)):.0%} only."
    )


def be_tree_by_attributes(rows: Rows) -> str:
    return (
        f"ours looks at {first_and_last(rows, 'be-tree', form='.0%')} of all subscriptions: the more"
        " attributes, the likelier one of them has a narrow constraint, and the tree finds the subscription"
        " by it. That of the paper has costs that accumulate; which capacity and score it had is not said."
    )


def dexin_by_attributes(rows: Rows) -> str:
    traversed = [at(rows, "dexin", "traversed", attributes=count) for count in (6, 22)]
    return (
        f"it gets faster. What it traverses does stay, {traversed[0]:.2f} to {traversed[1]:.2f} of all; but"
        f" the more attributes, the fewer are left after the first of them, and our DEXIN {PASSES}:"
        f" {passes_by_attributes()}."
    )


def h_tree_by_width(rows: Rows) -> str:
    checked = [at(rows, "h-tree", "traversed", width=width) for width in (0.3, 0.5, 0.7, 0.9)]
    return (
        "a subscription may be copied eight times on average here, so wide ranges cost checks instead of"
        f" copies: of {checked[0]:.0%}, {checked[1]:.0%}, {checked[2]:.0%} and {checked[3]:.0%} of all"
        " subscriptions, and it cannot check more than all."
    )


def dexin_by_width(rows: Rows) -> str:
    until = at(rows, "dexin", "ms", width=0.5) / at(rows, "dexin", "ms", width=0.1)
    return (
        f"up to 0.5 it does ({until:.2f}). Of wider ranges more are left after each attribute: it traverses"
        f" {first_and_last(rows, 'dexin')} of all, and {PASSES}: {passes_by_width()}."
    )


def not_the_fastest(rows: Rows) -> str:
    return f"faster are {faster(rows)}; {costs(rows)}"


def cardinality(rows: Rows) -> str:
    changes = [growth(rows, each, "traversed") - 1 for each in NAMES]
    return (
        "all six compare values as numbers here, however many there are, and look at as much (from the first"
        f" cardinality to the last {min(changes):+.1%} to {max(changes):+.1%}). For what is left of the"
        " differences we know no reason; each mean is known to 5%."
    )


def rein_by_points(rows: Rows) -> str:
    return (
        "it strikes out whoever does not match an attribute, and hardly any event matches a point:"
        f" {first_and_last(rows, 'rein')} times the number of subscriptions. By formula (8) too its cost"
        " grows as rates fall, so it could be flat only if its time did not follow its cost."
    )


def rein_by_rate(rows: Rows) -> str:
    return (
        f"it does strike out fewer ({first_and_last(rows, 'rein')} times the number of subscriptions). But at"
        " a rate of 20% there are five different events, whose values all points have, and its buckets are"
        " not sorted: those in the value's own bucket are compared one by one, half of its time. DEXIN's"
        " exclusive method alone, which strikes out the same from sorted slots, gets faster"
        " ([004-fig17](004-fig17.md))."
    )


def dexin_by_rate(rows: Rows) -> str:
    highest = at(rows, "dexin", "matching", matching_rate=0.2)
    return (
        f"where {highest:.0%} match, as many are left after every attribute, so each inclusive step traverses"
        f" at least these: {first_and_last(rows, 'dexin')} times all subscriptions, by the paper's own"
        " formula. And the pipeline multiplies rates as if attributes had nothing to do with each other: it"
        f" expects fewer than {FEW:.0%} to be left soon, and has them looked up one by one."
    )


def next_best_by_rate(rows: Rows) -> str:
    over = 1 - mean(rows, "dexin") / mean(rows, "be-tree")
    best = min(OTHERS, key=lambda each: mean(rows, each))
    last = rows.where(variant="be-tree").every[-1]
    ns = last["ms"] * 1e6 / last["traversed"] / last["subscriptions"]
    return (
        f"over BE-Tree it wins, by {over:.0%}. But the next best is {NAMES[best]} here, with"
        f" {mean(rows, best):.3g} against {mean(rows, 'dexin'):.3g} ms: it counts entries of long arrays, in"
        f" {ns_of_one(rows, best):.2g} ns each, while BE-Tree checks those that match on every attribute, in"
        f" {ns:.0f} ns at the highest rate; and DEXIN is not stable (see above)."
    )


def loading(rows: Rows) -> str:
    own = mean(rows, "dexin", "load_seconds")
    named = {each: mean(rows, each, "load_seconds") for each in ("tama", "h-tree", "be-tree", "opindex")}
    slower = " and ".join(NAMES[each] for each, time in named.items() if time > own) or "none of them"
    faster = " and ".join(NAMES[each] for each, time in named.items() if time <= own)
    return (
        f"than {slower} it does; {faster} are faster here, where all are loaded at once: DEXIN sorts the low"
        " and the high ends of every attribute apart, H-Tree its copies once, and BE-Tree only divides, with"
        " nothing to arrange anew as subscriptions come one after the other."
    )


def methods(rows: Rows) -> str:
    one, two = "dexin, inclusive", "dexin, exclusive"
    return (
        "the order minimises what is traversed, and of that both together have least; but the paper takes all"
        " traversed to cost the same. At the highest rate the exclusive method alone strikes out"
        f" {at(rows, two, 'traversed', matching_rate=0.2):.1f} times all subscriptions in"
        f" {at(rows, two, 'ms', matching_rate=0.2):.1f} ms; both together traverse"
        f" {at(rows, 'dexin', 'traversed', matching_rate=0.2):.1f} in"
        f" {at(rows, 'dexin', 'ms', matching_rate=0.2):.1f} ms, most of them subscriptions that are left to"
        " the end and looked up by number. At low rates the inclusive method's first step, a pass over two"
        " arrays from end to end, is the cheaper: it alone takes"
        f" {one_by_one(rows, one)} ms at the three rates, both together {one_by_one(rows, 'dexin')}."
    )
