"""Operator calls and value constraints as people read them: "km below 50".

Values and names come from outside: whoever shows these cuts them to one line.
"""

from schema_registry.core.decimals import number_for_json
from schema_registry.core.numbers import grouped
from schema_registry.core.operator_words import attribute_in_words, comparator_in_words
from schema_registry.core.operators import (
    CallArgument,
    Constant,
    OfAttribute,
    OperatorCall,
    ValueConstraint,
    Variable,
)
from schema_registry.core.sentences import gettext as _
from schema_registry.language.spelling import term_text


def call_in_words(call: OperatorCall) -> str:
    """What it looks at, and the names of what it gives; one that is negated gives nothing."""
    given = ", ".join(_words(each) for each in call.arguments if not isinstance(each, Variable))
    what = f"{attribute_in_words(call.operator)} ({given})"
    if call.negated:
        return _("not {operator}", operator=what)
    if not call.variables:
        return what
    results = ", ".join(map(attribute_in_words, call.variables))
    return _("{operator} gives {results}", operator=what, results=results)


def constraint_in_words(constraint: ValueConstraint) -> str:
    left, right = term_text(constraint.left, _words), term_text(constraint.right, _words)
    return f"{left} {comparator_in_words(constraint.comparator)} {right}"


def _words(argument: CallArgument) -> str:
    match argument:
        case Constant(value):
            return value if isinstance(value, str) else grouped(number_for_json(value))
        case OfAttribute(name) | Variable(name):
            return attribute_in_words(name)
