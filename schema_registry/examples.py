"""Examples of what can be asked: texts of the subscription language, made from the schema.

Each is valid and can match, whatever the domain: operators that a domain does not take, values that are
deprecated and bounds that leave nothing are kept clear of.
"""

from collections.abc import Iterator

from schema_registry.core.decimals import LARGEST, SMALLEST, number_for_json, number_text
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import (
    EnumeratedDomain,
    FiniteDomain,
    HierarchicalDomain,
    NumericDomain,
)
from schema_registry.core.errors import OutsideDomain
from schema_registry.core.schema import Schema
from schema_registry.language.spelling import spelled
from schema_registry.value_index import deprecated_values, index_of

_SOME_WORDS = {"string": "exactly this", "text": "oak table"}
_USUAL, _USUAL_YEAR, _LAST_YEAR = 100.0, 1900.0, 2200.0
_MOST_LOOKED_AT = 50  # of the values on a level, for one that is neither too wide nor too narrow
# Of those that a domain takes, the most telling first.
_OPERATORS = {
    "numeric": ("<=", ">=", "<", ">", "between", "=", "in", "contains", "!=", "exists"),
    "string": ("=", "contains", "in", "!=", ">=", "<=", ">", "<", "between", "exists"),
    "text": ("contains", "exists"),
    "enumerated": (">=", "<=", "=", "in", "contains", "!=", "<", ">", "between", "exists"),
    "hierarchical": ("<=", "=", "in", "<", "contains", ">=", "!=", "between", "exists", ">"),
}
_STRICT = ("<", ">", "!=")


def attribute_example(schema: Schema, attribute: str) -> str | None:
    """One predicate on the attribute; None where none could match."""
    domain = schema.domain_of[attribute]
    for operator in _OPERATORS[domain.kind]:
        if operator in domain.operators:
            value = _telling_constant(schema, attribute, operator)
            if value is not None:
                return _predicate(attribute, operator, value)
    return None


def value_example(schema: Schema, attribute: str, value: str) -> str | None:
    """A predicate that asks for this value of a finite domain, and for what is below it; None if none can."""
    domain = schema.domain_of[attribute]
    assert isinstance(domain, FiniteDomain)
    wide = isinstance(domain, HierarchicalDomain) and bool(index_of(domain).children(value))
    for operator in ("<=", "=", "in", "contains") if wide else ("=", "in", "contains", "<="):
        if operator in domain.operators:
            return _predicate(attribute, operator, spelled(_readable(domain, value)))
    return None


def event_value_example(schema: Schema, attribute: str) -> str | int | float | None:
    """A value that an event may carry for the attribute; None where there is none."""
    domain = schema.domain_of[attribute]
    if isinstance(domain, NumericDomain):
        number = _number(domain, inside=False)
        return None if number is None else number_for_json(float(number))
    if isinstance(domain, FiniteDomain):
        deprecated = deprecated_values(schema, schema.attributes[attribute])
        return next((value for value in _narrow_values(domain) if value not in deprecated), None)
    return _SOME_WORDS[domain.kind]


def event_type_example(schema: Schema, event_type: str) -> str:
    """Items of this type, with a word about the first attribute that they must have, or may."""
    text = f"{EVENT_TYPE} = {spelled(event_type)}"
    marks = schema.event_types[event_type].attributes
    for attribute in sorted(marks, key=lambda name: not marks[name][0]):
        if attribute not in schema.deprecated.attributes:
            example = attribute_example(schema, attribute)
            if example is not None:
                return f"{text} and {example}"
    return text


def _predicate(attribute: str, operator: str, value: str) -> str:
    match operator:
        case "exists":
            return f"{attribute} exists"
        case "in":
            return f"{attribute} in ({value})"
        case "between":
            return f"{attribute} between {value} and {value}"
    return f"{attribute} {operator} {value}"


def _telling_constant(schema: Schema, attribute: str, operator: str) -> str | None:
    """A constant with which the operator can hold; any text will do for `exists`."""
    domain = schema.domain_of[attribute]
    if operator == "exists":
        return ""
    if isinstance(domain, NumericDomain):
        return _number(domain, inside=operator in _STRICT)
    if isinstance(domain, FiniteDomain):
        name = EVENT_TYPE if attribute == EVENT_TYPE else schema.attributes[attribute]
        value = _telling_value(domain, deprecated_values(schema, name), has_parent=operator == ">")
        return None if value is None else spelled(_readable(domain, value))
    return spelled(_SOME_WORDS[domain.kind])


def _number(domain: NumericDomain, *, inside: bool) -> str | None:
    """A round number between the bounds; a bound where there is no room and it need not be inside."""
    low, high = domain.low, domain.high
    wanted = [_USUAL]
    if low is not None and high is not None:
        middle = low / 2 + high / 2
        wanted = [_USUAL_YEAR, middle] if _USUAL_YEAR < high <= _LAST_YEAR else [middle]
    elif low is not None:
        wanted += [low + abs(low) / 2, low + 1]
    elif high is not None:
        wanted += [high - abs(high) / 2, high - 1]
    for number in (float(f"{each:.{digits}g}") for each in wanted for digits in (2, 3, 6)):
        is_number = number == 0 or SMALLEST <= abs(number) <= LARGEST
        if is_number and (low is None or number > low) and (high is None or number < high):
            return number_text(number)
    bound = low if low is not None else high
    return None if inside or bound is None else number_text(bound)


def _telling_value(domain: FiniteDomain, deprecated: frozenset[str], *, has_parent: bool) -> str | None:
    if isinstance(domain, HierarchicalDomain):
        parents, offered = domain.forest.parents, _kinds_of_kinds(domain)
        if has_parent:
            offered = (value for value in domain.identifiers() if parents[value] is not None)
    elif isinstance(domain, EnumeratedDomain) and domain.order:
        ordered = [value for value in domain.order.index if value not in deprecated]
        offered = iter(ordered[len(ordered) // 2 :] or domain.identifiers())
    else:
        offered = iter(domain.identifiers())
    return next((value for value in offered if value not in deprecated), None)


def _kinds_of_kinds(domain: HierarchicalDomain) -> Iterator[str]:
    """Values with others below them that are below something themselves; then all others."""
    index = index_of(domain)
    wide = index.children(None)[:_MOST_LOOKED_AT]
    for value in wide:
        yield from (below for below in index.children(value)[:_MOST_LOOKED_AT] if index.children(below))
    yield from (value for value in wide if index.children(value))
    yield from domain.identifiers()


def _narrow_values(domain: FiniteDomain) -> Iterator[str]:
    """Those with nothing below them first, as items have them; then all others."""
    if isinstance(domain, HierarchicalDomain):
        index = index_of(domain)
        yield from (value for value in domain.identifiers() if not index.children(value))
    yield from domain.identifiers()


def _readable(domain: FiniteDomain, value: str) -> str:
    """The label or the path of the value, if it means this value only; else the identifier."""
    if domain.label(value) == value:
        return value
    for name in (domain.label(value), domain.path(value)):
        try:
            if name not in domain.identifiers() and domain.named(name) == (value,):
                return name
        except OutsideDomain:  # the labels of the path are too common
            pass
    return value
