"""What paper 003 claims outside its figures and tables (`paper_003`)."""

from benchmarks.reproduce.claims import PERFORMANCE, Derived, Evidence, Judged, Paper, Verdict
from benchmarks.reproduce.figure import Row, Rows
from benchmarks.reproduce.trends import exponent

TESTS = "[test_topss](../../tests/unit/matching/test_topss.py)"
MILLION = 1_000_000
PREDICATES_OF_W4 = 400
FIG2, FIG3, FIG4 = "003-fig2-3", "003-fig3", "003-fig4"


def _at(evidence: Evidence, variant: str, figure: str = FIG3) -> Row:
    return evidence.rows(figure).one(variant=variant, subscriptions=MILLION)


def _dense(evidence: Evidence, scheme: str) -> float:
    """On W0, of whose 120,000 possible predicates 100,000 are there."""
    figure = "003-fig2-1" if scheme == "table" else "003-fig2-2"
    return float(evidence.rows(figure).one(workload="W0", scheme=scheme, different=100_000)["ms"])


def _stage_two(evidence: Evidence, variant: str) -> float:
    """From 100,000 on: below, what an event costs anyway is most of it."""
    rows = evidence.rows(FIG3).where(variant=variant)
    return exponent(Rows([row for row in rows if row["subscriptions"] >= 100_000]), "subscriptions_ms")


def _bits(evidence: Evidence) -> tuple[float, float]:
    """Megabytes of the matrix, and what predicates times subscriptions make."""
    return float(_at(evidence, "bit")["mb"]), PREDICATES_OF_W4 * MILLION / 8 / 1e6


PAPER = Paper(
    "003",
    "Ashayer, Leung and Jacobsen, Predicate Matching and Subscription Matching in Publish/Subscribe Systems"
    " (ToPSS)",
    (
        Judged(
            "section 1",
            "A DBMS gives storage, indexing, changes and transactions for free; nobody had tried to match"
            " in one.",
            Verdict.NOT_APPLICABLE,
            "About work of others. `dbms-sequential` and `dbms-grouping` run in SQLite, PostgreSQL and"
            " DuckDB.",
        ),
        Judged(
            "section 3",
            "Numbers of predicates and subscriptions are given again when they are free, so nothing has"
            " holes; the"
            " same predicate of several subscriptions is stored once.",
            Verdict.CONFIRMED,
            TESTS,
        ),
        Judged(
            "section 3.1",
            "With ordered lists every operation costs O(n) for each operator; better structures could be"
            " used.",
            Verdict.NOT_APPLICABLE,
            "Ours are the better ones: sorted arrays, found into in O(log n).",
        ),
        Judged(
            "section 3.2",
            "A table takes O(1) to insert, to delete and to look up, besides going through what is found.",
            Verdict.CONFIRMED,
            f"By construction: an array over the domain, indexed by value ({TESTS}).",
        ),
        Judged(
            "section 3.2",
            "One look-up finds all satisfied predicates of an attribute: what holds for 7 holds beyond it.",
            Verdict.CONFIRMED,
            f"A table and a list find the same predicates, for all operators ({TESTS}).",
        ),
        Judged(
            "section 3.2",
            "The table's strength is its behaviour in the cache.",
            Verdict.NOT_APPLICABLE,
            "Cache misses were not counted, neither there nor here.",
        ),
        Judged(
            "section 3.3",
            "Counting needs no statistics about predicates.",
            Verdict.CONFIRMED,
            "By construction ([topss](../algorithms.md#topss-list-topss-bit-topss-byte)).",
        ),
        Derived(
            "section 3.3",
            "Counting is not the most efficient algorithm.",
            (PERFORMANCE,),
            lambda evidence: (
                f"On `lesubscribe` at a million topss-list takes {_times(evidence, 'lesubscribe-1M'):.1f}"
                f" times as"
                " long as quarantining."
            ),
            lambda evidence: _times(evidence, "lesubscribe-1M") > 1,
        ),
        Judged(
            "section 3.3",
            "At most 256 predicates for a subscription, which is easily relaxed.",
            Verdict.CONFIRMED,
            f"It is relaxed here ({TESTS}).",
        ),
        Derived(
            "section 3.3",
            "The matrix of bits takes n x m bits for n subscriptions and m predicates.",
            (FIG3,),
            lambda evidence: "At a million {:,.1f} MB, where n m / 8 is {:,.1f}.".format(*_bits(evidence)),
            lambda evidence: 1 <= _bits(evidence)[0] / _bits(evidence)[1] < 1.05,
        ),
        Derived(
            "section 3.3",
            "For deletion lists need another table, with as many entries.",
            (FIG4,),
            lambda evidence: (
                f"At a million {_at(evidence, 'list', FIG4)['mb']:,.0f} MB of lists, and"
                f" {_reverse(evidence):,.0f} MB for the other table: as many entries, in a million short"
                " lists instead of 400 long ones, and where each begins."
            ),
            lambda evidence: _reverse(evidence) > 0.5 * float(_at(evidence, "list", FIG4)["mb"]),
        ),
        Derived(
            "section 3.3",
            "In a matrix a subscription is deleted, or inserted, very efficiently.",
            (FIG3,),
            lambda evidence: (
                f"At a million removing one takes {_at(evidence, 'bit')['remove_us']:.0f} us with bits,"
                f" {_at(evidence, 'list')['remove_us']:.0f} us with lists; adding one"
                f" {_at(evidence, 'bit')['add_us']:,.0f} and {_at(evidence, 'list')['add_us']:,.0f} us,"
                f" nearly all"
                " of it to compile the subscription."
            ),
            lambda evidence: _at(evidence, "bit")["remove_us"] < _at(evidence, "list")["remove_us"],
        ),
        Derived(
            "section 3.3",
            "Matching costs satisfied predicates times subscriptions with a matrix, times subscriptions of"
            " each with"
            " lists: linear in subscriptions.",
            (FIG3,),
            lambda evidence: (
                f"From 100,000 on stage two grows like N ^ {_stage_two(evidence, 'list'):.2f} with lists, N ^"
                f" {_stage_two(evidence, 'bit'):.2f} with bits, N ^ {_stage_two(evidence, 'byte'):.2f} with"
                f" bytes."
            ),
            lambda evidence: all(0.7 < _stage_two(evidence, each) < 1.3 for each in ("list", "bit", "byte")),
            "the hits of millions do not fit into the cache, and lists go all over them.",
        ),
        Judged(
            "section 4.2",
            "The bottleneck of grouping is the relation of subscriptions and predicates, as large as the"
            " one of"
            " sequential search.",
            Verdict.CONFIRMED,
            "The [query plans](../query-plans) of all three databases say so.",
        ),
        Judged(
            "section 5.1",
            "Repeated runs vary by less than 0.1%.",
            Verdict.NOT_APPLICABLE,
            "Ours is a virtual machine; the interval of every mean stands beside it.",
        ),
        Derived(
            "section 6",
            "Predicate evaluation benefits significantly from tables if many predicates are over the same"
            " domain.",
            ("003-fig2-1", "003-fig2-2"),
            lambda evidence: (
                f"With 100,000 of the 120,000 predicates that W0 can have: {_dense(evidence, 'table'):.2f}"
                f" ms with"
                f" tables, {_dense(evidence, 'list'):.2f} ms with lists."
            ),
            lambda evidence: _dense(evidence, "table") < 0.9 * _dense(evidence, "list"),
            "against linked lists it would; our lists are sorted arrays of what is there, which is found by"
            " binary search and in one piece.",
        ),
        Judged(
            "section 6",
            "For applications with fewer subscriptions or events a DBMS may be the right choice.",
            Verdict.NOT_APPLICABLE,
            "Left open by the paper. [Our guide](../algorithms.md#which-one) says when we think so.",
        ),
    ),
)


def _times(evidence: Evidence, group: str) -> float:
    return evidence.matrix(group, "topss-list") / evidence.matrix(group, "quarantining")


def _reverse(evidence: Evidence) -> float:
    row = _at(evidence, "list", FIG4)
    return float(row["mb_with_removal"] - row["mb"])
