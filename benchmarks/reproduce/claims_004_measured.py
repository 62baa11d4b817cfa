"""What the text of paper 004 says of matching times and their deviation that several figures decide, or
that is about one besides what its page answers (`paper_004_claims`)."""

from collections.abc import Callable
from statistics import fmean

from benchmarks.reproduce import claims_004_whys as whys
from benchmarks.reproduce.claims import PERFORMANCE, Derived, Evidence, Judged, Verdict
from benchmarks.reproduce.claims_004_whys import MILLION, few_points, share_of
from benchmarks.reproduce.paper_004_claims import NOTABLE
from benchmarks.reproduce.paper_004_comparing import (
    NAMES,
    OTHERS,
    each_of,
    growth,
    is_nearly_flat,
    mean,
    one_by_one,
    places_won,
    won,
)
from benchmarks.reproduce.paper_004_whys import costs, deviation
from benchmarks.reproduce.trends import exponent

SHARES = {"tama": 0.2018, "h-tree": 0.6428, "be-tree": 0.6836, "opindex": 0.264, "rein": 0.3849}
NEAR = 0.25  # how far a share may be from the paper's, relative to it
BY_ZIPF = (
    ("004-fig7", "004-fig2", "subscriptions"),
    ("004-fig8", "004-fig4", "attributes"),
    ("004-fig9", "004-fig6", "width"),
)


def _lead(evidence: Evidence, figure: str, place: int, column: str = "ms") -> float:
    """What the next best has over DEXIN's, at the first (0) or the last (-1) value."""
    rows = evidence.rows(figure)
    numbers = {each: rows.where(variant=each).column(column)[place] for each in NAMES}
    return float(min(numbers[each] for each in OTHERS) / numbers["dexin"])


def _leads(evidence: Evidence, figure: str, column: str = "ms") -> str:
    first, last = (_lead(evidence, figure, place, column) for place in (0, -1))
    return f"{first:.2f} times DEXIN's at the fewest, {last:.2f} times at the most"


def _grows(evidence: Evidence, figure: str, column: str = "ms") -> bool:
    return _lead(evidence, figure, 0, column) < _lead(evidence, figure, -1, column)


def _deviations(evidence: Evidence, figure: str) -> dict[str, float]:
    return {each: mean(evidence.rows(figure), each, "std_ms") for each in NAMES}


LEAD = (
    Derived(
        "abstract",
        "Its lead in time is more significant for large numbers of subscriptions.",
        ("004-fig2",),
        lambda evidence: f"The next best takes {_leads(evidence, '004-fig2')}.",
        lambda evidence: _grows(evidence, "004-fig2"),
        whys.of_linear_growth,
    ),
    Derived(
        "abstract",
        "Its lead in time is more significant for large numbers of attributes.",
        ("004-fig4",),
        lambda evidence: f"The next best takes {_leads(evidence, '004-fig4')}.",
        lambda evidence: _grows(evidence, "004-fig4"),
        lambda evidence: costs(evidence.rows("004-fig4")),
    ),
    Derived(
        "abstract",
        "Its lead in stability is more significant for large numbers of both.",
        ("004-fig3", "004-fig5"),
        lambda evidence: (
            f"The next best's deviation is {_leads(evidence, '004-fig3', 'std_ms')} subscriptions;"
            f" {_leads(evidence, '004-fig5', 'std_ms')} attributes."
        ),
        lambda evidence: all(_grows(evidence, figure, "std_ms") for figure in ("004-fig3", "004-fig5")),
        lambda evidence: deviation(evidence.rows("004-fig3")),
    ),
)
VARYING = (
    Derived(
        "section 1.1",
        "H-Tree's time varies very much from event to event, DEXIN's little.",
        ("004-fig3",),
        lambda evidence: "Standard deviations, ms: " + each_of(evidence.rows("004-fig3"), "std_ms"),
        lambda evidence: (
            max(NAMES, key=_deviations(evidence, "004-fig3").__getitem__) == "h-tree"
            and min(NAMES, key=_deviations(evidence, "004-fig3").__getitem__) == "dexin"
        ),
        lambda evidence: deviation(evidence.rows("004-fig3")),
    ),
    Derived(
        "section 1.1",
        "TAMA's time varies much from event to event.",
        ("004-fig3",),
        lambda evidence: (
            "Standard deviations, ms: TAMA {tama:.3g}, and the others' mean {others:.3g}.".format(
                tama=_deviations(evidence, "004-fig3")["tama"],
                others=fmean(
                    number for each, number in _deviations(evidence, "004-fig3").items() if each != "tama"
                ),
            )
        ),
        lambda evidence: (
            _deviations(evidence, "004-fig3")["tama"] > fmean(_deviations(evidence, "004-fig3").values())
        ),
        whys.sums_even_out,
    ),
)


def _reduction(evidence: Evidence, other: str) -> float:
    rows = evidence.rows("004-fig2").where(subscriptions=MILLION)
    return 1 - mean(rows, "dexin") / mean(rows, other)


def _slowest(evidence: Evidence) -> str:
    rows = evidence.rows("004-fig2").where(subscriptions=MILLION)
    return NAMES[max(NAMES, key=lambda each: mean(rows, each))]


def _growths(
    where: str,
    said: str,
    figure: str,
    column: str,
    holds: Callable[[dict[str, float]], bool],
    why: str | Callable[[Evidence], str] = "",
) -> Derived:
    """By what factors a column grows from the first to the last value of a figure."""

    def factors(evidence: Evidence) -> dict[str, float]:
        return {each: growth(evidence.rows(figure), each, column) for each in NAMES}

    def measured(evidence: Evidence) -> str:
        named = (f"{NAMES[each]} {factor:.2f}" for each, factor in factors(evidence).items())
        return f"By these factors: {', '.join(named)}."

    return Derived(where, said, (figure,), measured, lambda evidence: holds(factors(evidence)), why)


def _h_tree(evidence: Evidence) -> list[float]:
    return [float(time) for time in evidence.rows("004-fig4").where(variant="h-tree").column("ms")]


def _stability_by_attributes(evidence: Evidence) -> list[float]:
    return [float(number) for number in evidence.rows("004-fig5").where(variant="dexin").column("std_ms")]


def _by_zipf(evidence: Evidence, variant: str) -> float:
    """The time with Zipf over that with uniform distribution, over the values that both figures have."""
    ratios = []
    for zipf, uniform, x in BY_ZIPF:
        by_value = {row[x]: row["ms"] for row in evidence.rows(uniform).where(variant=variant)}
        rows = evidence.rows(zipf).where(variant=variant)
        ratios += [row["ms"] / by_value[row[x]] for row in rows if row[x] in by_value]
    return fmean(ratios)


def _zipf_measured(evidence: Evidence) -> str:
    named = (f"{NAMES[each]} {_by_zipf(evidence, each):.2f}" for each in NAMES)
    return ", ".join(named) + " times as long, on average."


def _points_measured(evidence: Evidence) -> str:
    rows = few_points(evidence)
    at_each = (
        f"with {share:.0%}, ms: {each_of(rows.where(point_share=share), 'ms')[:-1]}"
        for share in dict.fromkeys(rows.column("point_share"))
    )
    return f"W{'; '.join(at_each)[1:]}."


def _changes(evidence: Evidence) -> tuple[float, float]:
    return evidence.matrix("dexin-1M", "dexin", "add_us"), evidence.matrix("dexin-1M", "dexin", "remove_us")


def _memory_exponent(evidence: Evidence) -> float:
    """Of all bytes; the column has those of one subscription."""
    return 1 + exponent(evidence.rows("004-fig14").where(variant="dexin"), "bytes")


def _above(evidence: Evidence) -> float:
    """The most that the near-optimal cost is above the optimum, from ten attributes on."""
    return max(
        float(row["near"] / row["best"] - 1) for row in evidence.rows("004-fig15") if row["attributes"] >= 10
    )


SECTION_4 = (
    Derived(
        "section 4.1.1",
        "On average DEXIN takes 20.18% of TAMA's time, 64.28% of H-Tree's, 68.36% of BE-Tree's, 26.4% of"
        " OpIndex's, 38.49% of REIN's: as numbers.",
        ("004-fig2",),
        lambda evidence: (
            ", ".join(f"{share_of(evidence, each):.0%} of {NAMES[each]}'s" for each in SHARES)
            + "; confirmed if all are within a quarter of the paper's."
        ),
        lambda evidence: all(
            abs(share_of(evidence, each) / said - 1) <= NEAR for each, said in SHARES.items()
        ),
        whys.not_in_proportion,
    ),
    Derived(
        "section 4.1.1",
        "With a million subscriptions DEXIN takes 82.13% less than TAMA, the slowest.",
        ("004-fig2",),
        lambda evidence: (
            f"{_reduction(evidence, 'tama'):.0%} less; the slowest here is {_slowest(evidence)}."
        ),
        lambda evidence: (
            abs(_reduction(evidence, "tama") - 0.8213) < 0.05 and _slowest(evidence) == NAMES["tama"]
        ),
        whys.tama_is_not_the_slowest,
    ),
    Judged(
        "section 4.1.1",
        "With 750,000 subscriptions DEXIN takes 63.01% less than BE-Tree, the next best.",
        Verdict.NOT_APPLICABLE,
        "This size is not among ours (250,000, 500,000, a million, 1,750,000).",
    ),
    _growths(
        "section 4.1.1",
        "All deviations grow with N.",
        "004-fig3",
        "std_ms",
        lambda factors: min(factors.values()) > 1,
    ),
    Derived(
        "section 4.1.1",
        "DEXIN's deviation is nearly flat.",
        ("004-fig3",),
        lambda evidence: f"{one_by_one(evidence.rows('004-fig3'), 'dexin', 'std_ms')} ms.",
        lambda evidence: is_nearly_flat(growth(evidence.rows("004-fig3"), "dexin", "std_ms")),
        whys.deviation_of_dexin,
    ),
    Derived(
        "section 4.1.2",
        "H-Tree falls up to six attributes, then rises.",
        ("004-fig4",),
        lambda evidence: (
            f"{one_by_one(evidence.rows('004-fig4'), 'h-tree')} ms at 2, 6, 10, 14 and 22 attributes."
        ),
        lambda evidence: _h_tree(evidence)[0] > _h_tree(evidence)[1] < _h_tree(evidence)[-1],
        whys.h_tree_by_attributes,
    ),
    Derived(
        "section 4.1.2",
        "With more attributes DEXIN's deviation falls slowly.",
        ("004-fig5",),
        lambda evidence: (
            f"{one_by_one(evidence.rows('004-fig5'), 'dexin', 'std_ms')} ms at 2, 6, 10, 14 and 22"
            " attributes."
        ),
        lambda evidence: (
            _stability_by_attributes(evidence) == sorted(_stability_by_attributes(evidence), reverse=True)
        ),
        whys.from_six_on,
    ),
    _growths(
        "section 4.1.2",
        "With more attributes the deviations of the other five grow.",
        "004-fig5",
        "std_ms",
        lambda factors: min(factors[each] for each in OTHERS) > 1,
        whys.found_with_two_attributes,
    ),
    _growths(
        "section 4.1.3",
        "OpIndex grows slowly with the width of ranges.",
        "004-fig6",
        "ms",
        lambda factors: 1 < factors["opindex"] < 2 * NOTABLE,
    ),
    _growths(
        "section 4.1.3",
        "BE-Tree grows slowly with the width of ranges.",
        "004-fig6",
        "ms",
        lambda factors: 1 < factors["be-tree"] < 2 * NOTABLE,
        whys.be_tree_by_width,
    ),
    Derived(
        "section 4.1.3",
        "Over widths DEXIN's deviation is the least on average (1.09, against 7.33 to 35.64).",
        ("004-fig6",),
        lambda evidence: (
            f"{each_of(evidence.rows('004-fig6'), 'std_ms')} It is the least at"
            f" {won(evidence.rows('004-fig6'), 'std_ms')} widths."
        ),
        lambda evidence: min(NAMES, key=_deviations(evidence, "004-fig6").__getitem__) == "dexin",
        whys.deviation_by_width,
    ),
    Derived(
        "section 4.1.4",
        "With a Zipf distribution all take longer than with a uniform one.",
        tuple(figure for figure, *_ in BY_ZIPF),
        _zipf_measured,
        lambda evidence: all(_by_zipf(evidence, each) > 1 for each in NAMES),
        whys.opindex_by_zipf,
    ),
    Derived(
        "section 4.1.4",
        "Of all six DEXIN is affected least by the distribution.",
        tuple(figure for figure, *_ in BY_ZIPF),
        _zipf_measured,
        lambda evidence: min(NAMES, key=lambda each: abs(_by_zipf(evidence, each) - 1)) == "dexin",
        "of those that take longer it is; OpIndex changes less, since nothing is crowded in sorted lists of"
        " which it counts as many entries as before.",
    ),
    Derived(
        "section 4.1.6",
        "DEXIN is the best as long as at most 60% of the constraints are points.",
        ("004-fig11",),
        _points_measured,
        lambda evidence: (
            places_won(few_points(evidence), "ms")[0] == len(few_points(evidence).where(variant="dexin"))
        ),
        whys.be_tree_by_points,
    ),
    Derived(
        "section 4.2.1",
        "Unsubscribing performs like subscribing.",
        (PERFORMANCE,),
        lambda evidence: "Among a million, {:,.0f} us to add one and {:,.0f} us to remove one.".format(
            *_changes(evidence)
        ),
        lambda evidence: 1 / 3 < _changes(evidence)[1] / _changes(evidence)[0] < 3,
        "adding includes compiling the subscription; removing only marks it, until its block is packed anew.",
    ),
    Derived(
        "section 4.2.2",
        "Memory is O(2 N M): linear in the number of subscriptions.",
        ("004-fig14",),
        lambda evidence: f"It grows like N ^ {_memory_exponent(evidence):.2f}.",
        lambda evidence: _memory_exponent(evidence) < 1.1,
    ),
    Derived(
        "section 4.3",
        "Without the time to find the order, matching by the near-optimal order takes as long as by the"
        " optimum, from ten attributes on.",
        ("004-fig15",),
        lambda evidence: (
            f"Then its cost is at most {_above(evidence):.2%} above the optimum, so that both have the same"
            " work to do; not timed apart."
        ),
        lambda evidence: _above(evidence) < 0.01,
    ),
)
