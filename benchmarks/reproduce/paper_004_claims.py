"""What the text of paper 004 says of its figures, and by what rule that holds of our rows.

A sentence of the paper about several matchers is several claims where some of it may hold and some not.
Times are compared by factors from the first to the last value; "nearly" means a factor below
`paper_004_comparing.NEARLY` either way.
"""

from collections.abc import Callable, Iterable

from benchmarks.reproduce import paper_004_whys as whys
from benchmarks.reproduce.figure import Claim, Rows
from benchmarks.reproduce.paper_004_comparing import (
    NAMES,
    OTHERS,
    at,
    each_of,
    faster,
    grows_least,
    growth,
    growths,
    is_least,
    is_nearly_flat,
    mean,
    one_by_one,
    places_won,
    shares,
    won,
)

LINKED, INCLUSIVE, EXCLUSIVE = "dexin, linked", "dexin, inclusive", "dexin, exclusive"
METHODS = ("dexin", INCLUSIVE, EXCLUSIVE)
COUNTING_OR_CHECKING = ("tama", "h-tree", "be-tree", "opindex")
NOTABLE = 1.5  # what grows "slightly" or "slowly" grows by less

Why = Callable[[Rows], str]


def _grow(said: str, variants: Iterable[str], holds: Callable[[float], bool], why: Why = whys.costs) -> Claim:
    """That the times of these grow by factors of which something is true."""
    variants = tuple(variants)
    return Claim(
        said,
        lambda rows: f"From the first to the last value, by factors: {growths(rows, 'ms', variants)}.",
        lambda rows: all(holds(growth(rows, each)) for each in variants),
        why,
    )


def _is_fastest(said: str) -> Claim:
    return Claim(
        said,
        lambda rows: f"DEXIN takes {shares(rows)}.",
        lambda rows: is_least(rows, "ms"),
        whys.not_the_fastest,
    )


def _late(rows: Rows, first: int = 6) -> float:
    return at(rows, "dexin", "ms", attributes=22) / at(rows, "dexin", "ms", attributes=first)


def _ratio(rows: Rows, variant: str, column: str) -> float:
    """To REIN's."""
    return mean(rows, variant, column) / mean(rows, "rein", column)


def _factors(rows: Rows, first: int, last: int) -> dict[str, float]:
    """Of time, from one cardinality to another."""
    return {
        each: at(rows, each, "ms", cardinality=last) / at(rows, each, "ms", cardinality=first)
        for each in NAMES
    }


def _listed(numbers: dict[str, float]) -> str:
    return ", ".join(f"{NAMES[each]} {number:.2f}" for each, number in numbers.items())


FIGURE_2 = (
    _is_fastest(
        "DEXIN is the fastest at every N: on average it takes 20.18% of TAMA's time, 64.28% of"
        " H-Tree's, 68.36% of BE-Tree's, 26.4% of OpIndex's, 38.49% of REIN's."
    ),
    Claim(
        "All grow with N; the slope of DEXIN's curve is the lowest.",
        lambda rows: f"From the first to the last value, by factors: {growths(rows)}.",
        lambda rows: grows_least(rows) and all(growth(rows, each) > 1 for each in NAMES),
        whys.costs,
    ),
)
FIGURE_3 = (
    Claim(
        "DEXIN has the lowest standard deviation at every N; the means are TAMA 27.49, H-Tree 36.02,"
        " BE-Tree 5.74, OpIndex 13.39, REIN 11.87, DEXIN 1.52.",
        lambda rows: (
            f"Means: {each_of(rows, 'std_ms')} DEXIN's is the lowest at {won(rows, 'std_ms')} sizes."
        ),
        lambda rows: is_least(rows, "std_ms"),
        whys.deviation,
    ),
)
FIGURE_4 = (
    _grow(
        "TAMA, OpIndex and REIN grow with M.", ("tama", "opindex", "rein"), lambda factor: factor > NOTABLE
    ),
    _grow("BE-Tree grows with M.", ("be-tree",), lambda factor: factor > 1, whys.be_tree_by_attributes),
    Claim(
        "DEXIN rises slightly up to M = 6.",
        lambda rows: f"{one_by_one(rows, 'dexin')} ms at 2, 6, 10, 14 and 22 attributes.",
        lambda rows: (
            1 < at(rows, "dexin", "ms", attributes=6) / at(rows, "dexin", "ms", attributes=2) < NOTABLE
        ),
        whys.costs,
    ),
    Claim(
        "From M = 6 on DEXIN stays nearly the same.",
        lambda rows: f"From 6 to 22 attributes by a factor of {_late(rows):.2f}.",
        lambda rows: is_nearly_flat(_late(rows)),
        whys.dexin_by_attributes,
    ),
)
FIGURE_5 = (
    Claim(
        "DEXIN is the most stable, on average; the means are TAMA 28.13, H-Tree 39.32, BE-Tree 6.17, OpIndex"
        " 11.38, REIN 11.47, DEXIN 1.7.",
        lambda rows: each_of(rows, "std_ms"),
        lambda rows: all(mean(rows, "dexin", "std_ms") < mean(rows, each, "std_ms") for each in OTHERS),
        whys.deviation,
    ),
)
FIGURE_6 = (
    _grow("TAMA grows rapidly with the width of ranges.", ("tama",), lambda factor: factor > 2),
    Claim(
        "Up to a width of 0.3 H-Tree is the fastest.",
        lambda rows: (
            ". ".join(f"At {width}: {each_of(rows.where(width=width), 'ms')[:-1]} ms" for width in (0.1, 0.3))
            + "."
        ),
        lambda rows: all(
            mean(rows.where(width=width), "h-tree")
            == min(mean(rows.where(width=width), each) for each in NAMES)
            for width in (0.1, 0.3)
        ),
        whys.costs,
    ),
    Claim(
        "From there on H-Tree increases exponentially.",
        lambda rows: f"{one_by_one(rows, 'h-tree')} ms at 0.1, 0.3, 0.5, 0.7 and 0.9.",
        lambda rows: all(
            at(rows, "h-tree", "ms", width=wider) > 2 * at(rows, "h-tree", "ms", width=width)
            for width, wider in ((0.3, 0.5), (0.5, 0.7), (0.7, 0.9))
        ),
        whys.h_tree_by_width,
    ),
    _grow("REIN falls.", ("rein",), lambda factor: factor < 1),
    _grow("DEXIN stays nearly the same.", ("dexin",), is_nearly_flat, whys.dexin_by_width),
)
ZIPF = (
    Claim(
        "DEXIN leads in most cases (section 5), with a Zipf distribution too.",
        lambda rows: (
            f"DEXIN takes {shares(rows)}; it is the fastest in {won(rows, 'ms')}"
            + (f", faster are {others}." if (others := faster(rows)) else ".")
        ),
        lambda rows: 2 * places_won(rows, "ms")[0] > places_won(rows, "ms")[1],
        whys.not_the_fastest,
    ),
)
FIGURE_10 = (
    Claim(
        "DEXIN outperforms the others by more than 26.88%.",
        lambda rows: f"DEXIN takes {shares(rows)}.",
        lambda rows: all(mean(rows, "dexin") < (1 - 0.2688) * mean(rows, each) for each in OTHERS),
        whys.costs,
    ),
    Claim(
        "Below a cardinality of 1,000 all increase very slowly.",
        lambda rows: f"From 100 to 10,000 values by these factors: {_listed(_factors(rows, 100, 10_000))}.",
        lambda rows: all(1 <= factor < NOTABLE for factor in _factors(rows, 100, 10_000).values()),
        whys.cardinality,
    ),
    Claim(
        "From 1,000 on they stay, but for slight rises and falls.",
        lambda rows: (
            f"From 10,000 to a million by these factors: {_listed(_factors(rows, 10_000, 1_000_000))}."
        ),
        lambda rows: all(is_nearly_flat(each) for each in _factors(rows, 10_000, 1_000_000).values()),
        whys.cardinality,
    ),
)
FIGURE_11 = (
    _grow(
        "TAMA, H-Tree, BE-Tree and OpIndex fall as points become more.",
        COUNTING_OR_CHECKING,
        lambda factor: factor < 1,
    ),
    _grow("REIN stays nearly flat.", ("rein",), is_nearly_flat, whys.rein_by_points),
    _grow("DEXIN stays nearly flat.", ("dexin",), is_nearly_flat),
)
FIGURE_12 = (
    _grow(
        "TAMA, H-Tree, BE-Tree and OpIndex grow with the matching rate.",
        COUNTING_OR_CHECKING,
        lambda factor: factor > 1,
    ),
    _grow("REIN falls with it.", ("rein",), lambda factor: factor < 1, whys.rein_by_rate),
    _grow("DEXIN is quite stable.", ("dexin",), is_nearly_flat, whys.dexin_by_rate),
    Claim(
        "On average DEXIN wins over the next best, BE-Tree, by 42.46%.",
        lambda rows: f"DEXIN takes {shares(rows)}.",
        lambda rows: all(mean(rows, "dexin") < mean(rows, each) for each in OTHERS),
        whys.next_best_by_rate,
    ),
)
FIGURE_13 = (
    Claim(
        "DEXIN takes all subscriptions in less time than TAMA, H-Tree, BE-Tree and OpIndex.",
        lambda rows: f"Seconds, on average: {each_of(rows, 'load_seconds', (*NAMES, LINKED))}",
        lambda rows: (
            mean(rows, "dexin", "load_seconds")
            < min(mean(rows, each, "load_seconds") for each in COUNTING_OR_CHECKING)
        ),
        whys.loading,
    ),
    Claim(
        "It is slightly slower than REIN, whose slots are not sorted.",
        lambda rows: f"It takes {_ratio(rows, 'dexin', 'load_seconds'):.2f} times as long.",
        lambda rows: 1 < _ratio(rows, "dexin", "load_seconds") < NOTABLE,
        "what is the same for all, compiling and numbering, is most of the time.",
    ),
    Claim(
        "With linked lists it is as fast as REIN.",
        lambda rows: f"Then it takes {_ratio(rows, LINKED, 'load_seconds'):.2f} times as long.",
        lambda rows: 0.9 < _ratio(rows, LINKED, "load_seconds") < 1.1,
        "it has half as many slots again, and the rest is the same.",
    ),
)
FIGURE_14 = (
    Claim(
        "DEXIN's memory is low, only slightly more than REIN's, and with linked lists the same.",
        lambda rows: f"Bytes for a subscription: {each_of(rows, 'bytes', (*NAMES, LINKED))}",
        lambda rows: (
            0.95 < _ratio(rows, "dexin", "bytes") < 1.1 and 0.95 < _ratio(rows, LINKED, "bytes") < 1.05
        ),
        "beside its slots ours has the ends of all intervals in arrays, for the inclusive method.",
    ),
)
FIGURE_17 = (
    _grow("The inclusive method alone takes longer with the rate.", (INCLUSIVE,), lambda factor: factor > 1),
    _grow("The exclusive method alone takes shorter.", (EXCLUSIVE,), lambda factor: factor < 1),
    Claim(
        "DEXIN, with both, is superior to either.",
        lambda rows: f"On average, ms: {each_of(rows, 'ms', METHODS)}",
        lambda rows: is_least(rows, "ms", (INCLUSIVE, EXCLUSIVE)),
        whys.methods,
    ),
    Claim(
        "(Our own.) Both together traverse the fewest subscriptions, which is what the order minimises.",
        lambda rows: each_of(rows, "traversed", METHODS),
        lambda rows: is_least(rows, "traversed", (INCLUSIVE, EXCLUSIVE)),
    ),
)
