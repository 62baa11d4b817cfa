"""Calls and value constraints brought to one form, whatever names their variables have.

A comparison and its mirror image, `?km < 50` and `50 > ?km`, are the same, and so are sums and products whose
two operands are swapped, unless both are computed themselves: then it could take more parentheses than a text
may have. Nothing else is rearranged, since doubles would not give the same by it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from schema_registry.core.operators import (
    Arithmetic,
    Constant,
    OperatorCall,
    Term,
    ValueConstraint,
    Variable,
    term_key,
)
from schema_registry.core.predicates import OPPOSITE

_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMMUTATIVE = ("+", "*")

NameOf = Callable[[str], str]


def in_order(constraint: ValueConstraint) -> ValueConstraint:
    """The constraint in its one form: variables on the left, constants on the right."""
    left, right = _term_in_order(constraint.left), _term_in_order(constraint.right)
    comparator, mirrored = constraint.comparator, _MIRRORED[constraint.comparator]
    # Where both sides are alike, as different variables are under one rank, the comparators decide.
    if (_side_key(right), mirrored) < (_side_key(left), comparator):
        return replace(constraint, left=right, comparator=mirrored, right=left)
    return replace(constraint, left=left, right=right)


def negation(constraint: ValueConstraint) -> ValueConstraint:
    """The constraint that holds where both sides can be compared and this one does not hold."""
    return replace(constraint, comparator=OPPOSITE[constraint.comparator])


def renamed_call(call: OperatorCall, name_of: NameOf) -> OperatorCall:
    arguments = (
        Variable(name_of(each.name)) if isinstance(each, Variable) else each for each in call.arguments
    )
    return replace(call, arguments=tuple(arguments))


def renamed_constraint(constraint: ValueConstraint, name_of: NameOf) -> ValueConstraint:
    """The constraint with other names, in its one form."""
    left, right = _renamed(constraint.left, name_of), _renamed(constraint.right, name_of)
    return in_order(replace(constraint, left=left, right=right))


def _side_key(term: Term) -> tuple[Any, ...]:
    return isinstance(term, Constant), isinstance(term, Arithmetic), term_key(term)


def _term_in_order(term: Term) -> Term:
    if not isinstance(term, Arithmetic):
        return term
    left, right = _term_in_order(term.left), _term_in_order(term.right)
    if (
        term.operator in _COMMUTATIVE
        and not isinstance(left, Arithmetic)
        and term_key(right) < term_key(left)
    ):
        left, right = right, left
    return Arithmetic(term.operator, left, right)


def _renamed(term: Term, name_of: NameOf) -> Term:
    match term:
        case Variable(name):
            return Variable(name_of(name))
        case Arithmetic(operator, left, right):
            return Arithmetic(operator, _renamed(left, name_of), _renamed(right, name_of))
    return term
