"""Searches and the reasons why they matched, as sentences: "price at most 200 EUR: 180 EUR"."""

from collections.abc import Mapping
from typing import Any

from notifications.core.wording import number_with_unit, one_line
from schema_registry.core.domains import Domain, FiniteDomain, NumericDomain, Value
from schema_registry.core.operator_words import attribute_in_words, verbs_of
from schema_registry.core.operators import OperatorCall, OperatorPart, ValueConstraint
from schema_registry.core.predicates import Predicate
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import said_of
from schema_registry.language.ast import And, Expression, Or
from schema_registry.language.operator_sentences import (
    Asking,
    Operators,
    asking,
    asking_in_words,
    call_in_words,
    constraint_in_words,
    found_in_words,
    told_together,
)

LONGEST_VALUE = 80
LONGEST_ASKING = 160
_MOST_VALUES = 5


def predicate_in_words(predicate: Predicate, domain: Domain) -> str:
    """Price at most 200 EUR; category is a kind of Tables."""
    verb = verbs_of(predicate.operator, domain)[predicate.negated]
    values = [_value_in_words(value, domain) for value in predicate.values]
    shown = [*values[:_MOST_VALUES], "…"] if len(values) > _MOST_VALUES else values
    joined = {"between": _(" and "), "contains": " "}.get(predicate.operator, ", ").join(shown)
    name = one_line(attribute_in_words(predicate.attribute), most=LONGEST_VALUE)
    return f"{name} {verb} {joined}".rstrip()


def held_in_words(predicate: Predicate, domain: Domain, value: Any) -> str:
    """The predicate, and the value for which it held unless that says the same again."""
    words = predicate_in_words(predicate, domain)
    is_same = predicate.operator in ("=", "contains") and not predicate.negated
    if value is None or is_same:
        return words
    shown = _value_in_words(value, domain) if predicate.is_binding else _values_in_words(str(value), domain)
    return said_of(words, shown) if shown else words


def part_held_in_words(part: OperatorPart, value: Any, operators: Operators) -> str:
    """The calls of operators, and what they found."""
    call, *others = part.calls
    asked = None if others else asking(call, part.constraints)
    if asked is not None and value is not None:
        return one_line(found_in_words(asked, value, operators), most=LONGEST_ASKING)
    words = [*map(call_in_words, part.calls), *map(constraint_in_words, part.constraints)]
    said = one_line(_(", and ").join(words), most=LONGEST_ASKING)
    return said if value is None else said_of(said, one_line(str(value)))


def search_in_words(
    expression: Expression, domain_of: Mapping[str, Domain], operators: Operators | None = None
) -> str:
    """A whole search; alternatives inside stand in parentheses. `operators` say what their calls mean."""
    known: Operators = {} if operators is None else operators
    match expression:
        case And(parts):
            return _(", and ").join(
                one_line(asking_in_words(part, known), most=LONGEST_ASKING)
                if isinstance(part, Asking)
                else f"({search_in_words(part, domain_of, known)})"
                if isinstance(part, Or)
                else search_in_words(part, domain_of, known)
                for part in told_together(parts)
            )
        case Or(parts):
            return _(", or ").join(search_in_words(part, domain_of, known) for part in parts)
        case OperatorCall():
            return one_line(call_in_words(expression), most=LONGEST_ASKING)
        case ValueConstraint():
            return one_line(constraint_in_words(expression), most=LONGEST_ASKING)
    return predicate_in_words(expression, domain_of[expression.attribute])


def _values_in_words(joined: str, domain: Domain) -> str:
    """All values of an attribute, which come as one text."""
    if isinstance(domain, NumericDomain):
        joined = ", ".join(_value_in_words(float(each), domain) for each in joined.split(", "))
    return one_line(joined, most=LONGEST_VALUE)


def _value_in_words(value: Value | int, domain: Domain) -> str:
    if isinstance(value, int | float):
        unit = domain.unit if isinstance(domain, NumericDomain) else None
        return number_with_unit(value, unit)
    return one_line(domain.label(value) if isinstance(domain, FiniteDomain) else value, most=LONGEST_VALUE)
