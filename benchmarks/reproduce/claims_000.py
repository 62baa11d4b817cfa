"""What paper 000 claims outside its simulation (`paper_000`). Our copy has lost its numbers and formulas."""

from math import log

from benchmarks.reproduce.claims import Derived, Evidence, Judged, Paper, Verdict
from benchmarks.reproduce.figure import Rows
from benchmarks.reproduce.trends import exponent
from matching.workloads.aguilera import Aguilera

SIMULATION = "000-simulation"
TESTS = "[test_aguilera](../../tests/unit/matching/test_aguilera.py)"
LINEAR = 1.1  # the exponent up to which a growth is called linear: sorting is in it


def _plain(evidence: Evidence) -> Rows:
    return evidence.rows(SIMULATION).where(optimisation="none")


def _exponent_of_theorem() -> float:
    workload = Aguilera()
    return 1 - log(workload.values) / (log(workload.values) + log(workload.attributes + 1))


def _beside_all(evidence: Evidence) -> tuple[float, int]:
    last = _plain(evidence).every[-1]
    return last["visited"], last["subscriptions"]


PAPER = Paper(
    "000",
    "Aguilera et al., Matching Events in a Content-based Subscription System",
    (
        Derived(
            "section 4, corollary",
            "The expected time grows like N ^ (1 - ln V / (ln V + ln (K + 1))), K attributes of V values.",
            (SIMULATION,),
            lambda evidence: (
                f"Nodes visited grow like N ^ {exponent(_plain(evidence), 'visited'):.2f}; the corollary"
                f" allows"
                f" {_exponent_of_theorem():.2f}."
            ),
            lambda evidence: exponent(_plain(evidence), "visited") <= _exponent_of_theorem(),
            "the bound has a factor K + 1 and is far above at small N, so that a curve below it may be"
            " steeper.",
        ),
        Judged(
            "section 4",
            "In the worst case matching takes time linear in the number of subscriptions.",
            Verdict.NOT_APPLICABLE,
            "Shown by an example in which an event visits every node; no load of ours has such a tree.",
        ),
        Derived(
            "section 4",
            "Pre-processing takes time linear in the number of subscriptions.",
            (SIMULATION,),
            lambda evidence: f"Loading grows like N ^ {exponent(_large(evidence), 'load_seconds'):.2f}.",
            lambda evidence: exponent(_large(evidence), "load_seconds") <= LINEAR,
            "we build the tree by sorting all paths at once, in N log N.",
        ),
        Derived(
            "abstract, section 1",
            "The algorithm scales better than the naive one, which tests every subscription.",
            (SIMULATION,),
            lambda evidence: "{:,.0f} nodes visited for an event among {:,} subscriptions.".format(
                *_beside_all(evidence)
            ),
            lambda evidence: _beside_all(evidence)[0] < _beside_all(evidence)[1],
        ),
        Judged(
            "section 1",
            "Updates of subscriptions are incorporated incrementally.",
            Verdict.CONFIRMED,
            f"What is added later goes into the same tree, and nothing is rebuilt ({TESTS}); annotated"
            " successors keep their shape, and what comes later grows beside them.",
        ),
        Judged(
            "section 3",
            "If one test follows from another, the tree needs to evaluate fewer of them.",
            Verdict.CONFIRMED,
            f"Of the comparisons of an attribute only those that hold are asked, and the first that fails"
            f" ({TESTS}).",
        ),
        Judged(
            "section 5",
            "Factoring is scalable if the index attributes are few and seldom don't-cares.",
            Verdict.CONFIRMED,
            "A subscription that does not care is copied into every subtree; more than 4,096 subtrees are"
            " refused"
            f" ({TESTS}). What it costs in space is under section 7.",
        ),
        Judged(
            "section 6",
            "No other algorithm was known with sub-linear time and linear space; that of Gough and Smith"
            " needs"
            " exponential space.",
            Verdict.NOT_APPLICABLE,
            "About work of others. For the tree of Gough and Smith see paper 002, section 3.1.",
        ),
        Judged(
            "section 7",
            "By how many percent each optimisation reduces the time, and how many milliseconds the prototype"
            " takes.",
            Verdict.NOT_APPLICABLE,
            "The numbers are lost in our copy; whether each optimisation helps is measured below.",
        ),
        Judged(
            "section 7",
            "Analysis for range tests and of the optimisations is under way.",
            Verdict.NOT_APPLICABLE,
            "Announced, not claimed.",
        ),
    ),
)


def _large(evidence: Evidence) -> Rows:
    """From 10,000 on: below, what is the same for all sizes weighs more."""
    return Rows([row for row in _plain(evidence) if row["subscriptions"] >= 10_000])
