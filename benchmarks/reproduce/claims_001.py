"""What paper 001 claims outside its figures (`paper_001`)."""

from collections.abc import Callable

from benchmarks.reproduce.claims import Derived, Evidence, Judged, Paper, Verdict
from benchmarks.reproduce.figure import Row
from benchmarks.reproduce.trends import exponent

FIGURES = tuple(f"001-fig{number}" for number in range(4, 9))
STRATEGIES = "[test_operator_strategies](../../tests/unit/matching/test_operator_strategies.py)"
CHAINS = "[test_operator_chains](../../tests/unit/matching/test_operator_chains.py)"
GOOD = 1.25  # times what one who knows the truth evaluates


def _most(evidence: Evidence, number: Callable[[Row], float], figures: tuple[str, ...] = FIGURES) -> float:
    return max(number(row) for name in figures for row in evidence.rows(name))


def _saved(evidence: Evidence) -> float:
    """By the better of the paper's two algorithms, where it saves most."""
    return _most(evidence, lambda row: 1 - min(row["sequential"], row["pairwise"]) / row["naive"])


def _beside_yardstick(evidence: Evidence) -> float:
    return _most(evidence, lambda row: float(row["pairwise"] / row["yardstick"]))


def _share_of_guarantee(evidence: Evidence) -> float:
    return _most(
        evidence, lambda row: row["sequential"] / row["yardstick"] / row["max_length"], ("001-fig7",)
    )


PAPER = Paper(
    "001",
    "Liu et al., Scalable Event Matching for Overlapping Subscriptions in Pub/Sub Systems",
    (
        Derived(
            "abstract, section 1",
            "The algorithms reduce the cost of matching by up to 80%, compared to naive.",
            FIGURES,
            lambda evidence: f"By up to {_saved(evidence):.0%}.",
            lambda evidence: round(_saved(evidence), 2) >= 0.8,
            "the 80% of figure 4 are beyond any algorithm with subscriptions drawn as the paper says; with"
            " Zipf"
            " popularity the paper's two algorithms just miss them.",
        ),
        Derived(
            "section 1",
            "The cost is sublinear in the number of subscriptions.",
            ("001-fig4", "001-fig5"),
            lambda evidence: (
                "Evaluations grow like N ^ "
                + ", ".join(
                    f"{exponent(evidence.rows(name), column):.2f} ({column}, {popularity})"
                    for name, popularity in (("001-fig4", "uniform"), ("001-fig5", "Zipf"))
                    for column in ("sequential", "pairwise")
                )
                + "."
            ),
            lambda evidence: all(
                exponent(evidence.rows(name), column) < 0.9
                for name in ("001-fig4", "001-fig5")
                for column in ("sequential", "pairwise")
            ),
        ),
        Judged(
            "section 3, theorem 1",
            "The problem is NP-hard, and cannot be approximated better than by log n.",
            Verdict.NOT_APPLICABLE,
            "A proof, by reduction of set cover.",
        ),
        Judged(
            "section 4.1, theorem 2",
            "Sequential evaluates at most d times as many predicates as the optimum, d being the longest"
            " subscription.",
            Verdict.CONFIRMED,
            f"Compared with the exact optimum on small instances drawn at random ({STRATEGIES}).",
        ),
        Judged(
            "section 1",
            "Predicates that are rarely true, and those that many subscriptions have, should be evaluated"
            " early.",
            Verdict.CONFIRMED,
            "An order by both at once ([by gain](../algorithms.md#expensive-operators)) is never worse than"
            " Sequential, nor than the paper's own order, which goes by the first alone.",
        ),
        Judged(
            "section 4.2.3",
            "Nodes of a chain by ascending selectivity decide it at the least expected cost, 1 + p1 + p1 p2"
            " + ...",
            Verdict.CONFIRMED,
            f"Compared with the expectation over all outcomes ({CHAINS}). (Section 4.2.1 says *decreasing*,"
            f" by"
            " mistake.)",
        ),
        Judged(
            "section 4.2.4",
            "The difference in cost of the two orders of two chains, with one link and with several; none if"
            " they are linked at their tops; links never cross.",
            Verdict.CONFIRMED,
            f"Compared with the expectation over all outcomes ({CHAINS}); predicates that are true equally"
            f" often"
            " are in one order in all chains, so that links cannot cross.",
        ),
        Judged(
            "section 4.2.5",
            "Ordering all chains by pairs is a travelling salesman problem, hard to approximate.",
            Verdict.NOT_APPLICABLE,
            "A statement about complexity.",
        ),
        Derived(
            "section 4.2.5",
            "The greedy choice of pairs, as in Kruskal's algorithm, produces good results in practice.",
            FIGURES,
            lambda evidence: (
                f"It evaluates up to {_beside_yardstick(evidence):.2f} times as many as a greedy who knows"
                f" all"
                " truth values in advance."
            ),
            lambda evidence: _beside_yardstick(evidence) <= GOOD,
            "pairs do not see that a predicate is in thousands of chains; an order by gain does.",
        ),
        Judged(
            "section 4.3",
            "With differing costs Sequential's guarantee becomes d Cmax / Cmin, and in Sub-Order's formulas"
            " probabilities are multiplied by costs.",
            Verdict.NOT_CONFIRMED,
            "The guarantee follows from theorem 2. *Why:* a probability times a cost is no expectation: a"
            " node has to count with its cost instead of 1, and chains go by cost / (1 - p). So it is here,"
            f" and who knows the costs spends less ({STRATEGIES}).",
        ),
        Judged(
            "section 5.1",
            "Subscribers subscribe, unsubscribe and renew; a subscription is valid for a time, one day if"
            " nothing"
            " is said; tickets prove whose it is.",
            Verdict.CONFIRMED,
            "All of it is there (`matching/tickets.py`, [using](../using.md)), with 30 days instead of one; a"
            " ticket is a random secret, of which only a digest is kept.",
        ),
        Judged(
            "section 5.1",
            "Operators can be plugged in; predicates and subscriptions are looked up in constant time, for"
            " which"
            " the graph is stored twice.",
            Verdict.CONFIRMED,
            "[Operators](../operators.md) are plug-ins; the graph is kept in both directions.",
        ),
        Judged(
            "section 2.2",
            "Joining variable bindings costs little beside operators.",
            Verdict.NOT_APPLICABLE,
            "Assumed, not shown. Here joins are bounded, at 1,000 rows an answer and 20,000 steps.",
        ),
        Judged(
            "section 5.3.2",
            "With uniform popularity, results by number of predicates are similar.",
            Verdict.NOT_APPLICABLE,
            "The paper shows no numbers; [001-numbers](001-numbers.md) has uniform popularity at 30,000.",
        ),
        Derived(
            "section 5.3.3",
            "In practice Sequential performs much better than its guarantee of d times the optimum.",
            ("001-fig7",),
            lambda evidence: (
                f"It evaluates at most {_share_of_guarantee(evidence):.0%} of d times what the yardstick"
                f" does."
            ),
            lambda evidence: _share_of_guarantee(evidence) < 0.5,
        ),
    ),
)
