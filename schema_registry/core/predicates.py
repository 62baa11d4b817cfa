"""Predicates and the conjunctions they form: the compiled side of a subscription, as matchers use it.

A conjunction holds for an event when, attribute by attribute, its constraint holds: **one** value of the
attribute satisfies all the binding predicates together, and the predicates about the whole value set
(`contains`, `exists`) hold for the set. What docs/language.md says of matching is implemented here, plainly.

Normal form of a predicate: `=` and `!=` are each other's negations, so neither is ever negated; nor are
`<`, `<=`, `>`, `>=` on a totally ordered domain. On partial orders and hierarchies these four, and on all
domains `in`, `between`, `contains` and `exists`, carry `negated`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from schema_registry.core.domains import Domain, Value
from schema_registry.core.operators import NO_OPERATORS, OperatorPart

BINDING = frozenset({"=", "!=", "<", "<=", ">", ">=", "in", "between"})
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Interval(NamedTuple):
    """The values between two bounds of a totally ordered domain; None is no bound."""

    low: Value | None = None
    high: Value | None = None
    low_open: bool = False
    high_open: bool = False


@dataclass(frozen=True, slots=True)
class Predicate:
    """One test of one attribute.

    `values` holds canonical values: the constant; for `in` the distinct constants in ascending order; for
    `between` the lower and the upper one; for `contains` on a text domain the words in ascending order; for
    `exists` nothing. `start` and `end` say where in the source it stands, and do not count in comparisons.
    """

    attribute: str
    operator: str
    values: tuple[Value, ...] = ()
    negated: bool = False
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def sort_key(self) -> tuple[str, str, tuple[Value, ...], bool]:
        """The order of predicates in conjunctions and canonical texts."""
        return self.attribute, self.operator, self.values, self.negated

    @property
    def is_binding(self) -> bool:
        """Whether it is about the one value that the attribute is bound to, not about the value set."""
        return self.operator in BINDING

    def negation(self, domain: Domain) -> "Predicate":
        """The predicate that holds for exactly the other values, in normal form."""
        if self.operator in ("=", "!=") or (domain.totally_ordered and self.operator in OPPOSITE):
            return replace(self, operator=OPPOSITE[self.operator])
        return replace(self, negated=not self.negated)

    def holds_for(self, value: Value, domain: Domain) -> bool:
        """Whether a binding predicate is true of this value."""
        return self._is_true_of(value, domain) != self.negated

    def _is_true_of(self, value: Value, domain: Domain) -> bool:
        match self.operator:
            case "=":
                return value == self.values[0]
            case "!=":
                return value != self.values[0]
            case "<":
                return domain.below(value, self.values[0])
            case "<=":
                return domain.at_most(value, self.values[0])
            case ">":
                return domain.below(self.values[0], value)
            case ">=":
                return domain.at_most(self.values[0], value)
            case "in":
                return value in self.values
            case "between":
                low, high = self.values
                return domain.at_most(low, value) and domain.at_most(value, high)
        raise AssertionError(f"{self.operator} is not about one value")

    def holds_for_set(self, values: Sequence[Value] | None) -> bool:
        """Whether a predicate about the value set is true of this one; None is an absent attribute."""
        if self.operator == "exists":
            return (values is not None) != self.negated
        if values is None:
            return False
        return all(value in values for value in self.values) != self.negated

    @property
    def interval(self) -> Interval | None:
        """On a totally ordered domain, the interval of values that satisfy it; None if it is no interval."""
        if self.negated:
            return None
        match self.operator:
            case "=":
                return Interval(self.values[0], self.values[0])
            case "<" | "<=":
                return Interval(high=self.values[0], high_open=self.operator == "<")
            case ">" | ">=":
                return Interval(low=self.values[0], low_open=self.operator == ">")
            case "between":
                return Interval(self.values[0], self.values[1])
        return None


@dataclass(frozen=True, slots=True)
class Constraint:
    """All that a conjunction says about one attribute."""

    attribute: str
    binding: tuple[Predicate, ...]
    about_set: tuple[Predicate, ...]

    @classmethod
    def of(cls, predicates: Sequence[Predicate]) -> "Constraint":
        """The constraint of predicates on one attribute, which come in order."""
        binding = tuple(predicate for predicate in predicates if predicate.operator in BINDING)
        about_set = tuple(predicate for predicate in predicates if predicate.operator not in BINDING)
        return cls(predicates[0].attribute, binding, about_set)

    def witness(self, values: Sequence[Value], domain: Domain) -> Value | None:
        """The first of the values that satisfies all the binding predicates, or None."""
        for value in values:
            if all(predicate.holds_for(value, domain) for predicate in self.binding):
                return value
        return None

    def holds_for(self, values: Sequence[Value] | None, domain: Domain) -> bool:
        """Whether it holds for an attribute with these values; None is an absent attribute."""
        if self.binding and (values is None or self.witness(values, domain) is None):
            return False
        return all(predicate.holds_for_set(values) for predicate in self.about_set)


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Predicates that must all hold: distinct, in ascending order. Equal ones are equal and hash alike.

    `constraints` groups them, one per attribute, in the order of the attributes' names. `operators` is what
    it says by expensive operators, looked at only where all predicates hold.
    """

    predicates: tuple[Predicate, ...]
    constraints: tuple[Constraint, ...] = field(compare=False, repr=False)
    operators: OperatorPart = NO_OPERATORS

    @classmethod
    def of(cls, predicates: Iterable[Predicate], operators: OperatorPart = NO_OPERATORS) -> "Conjunction":
        ordered = tuple(sorted(set(predicates), key=attrgetter("sort_key")))
        groups = groupby(ordered, key=attrgetter("attribute"))
        return cls(ordered, tuple(Constraint.of(tuple(group)) for _, group in groups), operators)


def intersection(intervals: Iterable[Interval]) -> Interval:
    """The interval that lies in all of these; it may be empty (low above high)."""
    low: Value | None = None
    high: Value | None = None
    low_open = high_open = False
    for each in intervals:
        if each.low is not None and (low is None or (each.low, each.low_open) > (low, low_open)):
            low, low_open = each.low, each.low_open
        if each.high is not None and (
            high is None or (each.high, not each.high_open) < (high, not high_open)
        ):
            high, high_open = each.high, each.high_open
    return Interval(low, high, low_open, high_open)
