"""How long a workload takes to make, and how many subscriptions an event of it matches, counted exactly.

Counting is plain and vectorised: the event decides, for every constant of every attribute, the six
comparisons; every predicate looks its constants up. O(values of all predicates) per event, some 0.1 s for a
million subscriptions. It uses no matcher, so it can judge them. From a shell:

    python -m matching.workloads.measuring auction --subscriptions 1000000 --events 200
"""

import argparse
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from matching import workloads
from matching.algorithms.columns import OPERATOR_CODE, SubscriptionColumns
from matching.workloads.assembly import starts
from schema_registry.core.domains import OPERATORS, Domain, Value
from schema_registry.core.events import Event
from schema_registry.core.predicates import BINDING
from schema_registry.core.schema import Schema

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_COMPARISON = {**{name: COMPARISONS.index(name) for name in COMPARISONS}, "in": 0, "contains": 0}


def matching_subscriptions(
    columns: SubscriptionColumns, events: Iterable[Event], schema: Schema
) -> Iterator[NDArray[np.int64]]:
    """For each event the ids that it matches.

    For workloads only: attributes with several values have predicates about the whole set alone, and
    `exists` does not occur; both are asserted.
    """
    assert OPERATOR_CODE["exists"] not in columns.operator
    first = starts([len(constants) for constants in columns.constants])
    lengths = np.diff(columns.value_start)
    comparison = _comparisons(columns, lengths)
    place = comparison * first[-1] + np.repeat(first[columns.attribute], lengths) + columns.value
    in_list = np.flatnonzero(columns.operator == OPERATOR_CODE["in"])
    bound = _bound_attributes(columns)
    for event in events:
        assert all(len(event.values.get(name, ())) <= 1 for name in bound)
        true, present = _compared(columns, event, schema)
        holds = true.ravel()[place]
        predicate = np.logical_and.reduceat(holds, columns.value_start[:-1])
        if len(in_list):
            predicate[in_list] = np.logical_or.reduceat(holds, columns.value_start[:-1])[in_list]
        predicate = (predicate != columns.negated) & present[columns.attribute]
        conjunction = np.logical_and.reduceat(predicate, columns.predicate_start[:-1])
        yield columns.ids[np.logical_or.reduceat(conjunction, columns.conjunction_start[:-1])]


def matches_per_event(
    columns: SubscriptionColumns, events: Iterable[Event], schema: Schema
) -> NDArray[np.int64]:
    """How many subscriptions each event matches."""
    return np.array([len(ids) for ids in matching_subscriptions(columns, events, schema)], np.int64)


def _comparisons(columns: SubscriptionColumns, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each value the comparison that its predicate makes; `between` makes two."""
    code = np.array([_COMPARISON.get(operator, 0) for operator in OPERATORS], np.int64)
    comparison = np.repeat(code[columns.operator], lengths)
    low = columns.value_start[:-1][columns.operator == OPERATOR_CODE["between"]]
    comparison[low], comparison[low + 1] = COMPARISONS.index(">="), COMPARISONS.index("<=")
    return comparison


def _bound_attributes(columns: SubscriptionColumns) -> list[str]:
    """The attributes with predicates about one value."""
    binding = np.isin(columns.operator, [OPERATOR_CODE[operator] for operator in BINDING])
    return [columns.attributes[attribute] for attribute in np.unique(columns.attribute[binding])]


def _compared(
    columns: SubscriptionColumns, event: Event, schema: Schema
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Comparison by constant: whether it is true of the event; and which attributes are present."""
    tables = [
        _table(event.values.get(name, ()), constants, schema.domain_of[name])
        for name, constants in zip(columns.attributes, columns.constants, strict=True)
    ]
    return np.concatenate(tables, axis=1), np.array([name in event.values for name in columns.attributes])


def _table(values: Sequence[Value], constants: Sequence[Value], domain: Domain) -> NDArray[np.bool_]:
    table = np.zeros((len(COMPARISONS), len(constants)), np.bool_)
    equal, unequal, below, at_most, above, at_least = table
    for value in values:
        place = bisect_left(constants, value)
        if place < len(constants) and constants[place] == value:
            equal[place] = True
    unequal[:] = ~equal
    if len(values) == 1 and "<" in domain.operators:
        value = values[0]
        if domain.totally_ordered:
            below[bisect_right(constants, value) :] = True
            above[: bisect_left(constants, value)] = True
        else:
            below[:] = [domain.below(value, constant) for constant in constants]
            above[:] = [domain.below(constant, value) for constant in constants]
        at_most[:], at_least[:] = below | equal, above | equal
    return table


def main() -> None:
    """Print the figures of one workload."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("workload", choices=workloads.names())
    parser.add_argument("--subscriptions", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    workload = workloads.create(asked.workload, seed=asked.seed)
    begin = perf_counter()
    columns = workload.subscriptions(asked.subscriptions)
    made = perf_counter()
    counts = matches_per_event(columns, workload.events(asked.events), workload.schema)
    error = counts.std() / np.sqrt(len(counts))
    print(f"{asked.workload}: {len(columns):,} subscriptions made in {made - begin:.1f} s")
    print(f"{counts.mean():.2f} matches an event, standard error {error:.2f}, most {counts.max():,}")


if __name__ == "__main__":
    main()
