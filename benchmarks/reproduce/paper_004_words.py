"""What we say to the figures of paper 004: where we differ, and why."""

from benchmarks.reproduce.figure import Rows

OURS = """\
*Traversed* are the entries or subscriptions that a matcher looked at for an event, relative to all
subscriptions: the same on every machine. Time is the processor's, with NumPy; the paper's is Java's.
Our matchers are laid out for it, so what costs a pointer and a cache miss there may cost a tenth here,
and the other way round: an entry of a sorted list is struck out in about 1.5 ns, a subscription looked
up by its number in 10 to 25, one of many in a row tested in 0.6."""


def times(rows: Rows) -> str:
    return f"""{OURS}

H-Tree stores a subscription at most eight times on average here; without such a budget it would check
fewer and need many times the memory. BE-Tree checks its l-nodes side by side, for which the paper's
capacity would be far too small."""


def zipf(rows: Rows) -> str:
    return f"""{OURS}

The paper gives no exponent: ours is 1. Low values are the frequent ones, in subscriptions and in
events."""


def subscribing(rows: Rows) -> str:
    return """\
Adding a subscription costs us some hundred microseconds before any structure is touched: predicates are
compiled to arrays, one subscription at a time, by the same code for all. What is added singly to
`rein`, `dexin`, `tama` and `h-tree` then waits to be packed with others, so the 500 that are added here
cost them next to nothing of their own, and slots that are sorted or linked make no difference yet;
packing a thousand takes some milliseconds. `be-tree` and `opindex` put each one where it belongs at
once."""


def memory(rows: Rows) -> str:
    return """\
Bytes are all that the process grew by, and most of them are the same for all matchers: the
subscriptions' predicates as they are needed for the exact check, and the map from ids. A slot's runs
need no tree or links here, so sorted and linked slots take the same."""


def orders(rows: Rows) -> str:
    return """\
The cost is that of formula (6), in subscriptions traversed as a share of all. The paper draws the
constraints of some attributes from a uniform and of others from a Zipf distribution; here all are
uniform. The optimum is searched over all 2^M choices side by side in arrays, which is as fast as
exhaustive search gets; up to M = 18, since it doubles with every attribute."""


def methods(rows: Rows) -> str:
    return f"""{OURS}

By the paper's measure, subscriptions traversed, the pipeline of both methods is the cheapest. By the
clock the inclusive method alone may come close to it or win: its first step runs over two arrays from
end to end, which a processor does faster than striking out as many entries all over an array of marks.
In the paper's text the two explanations of the figure have the names of the methods exchanged; formulas
(8) and (9) say which is which."""
