"""Which events of a segment a subscription matches, for all of them at once. Pure.

The meaning is that of `schema_registry.core.predicates`: all binding predicates of an attribute are tested on
every value, and an event passes if one of its values passes them all; predicates about the value set ask
whether a value is among an event's. Strings are tested by their places in the segment's sorted list; values
of enumerations and hierarchies one distinct value at a time. O(predicates * values of their attributes).
"""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from matching.recent.segments import Column, Segment, Strings
from schema_registry.core.domains import Domain, FiniteDomain, Value
from schema_registry.core.predicates import Conjunction, Constraint, Predicate
from schema_registry.core.schema import Schema

Mask = NDArray[np.bool_]


class Judge:
    """Judges segments by one subscription. `schema` is no older than any event and than the subscription.

    A later version relates the values of earlier ones as they did, so one version may judge all events.
    """

    def __init__(self, conjunctions: Sequence[Conjunction], schema: Schema) -> None:
        self._conjunctions = conjunctions
        self._schema = schema
        # Values of finite domains come again in each segment.
        self._is_true_of = cache(self._ask)

    def matches(self, segment: Segment) -> Mask:
        """For each event whether it matches."""
        holds = cache(lambda constraint: self._holds(constraint, segment))
        found = np.zeros(len(segment), np.bool_)
        for conjunction in self._conjunctions:
            matching = np.ones(len(segment), np.bool_)
            for constraint in conjunction.constraints:
                matching &= holds(constraint)
                if not matching.any():
                    break
            found |= matching
        return found

    def _holds(self, constraint: Constraint, segment: Segment) -> Mask:
        column = segment.columns.get(constraint.attribute)
        domain = self._schema.domain_of[constraint.attribute]
        if column is None:
            return np.full(len(segment), constraint.holds_for(None, domain))
        found = np.ones(len(segment), np.bool_)
        if constraint.binding:
            is_true = np.ones(len(column.values), np.bool_)
            for predicate in constraint.binding:
                is_true &= self._is_true(predicate, column, domain)
            found &= _any_value(is_true, column, len(segment))
        for predicate in constraint.about_set:
            found &= _holds_for_set(predicate, column, len(segment))
        return found

    def _is_true(self, predicate: Predicate, column: Column, domain: Domain) -> Mask:
        """For each value whether the binding predicate is true of it."""
        if column.strings is None:
            is_true = _numbers(predicate, column.values)
        elif isinstance(domain, FiniteDomain):
            is_true = self._distinct(predicate, column.strings)[column.values]
        else:
            is_true = _places(predicate, column.values, column.strings)
        return ~is_true if predicate.negated else is_true

    def _distinct(self, predicate: Predicate, strings: Strings) -> Mask:
        return np.fromiter(
            (self._is_true_of(predicate, value) for value in strings.texts), np.bool_, len(strings)
        )

    def _ask(self, predicate: Predicate, value: Value) -> bool:
        """The core's own reading, without the negation."""
        holds = predicate.holds_for(value, self._schema.domain_of[predicate.attribute])
        return holds != predicate.negated


def _any_value(is_true: Mask, column: Column, events: int) -> Mask:
    """For each event whether it is true of one of its values."""
    if column.rows is None:
        return is_true
    found = np.zeros(events, np.bool_)
    found[column.rows[is_true]] = True
    return found


def _present(column: Column, events: int) -> Mask:
    if column.present is None:
        return _any_value(np.ones(len(column.values), np.bool_), column, events)
    found = np.zeros(events, np.bool_)
    found[column.present] = True
    return found


def _holds_for_set(predicate: Predicate, column: Column, events: int) -> Mask:
    present = _present(column, events)
    if predicate.operator == "exists":
        return ~present if predicate.negated else present
    found = present.copy()
    for value in predicate.values:
        found &= _any_value(_equals(column, value), column, events)
    return present & ~found if predicate.negated else found


def _equals(column: Column, value: Value) -> Mask:
    wanted = value if column.strings is None else column.strings.place(str(value))
    if wanted is None:
        return np.zeros(len(column.values), np.bool_)
    equals: Mask = column.values == wanted
    return equals


def _numbers(predicate: Predicate, values: NDArray[np.float64]) -> Mask:
    """The predicate without its negation, of numbers."""
    first, last = float(predicate.values[0]), float(predicate.values[-1])
    match predicate.operator:
        case "=" | "in":
            return np.isin(values, np.array(predicate.values, np.float64))
        case "!=":
            return ~np.isin(values, first)
        case "<":
            return values < first
        case "<=":
            return values <= first
        case ">":
            return values > first
        case ">=":
            return values >= first
        case "between":
            return (values >= first) & (values <= last)
    raise AssertionError(f"{predicate.operator} is not about one value")


def _places(predicate: Predicate, values: NDArray[np.int32], strings: Strings) -> Mask:
    """The same of strings, each of which stands in order."""
    first, last = str(predicate.values[0]), str(predicate.values[-1])
    match predicate.operator:
        case "=" | "in":
            return _one_of(predicate.values, values, strings)
        case "!=":
            return ~_one_of(predicate.values, values, strings)
        case "<":
            return values < strings.below(first)
        case "<=":
            return values < strings.not_above(first)
        case ">":
            return values >= strings.not_above(first)
        case ">=":
            return values >= strings.below(first)
        case "between":
            return (values >= strings.below(first)) & (values < strings.not_above(last))
    raise AssertionError(f"{predicate.operator} is not about one value")


def _one_of(wanted: Iterable[Value], values: NDArray[np.int32], strings: Strings) -> Mask:
    places = [strings.place(str(value)) for value in wanted]
    return np.isin(values, np.array([place for place in places if place is not None], np.int32))
