"""What paper 002 claims outside its figures (`paper_002`): its model, and its algorithms compared."""

from benchmarks.reproduce.claims import PERFORMANCE, Derived, Evidence, Judged, Paper, Verdict
from benchmarks.reproduce.figure import Rows
from benchmarks.reproduce.paper_002 import FAIR, LARGEST, PREFERRED, QUARANTINING

FIGURE, SIMULATION = "002-fig9a", "000-simulation"
LOAD = "lesubscribe-100k"
GOUGH, NAIVE, HANSON, AGUILERA, NEON = "gough", "naive", "hanson", "aguilera", "neon"
SEVERAL_MILLIONS = 5_000_000
EVENTS = "[test_events](../../tests/unit/schema_registry/test_events.py)"
PROPERTIES = "[test_properties](../../tests/unit/schema_registry/test_properties.py)"


def _matrix(
    where: str, said: str, key: str, unit: str, less: tuple[str, ...], more: tuple[str, ...], why: str = ""
) -> Derived:
    """At 100,000 subscriptions of the paper's load, each of the first has less of it than all others."""

    def each(evidence: Evidence, names: tuple[str, ...]) -> list[float]:
        return [evidence.matrix(LOAD, name, key) for name in names]

    def measured(evidence: Evidence) -> str:
        named = (f"{name} {evidence.matrix(LOAD, name, key):,.0f}" for name in (*less, *more))
        return f"At 100,000: {', '.join(named)} {unit}."

    def holds(evidence: Evidence) -> bool:
        return max(each(evidence, less)) < min(each(evidence, more))

    return Derived(where, said, (PERFORMANCE,), measured, holds, why)


def _a_day(evidence: Evidence) -> float:
    row = evidence.rows(FIGURE).one(algorithm=QUARANTINING, subscriptions=LARGEST, p=0.5, adding=True)
    return 86_400e6 / float(row["processing_us"])


def _beside_quarantining(evidence: Evidence, workload: str) -> float:
    group = f"{workload}-100k"
    return evidence.matrix(group, AGUILERA) / evidence.matrix(group, QUARANTINING)


def _growth_of_naive(evidence: Evidence) -> float:
    return evidence.matrix(LOAD, NAIVE) / evidence.matrix("lesubscribe-10k", NAIVE)


def _plain(evidence: Evidence) -> Rows:
    return evidence.rows(SIMULATION).where(optimisation="none")


def _most_of_bound(evidence: Evidence) -> float:
    return max(float(row["visited"] / row["bound"]) for row in _plain(evidence))


EVALUATED, TIME, BYTES = "evaluations_per_event", "us_per_event", "bytes_per_subscription"

PAPER = Paper(
    "002",
    "Fabret et al., Efficient Matching for Content-based Publish/Subscribe Systems (Le Subscribe)",
    (
        Derived(
            "section 1",
            "Several millions of subscriptions, which change, and several millions of events a day.",
            (FIGURE,),
            lambda evidence: (
                f"With {LARGEST:,} subscriptions quarantining has time for {_a_day(evidence):,.0f} events a"
                f" day on"
                " one core, receiving them included."
            ),
            lambda evidence: _a_day(evidence) > SEVERAL_MILLIONS,
        ),
        Judged(
            "section 2.1",
            "An integrated schema with views; rules R1, R2 and R3 say which events are valid, with the"
            " paper's own"
            " two examples.",
            Verdict.CONFIRMED,
            f"Each rule and both examples are tested ({EVENTS}); [schema](../schema.md).",
        ),
        Judged(
            "section 2.2",
            "The four extension rules cannot cause conflicts between publishers, nor inconsistencies.",
            Verdict.CONFIRMED,
            f"After any extension every valid event stays valid, and every schema loads ({PROPERTIES}).",
        ),
        Judged(
            "section 2.2",
            "Extensions may make the schema redundant, about which nothing is done.",
            Verdict.CONFIRMED,
            "They may. The publishers' console shows what is there already before something is made"
            " ([decision 66](../decisions.md)).",
        ),
        Judged(
            "section 2.3",
            "The language is simple and expressive: conjunctions of comparisons, kinds of categories,"
            " *contains*.",
            Verdict.CONFIRMED,
            "All of it is in ours, which has `or`, `not`, `in`, words and operators beside"
            " ([language](../language.md)).",
        ),
        Derived(
            "section 3.1",
            "The naive algorithm degrades as subscriptions become more.",
            (PERFORMANCE,),
            lambda evidence: (
                f"It takes {_growth_of_naive(evidence):.1f} times as long with 100,000 as with 10,000."
            ),
            lambda evidence: _growth_of_naive(evidence) > 5,
        ),
        _matrix(
            "section 3.1",
            "Naive evaluates the same predicates again and again; all others evaluate fewer.",
            EVALUATED,
            "evaluations",
            (FAIR, PREFERRED, QUARANTINING, GOUGH, HANSON, AGUILERA, NEON),
            (NAIVE,),
            "evaluations are counted as each algorithm works: those that count add one for every satisfied"
            " predicate of every subscription, where naive stops at the first that fails.",
        ),
        Judged(
            "section 3.1",
            "Fair-predicate stores and evaluates each predicate at most once; the price is one sum for each"
            " satisfied one of each subscription, and one comparison for each subscription.",
            Verdict.CONFIRMED,
            "By construction ([fair-predicate](../algorithms.md#fair-predicate)).",
        ),
        _matrix(
            "section 3.1",
            "Gough is faster than fair-predicate, at the price of space.",
            TIME,
            "us",
            (GOUGH,),
            (FAIR,),
            "three levels of 200 values would take 8 million nodes. With the memory it is given, most of what"
            " an event finds at its leaf is still open.",
        ),
        Judged(
            "section 3.1",
            "In the worst case Gough's tree explodes: the number of times a predicate is stored is"
            " combinatorial.",
            Verdict.CONFIRMED,
            "On the paper's own load it would not fit into any memory, so it has a budget of nodes"
            " ([gough](../algorithms.md#gough)).",
        ),
        Judged(
            "section 3.1",
            "Gough takes O(attributes log subscriptions).",
            Verdict.NOT_CONFIRMED,
            "Where the tree is whole, yes: one path, a search in each node. *Why:* on this load it cannot"
            " be whole,"
            " and what is open at the leaf has to be checked.",
        ),
        Judged(
            "section 3.1",
            "Gough's tree is built from scratch after changes; fair-predicate is maintained incrementally.",
            Verdict.CONFIRMED,
            "So it is here: the first event after an addition builds the tree.",
        ),
        _matrix(
            "section 3.1",
            "In space, others are between fair-predicate, which stores every predicate once, and Gough.",
            BYTES,
            "bytes for each subscription",
            (FAIR,),
            (PREFERRED, QUARANTINING, GOUGH),
        ),
        _matrix(
            "section 3.1",
            "Equality-preferred does fewer sums and comparisons than fair-predicate.",
            EVALUATED,
            "evaluations",
            (PREFERRED,),
            (FAIR,),
        ),
        _matrix(
            "section 3.1",
            "Quarantining may evaluate a comparison more than once, but the number of sums is drastically"
            " reduced.",
            EVALUATED,
            "evaluations",
            (QUARANTINING,),
            (PREFERRED,),
        ),
        Judged(
            "section 3.1",
            "Hanson needs to know selectivities; if they are unknown, or poor, so is its performance.",
            Verdict.CONFIRMED,
            "It learns them from events; [a test](../../tests/unit/matching/test_hanson.py) shows that it"
            " finds"
            " subscriptions by another predicate once it has seen which one is rare.",
        ),
        Judged(
            "section 3.1",
            "In an interval tree that is kept balanced a predicate is added or removed in O(log² N) on"
            " average.",
            Verdict.CONFIRMED,
            "By construction: an AVL tree in which marks move with rotations"
            " ([test](../../tests/unit/matching/test_interval_tree.py)). Not timed.",
        ),
        Derived(
            "section 3.1",
            "Aguilera's tree is less efficient where there are comparisons beside equalities.",
            (PERFORMANCE,),
            lambda evidence: (
                "At 100,000 subscriptions it takes"
                f" {_beside_quarantining(evidence, 'aguilera'):.2f} times as long as quarantining on"
                f" equalities"
                f" alone (`aguilera`), {_beside_quarantining(evidence, 'lesubscribe'):.2f} times on"
                f" `lesubscribe`."
            ),
            lambda evidence: (
                _beside_quarantining(evidence, "lesubscribe") > _beside_quarantining(evidence, "aguilera")
            ),
        ),
        Derived(
            "section 3.1",
            "Aguilera's tree: space O(N K), expected time below the bound of its theorem.",
            (SIMULATION,),
            lambda evidence: (
                f"At {_plain(evidence).every[-1]['subscriptions']:,} subscriptions of 10 attributes"
                f" {_plain(evidence).every[-1]['edges']:,} edges, and {_most_of_bound(evidence):.1%} of the"
                " bound at most."
            ),
            lambda evidence: (
                _most_of_bound(evidence) <= 1
                and all(row["edges"] <= 10 * row["subscriptions"] for row in _plain(evidence))
            ),
        ),
        _matrix(
            "section 3.1",
            "Neon stores and evaluates the same predicate as often as it appears.",
            EVALUATED,
            "evaluations",
            (FAIR,),
            (NEON,),
        ),
        Judged(
            "section 3.1",
            "Neon can be extended to compare two attributes of an event.",
            Verdict.NOT_APPLICABLE,
            "Our language has no such predicate ([decision 83](../decisions.md)).",
        ),
        Judged(
            "section 5",
            "The three algorithms can be spread over several processors, by clusters.",
            Verdict.NOT_APPLICABLE,
            "Not built: here subscriptions are spread over shards, and the engine matches in several"
            " [threads](../performance.md#threads).",
        ),
        Judged(
            "section 5",
            "Several event types can be handled by putting the type's name before that of the attribute.",
            Verdict.NOT_APPLICABLE,
            "Not needed: the type of an event is an attribute like others, and an event may have several.",
        ),
        Judged(
            "sections 1 and 5",
            "Publishers and subscribers use HTTP or Java RMI; it is the first such service for the Web.",
            Verdict.NOT_APPLICABLE,
            "There is HTTP ([publishing](../publishing.md)), and no RMI.",
        ),
    ),
)
