"""What we say to the figures of paper 004: where we differ, and why. Numbers are those of the rows."""

from benchmarks.reproduce.figure import Rows
from benchmarks.reproduce.paper_004_comparing import at, first_and_last, name_of, ns_of_one, one_by_one
from matching.algorithms.dexin import FEW


def _ours(rows: Rows) -> str:
    there = dict.fromkeys(row["variant"] for row in rows)
    costs = ", ".join(f"{name_of(each)} {ns_of_one(rows, each):.2g}" for each in there)
    return f"""\
*Traversed* are the entries or subscriptions that a matcher looked at for an event, relative to all
subscriptions: the same on every machine. Time is the processor's, with NumPy; the paper's is Java's, with a
pointer and perhaps a cache miss for each. On this page one traversed costs, in ns and on average: {costs}.
An entry of a long array is counted or struck out in 1.5 to 2. H-Tree and BE-Tree look a subscription's ends
up by its number, attribute after attribute until one fails, which is 10 to 25 for each, and BE-Tree walks
its nodes one by one besides. DEXIN strikes out like REIN; then it tests all subscriptions in a row, in about
1.2 each, as long as more than {FEW:.0%} are left, of which only those left count as traversed."""


def times(rows: Rows) -> str:
    return f"""{_ours(rows)}

H-Tree stores a subscription at most eight times on average here; without such a budget it would check
fewer and need many times the memory. The l-nodes of BE-Tree hold 500, which are checked side by side, where
BE-Tree's own paper has some tens; this paper does not say what it took, nor H-Tree's cells."""


def deviations(rows: Rows) -> str:
    fewest, most = (bound(row["events_taken"] for row in rows) for bound in (min, max))
    return f"""{_ours(rows)}

A deviation is that of as many events as the mean needed, {fewest} to {most}; all take the first of the same
events. `--paper` takes a thousand each. The paper's deviations are 6 to 39 ms for the other five and below 2
for DEXIN. What is looked at does not differ so much between events; pauses of Java, such as collecting
garbage, may be in them: that is our supposition."""


def zipf(rows: Rows) -> str:
    return f"""{_ours(rows)}

The paper gives no exponent: ours is 1. Low values are the frequent ones, in subscriptions and in
events. So about half of REIN's time goes into the crowded bucket of the event's own value, whose ends it
compares one by one; DEXIN's slots are sorted, and searched."""


def subscribing(rows: Rows) -> str:
    return f"""\
The paper's figure has the total time in which all subscriptions are taken, one after the other; ours are
loaded at once, and packed by sorting. Much of that is the same for all matchers: numbering and compiling.

*add, us* is for one more, of 500 that are added singly. Most of it is the same for all too: predicates are
compiled to arrays, one subscription at a time, and the first of the 500 makes all arrays larger, which is
why it grows with N (DEXIN {first_and_last(rows, "dexin", "add_us", ",.0f")} us). What is added singly to
`rein`, `dexin`, `tama` and `h-tree` then waits to be packed with others, so the 500 cost them next to nothing
of their own, and slots that are sorted or linked make no difference yet; packing a thousand takes some
milliseconds. `be-tree` and `opindex` put each one where it belongs at once. The processor's time for 500
varies by tens of percent from run to run: differences of that size between matchers say nothing."""


def memory(rows: Rows) -> str:
    return """\
Bytes are all that the process grew by, and most of them are the same for all matchers: the
subscriptions' predicates as they are needed for the exact check, and the map from ids. H-Tree and BE-Tree,
which refer to a subscription and not to each of its ends, take less than DEXIN and REIN. A slot's runs
need no tree or links here, so sorted and linked slots take the same."""


def orders(rows: Rows) -> str:
    return """\
The cost is that of formula (6), in subscriptions traversed as a share of all; *above, p95* is by how much
the near-optimal one is above the optimal one for the same event, in 95 of 100 events at most. With two
attributes both are the same. The paper draws the constraints of some attributes from a uniform and of
others from a Zipf distribution; here all are uniform. The optimum is searched over all 2^M choices side by
side in arrays, which is as fast as exhaustive search gets; and still it doubles with every attribute."""


def methods(rows: Rows) -> str:
    last = at(rows, "dexin, exclusive", "ms", matching_rate=0.2), at(rows, "dexin", "ms", matching_rate=0.2)
    return f"""{_ours(rows)}

By the paper's measure, subscriptions traversed, the pipeline of both methods is the cheapest. By the
clock the inclusive method alone comes close to it or wins ({one_by_one(rows, "dexin, inclusive")} ms against
{one_by_one(rows, "dexin")}): its first step runs over two arrays from end to end, which a processor does
faster than striking out as many entries all over an array of marks. Where many match the exclusive method
alone wins ({last[0]:.1f} against {last[1]:.1f} ms): as many as match are left after each step, more than the
product of the rates makes expect, and every inclusive step of DEXIN looks each of them up. In the paper's
text the two explanations of the figure have the names of the methods exchanged; formulas (8) and (9) say
which is which."""
