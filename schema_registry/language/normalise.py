"""Normal forms: negation pushed to the leaves and everything sorted, then the disjunction of conjunctions.

The sorted negation normal form decides the canonical text. The disjunctive form is what matchers take;
its size is computed before anything is expanded.
"""

from collections.abc import Callable, Iterable
from itertools import chain, product
from math import prod
from typing import Any

from schema_registry.core.domains import Domain
from schema_registry.core.predicates import Conjunction, Predicate
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
    """The distinct conjunctions of the disjunctive form. O(conjunctions * predicates)."""
    return tuple(dict.fromkeys(Conjunction.of(branch) for branch in _branches(expression)))


def _branches(expression: Expression) -> list[tuple[Predicate, ...]]:
    match expression:
        case And(parts):
            choices = product(*(_branches(part) for part in parts))
            return [tuple(chain.from_iterable(choice)) for choice in choices]
        case Or(parts):
            return [branch for part in parts for branch in _branches(part)]
    return [(expression,)]
