"""Figure 2 of paper 003: predicates in tables over their domain, and in sorted lists. Stage one alone."""

from itertools import pairwise

from benchmarks.reproduce import paper_003_words as words
from benchmarks.reproduce import stages
from benchmarks.reproduce.figure import Cell, Claim, Figure, Line, Plot, Rows, shown

SOURCE = "Paper 003, Ashayer, Leung and Jacobsen (ToPSS), section 5.1.1, figure 2({})."
MEASURED_AS = "003-fig2-1"
TABLE, LIST = "table", "list"
DOMAINS = {"W0": "250 values", "W1": "9,751 values", "W2": "90,001 values", "W3": "a third of each"}
FEW, MANY = 1_000, 6_000_000
COUNTS = {
    "W0": (FEW, 10_000, 100_000),  # it has no more than 120,000
    "W1": (FEW, 10_000, 100_000, 1_000_000),
    "W2": (FEW, 10_000, 100_000, 1_000_000),
    "W3": (FEW, 10_000, 100_000, 1_000_000, MANY),
}
IN_COMMON = 100_000  # of which all workloads have as many
ALIKE = 1.5

COLUMNS = {
    "workload": "workload",
    "scheme": "kept in",
    "predicates": "predicates",
    "satisfied": "satisfied",
    "ms": "ms",
    "mb": "MB",
    "events_taken": "events",
    "half_width": "95% ±",
}


def _cells(*schemes: str, workloads: tuple[str, ...] = tuple(COUNTS)) -> tuple[Cell, ...]:
    return tuple(
        {"workload": workload, "scheme": scheme, "different": count}
        for scheme in schemes
        for workload in workloads
        for count in COUNTS[workload]
    )


def _by_workload(rows: Rows, scheme: str, column: str, count: int = IN_COMMON) -> dict[str, float]:
    return {
        workload: rows.one(scheme=scheme, workload=workload, different=count)[column] for workload in COUNTS
    }


def _grows_with_domain(rows: Rows, column: str) -> bool:
    each = _by_workload(rows, TABLE, column)
    return each["W0"] < each["W1"] < each["W2"]


def _spread(rows: Rows, column: str) -> float:
    each = _by_workload(rows, LIST, column).values()
    return max(each) / min(each)


def _not_by_the_domain(rows: Rows) -> str:
    """Where lists of as many predicates differ in time."""
    found = _by_workload(rows, LIST, "satisfied").values()
    reason = (
        f"not the domain: all find as many predicates ({min(found):,.0f} to {max(found):,.0f}), by a binary"
        " search in lists of the same length, and the order of the times is not that of the domains."
    )
    disturbed = [
        f"{workload} with {fewer:,} took {_ms(rows, workload, fewer):.2f} ms and with {more:,}"
        f" {_ms(rows, workload, more):.2f}"
        for workload, counts in COUNTS.items()
        for fewer, more in pairwise(counts)
        if _ms(rows, workload, fewer) > ALIKE * _ms(rows, workload, more)
    ]
    if disturbed:
        reason += f" The machine was not at rest: {', '.join(disturbed)}."
    return reason


def _ms(rows: Rows, workload: str, count: int) -> float:
    return float(rows.one(scheme=LIST, workload=workload, different=count)["ms"])


def _shown(rows: Rows, scheme: str, column: str) -> str:
    each = _by_workload(rows, scheme, column)
    return f"With {IN_COMMON:,} predicates: " + _listed(each, column) + "."


def _listed(numbers: dict[str, float], unit: str) -> str:
    written = unit.upper() if unit == "mb" else unit
    return ", ".join(f"{name} {shown(number)} {written}" for name, number in numbers.items())


def _both(rows: Rows, column: str, count: int) -> dict[str, float]:
    return {
        scheme: rows.one(workload="W3", scheme=scheme, different=count)[column] for scheme in (TABLE, LIST)
    }


def _lists_first_then_tables(column: str, said: str, why: str) -> Claim:
    def measured(rows: Rows) -> str:
        few, many = _both(rows, column, FEW), _both(rows, column, MANY)
        return f"With {FEW:,}: {_listed(few, column)}; with {MANY:,}: {_listed(many, column)}."

    def holds(rows: Rows) -> bool:
        few, many = _both(rows, column, FEW), _both(rows, column, MANY)
        return few[LIST] < few[TABLE] and many[TABLE] < many[LIST]

    return Claim(said, measured, holds, why)


def _figure(
    number: int, title: str, cells: tuple[Cell, ...], claims: tuple[Claim, ...], column: str, y_label: str
) -> Figure:
    by = "scheme" if {cell["workload"] for cell in cells} == {"W3"} else "workload"
    lines = dict.fromkeys(cell[by] for cell in cells)
    return Figure(
        name=f"003-fig2-{number}",
        title=title,
        source=SOURCE.format(number),
        claims=claims,
        cells=cells,
        measure=stages.measure_predicates,
        plot=Plot(
            x="predicates",
            x_label="different predicates",
            y_label=y_label,
            lines=tuple(
                Line(f"{each}: {DOMAINS[each]}" if by == "workload" else each, column, {by: each})
                for each in lines
            ),
            is_log_x=True,
            is_log_y=True,
        ),
        columns=COLUMNS,
        notes=words.predicates,
        weight=lambda cell: 4.0 + cell["different"] / 50_000,
        most_seconds=1_800.0,
        same_as=None if number == 1 else MEASURED_AS,
    )


_TABLES, _LISTS, _MIXED = _cells(TABLE), _cells(LIST), _cells(TABLE, LIST, workloads=("W3",))
_TIME, _MEMORY = ("ms", "ms to find what an event satisfies"), ("mb", "MB")

PREDICATES = (
    _figure(
        1,
        "Predicates in tables: time",
        _TABLES,
        (
            Claim(
                "With tables the time depends on the size of the domain, and grows with it.",
                lambda rows: _shown(rows, TABLE, "ms"),
                lambda rows: _grows_with_domain(rows, "ms"),
            ),
        ),
        *_TIME,
    ),
    _figure(
        2,
        "Predicates in lists: time",
        _LISTS,
        (
            Claim(
                "With lists the time is nearly independent of the size of the domain.",
                lambda rows: _shown(rows, LIST, "ms"),
                lambda rows: _spread(rows, "ms") < ALIKE,
                _not_by_the_domain,
            ),
        ),
        *_TIME,
    ),
    _figure(
        3,
        "Predicates in tables and in lists: time on W3",
        _MIXED,
        (
            _lists_first_then_tables(
                "ms",
                "For few predicates lists are the faster, for many tables are (how many is lost).",
                "our lists are sorted arrays, which cost only what they find; a table is read from the"
                " event's"
                " value to its end, empty cells too.",
            ),
        ),
        *_TIME,
    ),
    _figure(
        4,
        "Predicates in tables: memory",
        _TABLES,
        (
            Claim(
                "The memory of tables depends on the size of the domain too.",
                lambda rows: _shown(rows, TABLE, "mb"),
                lambda rows: _grows_with_domain(rows, "mb"),
            ),
        ),
        *_MEMORY,
    ),
    _figure(
        5,
        "Predicates in lists: memory",
        _LISTS,
        (
            Claim(
                "The memory of lists depends on the number of predicates only.",
                lambda rows: _shown(rows, LIST, "mb"),
                lambda rows: _spread(rows, "mb") < 1.1,
            ),
        ),
        *_MEMORY,
    ),
    _figure(
        6,
        "Predicates in tables and in lists: memory on W3",
        _MIXED,
        (
            _lists_first_then_tables(
                "mb",
                "For few predicates lists take less memory, for more tables do.",
                "a cell takes four bytes and a predicate of a list twelve, so that a third of the cells has"
                " to be"
                " in use.",
            ),
        ),
        *_MEMORY,
    ),
)
