"""Normal forms: negation pushed to the leaves and everything sorted, then the disjunction of conjunctions.

The sorted negation normal form decides the canonical text. The disjunctive form is what matchers take;
its size is computed before anything is expanded.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, groupby, product
from math import prod
from typing import Any

from schema_registry.core.operators import NO_OPERATORS, OperatorCall, OperatorPart, ValueConstraint
from schema_registry.core.predicates import Conjunction, Constraint, Predicate
from schema_registry.language.ast import And, Expression, Leaf, Not, Or, Syntax, Written

Check = Callable[[Written, bool], Leaf]
"""What is meant by something written, or by its negation."""


def count_tests(tree: Syntax) -> int:
    """How many predicates were written. O(size)."""
    match tree:
        case And(parts) | Or(parts):
            return sum(count_tests(part) for part in parts)
        case Not(part):
            return count_tests(part)
    return 1


def count_conjunctions(tree: Syntax, negated: bool = False) -> int:
    """How many conjunctions the disjunctive form has at most, as written: nothing is expanded. O(size)."""
    match tree:
        case Not(part):
            return count_conjunctions(part, not negated)
        case And(parts) | Or(parts):
            counts = (count_conjunctions(part, negated) for part in parts)
            return prod(counts) if isinstance(tree, And) != negated else sum(counts)
    return 1


def normal_form(tree: Syntax, check: Check, negated: bool = False) -> Expression:
    """The sorted negation normal form of the tree, or of its negation.

    No `And` stands in an `And` nor `Or` in an `Or`, no part occurs twice. O(size * depth * log size), plus
    the checks, which are made from left to right.
    """
    match tree:
        case Not(part):
            return normal_form(part, check, not negated)
        case And(parts) | Or(parts):
            of_all = isinstance(tree, And) != negated
            return _combined(of_all, [normal_form(part, check, negated) for part in parts])
    return check(tree, negated)


def with_leaves(expression: Expression, change: Callable[[Leaf], Leaf]) -> Expression:
    """The expression with other leaves, again in normal form."""
    match expression:
        case And(parts) | Or(parts):
            return _combined(isinstance(expression, And), [with_leaves(part, change) for part in parts])
    return change(expression)


def _combined(of_all: bool, parts: Iterable[Expression]) -> Expression:
    kind = And if of_all else Or
    flat: list[Expression] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    distinct = sorted(dict.fromkeys(flat), key=_sort_key)
    return distinct[0] if len(distinct) == 1 else kind(tuple(distinct))


def _sort_key(expression: Expression) -> tuple[int, Any]:
    """Predicates come before calls, and these before constraints: so people read them best."""
    match expression:
        case Predicate():
            return 0, expression.sort_key
        case OperatorCall():
            return 1, expression.sort_key
        case ValueConstraint():
            return 2, expression.sort_key
        case And(parts):
            return 3, [_sort_key(part) for part in parts]
        case Or(parts):
            return 4, [_sort_key(part) for part in parts]


def conjunctions(expression: Expression) -> tuple[Conjunction, ...]:
    """The distinct conjunctions of the disjunctive form; equal constraints of theirs are one object.

    O(conjunctions * predicates): leaves are sorted once, and then stand for their numbers.
    """
    parts = expression.parts if isinstance(expression, And) else (expression,)
    plain = [part for part in parts if isinstance(part, Predicate)]
    if len(plain) == len(parts):
        return (Conjunction.of(plain),)
    ordered = sorted(set(leaves(expression)), key=_sort_key)
    numbers = {leaf: number for number, leaf in enumerate(ordered)}
    predicates = [leaf for leaf in ordered if isinstance(leaf, Predicate)]
    attributes = [predicate.attribute for predicate in predicates]
    constraints: dict[tuple[int, ...], Constraint] = {}
    found = []
    for branch in dict.fromkeys(tuple(sorted(set(branch))) for branch in _branches(expression, numbers)):
        own = [number for number in branch if number < len(predicates)]
        groups = [tuple(group) for _, group in groupby(own, key=attributes.__getitem__)]
        for group in groups:
            if group not in constraints:
                constraints[group] = Constraint.of([predicates[number] for number in group])
        found.append(
            Conjunction(
                tuple(predicates[number] for number in own),
                tuple(constraints[group] for group in groups),
                _operator_part(ordered[number] for number in branch[len(own) :]),
            )
        )
    return tuple(found)


def leaves(expression: Expression) -> Iterable[Leaf]:
    """The leaves in order, as often as they occur."""
    match expression:
        case And(parts) | Or(parts):
            return chain.from_iterable(leaves(part) for part in parts)
    return (expression,)


def _operator_part(ordered: Iterable[Leaf]) -> OperatorPart:
    calls, constraints = [], []
    for leaf in ordered:
        if isinstance(leaf, OperatorCall):
            calls.append(leaf)
        elif isinstance(leaf, ValueConstraint):
            constraints.append(leaf)
    return OperatorPart(tuple(calls), tuple(constraints)) if calls or constraints else NO_OPERATORS


def _branches(expression: Expression, numbers: Mapping[Leaf, int]) -> list[tuple[int, ...]]:
    """The conjunctions, each as the numbers of its leaves."""
    match expression:
        case And(parts):
            choices = product(*(_branches(part, numbers) for part in parts))
            return [tuple(chain.from_iterable(choice)) for choice in choices]
        case Or(parts):
            return [branch for part in parts for branch in _branches(part, numbers)]
    return [(numbers[expression],)]
