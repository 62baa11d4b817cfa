"""Operator calls and value constraints as people read them: "location at most 50 km from Lyon".

A call with one result and what is asked of it is one thing to people, and has a sentence if the operator
declares one. Values and names come from outside: whoever shows these cuts them to one line.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schema_registry.core.decimals import number_for_json
from schema_registry.core.numbers import grouped
from schema_registry.core.operator_words import attribute_in_words, comparator_in_words
from schema_registry.core.operators import (
    CallArgument,
    Constant,
    OfAttribute,
    OperatorCall,
    OperatorDeclaration,
    ValueConstraint,
    Variable,
)
from schema_registry.core.predicates import Predicate
from schema_registry.core.sentences import again
from schema_registry.core.sentences import gettext as _
from schema_registry.language.ast import Expression
from schema_registry.language.normalise import leaves
from schema_registry.language.spelling import term_text

Operators = Mapping[str, OperatorDeclaration]


@dataclass(frozen=True, slots=True)
class Asking:
    """A call with one variable, and the comparisons of it with constants."""

    call: OperatorCall
    constraints: tuple[ValueConstraint, ...]


def asking(call: OperatorCall, constraints: Sequence[ValueConstraint]) -> Asking | None:
    """The two as one, if they can be told together; None if there is more to them."""
    is_simple = (
        not call.negated
        and len(call.variables) == 1
        and bool(constraints)
        and all(
            each.variables == {*call.variables}
            and isinstance(each.left, Variable)
            and isinstance(each.right, Constant)
            for each in constraints
        )
    )
    return Asking(call, tuple(constraints)) if is_simple else None


def told_together(parts: Iterable[Expression]) -> "Iterator[Expression | Asking]":
    """What is joined by `and`, each call together with what is asked of its variable and nowhere else."""
    several = list(parts)
    asked = [_asking_among(several, part) for part in several]
    told = {each for found in asked if found is not None for each in found.constraints}
    for part, found in zip(several, asked, strict=True):
        if part not in told:
            yield part if found is None else found


def asking_in_words(asked: Asking, operators: Operators) -> str:
    """Location at most 50 km from Lyon."""
    return _with_result(asked.call, _(" and ").join(map(_comparison, asked.constraints)), operators)


def found_in_words(asked: Asking, value: float | str, operators: Operators) -> str:
    """Location 12 km from Lyon (at most 50)."""
    shown = Constant(value if isinstance(value, str) else float(value))
    found = _with_result(asked.call, _words(shown), operators)
    return _("{found} ({asked})", found=found, asked=_(" and ").join(map(_comparison, asked.constraints)))


def call_in_words(call: OperatorCall) -> str:
    """What it looks at, and the names of what it gives; one that is negated gives nothing."""
    what = _what(call)
    if call.negated:
        return _("not {operator}", operator=what)
    if not call.variables:
        return what
    results = ", ".join(map(attribute_in_words, call.variables))
    return _("{operator} gives {results}", operator=what, results=results)


def constraint_in_words(constraint: ValueConstraint) -> str:
    left, right = term_text(constraint.left, _words), term_text(constraint.right, _words)
    return f"{left} {comparator_in_words(constraint.comparator)} {right}"


def _with_result(call: OperatorCall, result: str, operators: Operators) -> str:
    """The operator's own sentence, or else: distance (location, Lyon): km at most 50."""
    declaration = operators.get(call.operator)
    if declaration is not None and declaration.sentence:
        names = (argument.name for argument in declaration.arguments)
        words = (result if isinstance(each, Variable) else _words(each) for each in call.arguments)
        try:
            return again(declaration.sentence).format(**dict(zip(names, words, strict=True)))
        except (LookupError, ValueError):  # a plug-in's sentence, or its translation, names what is not there
            pass
    name = attribute_in_words(call.variables[0])
    return _("{operator}: {name} {result}", operator=_what(call), name=name, result=result)


def _what(call: OperatorCall) -> str:
    given = ", ".join(_words(each) for each in call.arguments if not isinstance(each, Variable))
    return f"{attribute_in_words(call.operator)} ({given})"


def _comparison(constraint: ValueConstraint) -> str:
    assert isinstance(constraint.right, Constant)
    return f"{comparator_in_words(constraint.comparator)} {_words(constraint.right)}"


def _asking_among(parts: Sequence[Expression], call: Expression) -> Asking | None:
    if not isinstance(call, OperatorCall):
        return None
    own = [each for each in parts if isinstance(each, ValueConstraint) and each.variables & {*call.variables}]
    others = (leaf for part in parts if part is not call and part not in own for leaf in leaves(part))
    is_elsewhere = any(
        not isinstance(leaf, Predicate) and {*leaf.variables} & {*call.variables} for leaf in others
    )
    return None if is_elsewhere else asking(call, own)


def _words(argument: CallArgument) -> str:
    match argument:
        case Constant(value):
            return value if isinstance(value, str) else grouped(number_for_json(value))
        case OfAttribute(name) | Variable(name):
            return attribute_in_words(name)
