"""Normal forms: negation pushed to the leaves and everything sorted, then the disjunction of conjunctions.

The sorted negation normal form decides the canonical text. The disjunctive form is what matchers take;
its size is computed before anything is expanded.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, groupby, product
from math import prod
from operator import attrgetter
from typing import Any

from schema_registry.core.domains import Domain
from schema_registry.core.predicates import Conjunction, Constraint, Predicate
from schema_registry.language.ast import And, Expression, Not, Or, Syntax, Test

Check = Callable[[Test], tuple[Predicate, Domain]]


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
    predicate, domain = check(tree)
    return predicate.negation(domain) if negated else predicate


def _combined(of_all: bool, parts: Iterable[Expression]) -> Expression:
    kind = And if of_all else Or
    flat: list[Expression] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    distinct = sorted(dict.fromkeys(flat), key=_sort_key)
    return distinct[0] if len(distinct) == 1 else kind(tuple(distinct))


def _sort_key(expression: Expression) -> tuple[int, Any]:
    match expression:
        case And(parts):
            return 1, [_sort_key(part) for part in parts]
        case Or(parts):
            return 2, [_sort_key(part) for part in parts]
    return 0, expression.sort_key


def conjunctions(expression: Expression) -> tuple[Conjunction, ...]:
    """The distinct conjunctions of the disjunctive form; equal constraints of theirs are one object.

    O(conjunctions * predicates): predicates are sorted once, and then stand for their numbers.
    """
    parts = expression.parts if isinstance(expression, And) else (expression,)
    plain = [part for part in parts if isinstance(part, Predicate)]
    if len(plain) == len(parts):
        return (Conjunction.of(plain),)
    ordered = sorted(set(_leaves(expression)), key=attrgetter("sort_key"))
    numbers = {predicate: number for number, predicate in enumerate(ordered)}
    attributes = [predicate.attribute for predicate in ordered]
    constraints: dict[tuple[int, ...], Constraint] = {}
    found = []
    for branch in dict.fromkeys(tuple(sorted(set(branch))) for branch in _branches(expression, numbers)):
        groups = [tuple(group) for _, group in groupby(branch, key=attributes.__getitem__)]
        for group in groups:
            if group not in constraints:
                constraints[group] = Constraint.of([ordered[number] for number in group])
        predicates = tuple(ordered[number] for number in branch)
        found.append(Conjunction(predicates, tuple(constraints[group] for group in groups)))
    return tuple(found)


def _leaves(expression: Expression) -> Iterable[Predicate]:
    if isinstance(expression, Predicate):
        return (expression,)
    return chain.from_iterable(_leaves(part) for part in expression.parts)


def _branches(expression: Expression, numbers: Mapping[Predicate, int]) -> list[tuple[int, ...]]:
    """The conjunctions, each as the numbers of its predicates."""
    match expression:
        case And(parts):
            choices = product(*(_branches(part, numbers) for part in parts))
            return [tuple(chain.from_iterable(choice)) for choice in choices]
        case Or(parts):
            return [branch for part in parts for branch in _branches(part, numbers)]
    return [(numbers[expression],)]
