"""Rows that call an operator: which ones a form offers, how one begins, what it sends, and what it shows.

In the list of attributes an operator is its name with parentheses, `distance()`. The row then has for each
place of the call, in order, `kind.<path>` and `place.<path>`; comparator and value are those of any row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.operator_words import attribute_in_words, comparator_in_words
from schema_registry.core.operators import Argument, OperatorDeclaration
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import again
from schema_registry.known_operators import OPERATORS
from schema_registry.language import parse
from schema_registry.language.call_rows import VARIABLE, CallRow, Kind, Place
from schema_registry.language.operator_checker import fits

CALLED = "()"
COMPARATORS = {
    "number": ("<=", ">=", "=", "<", ">", "!="),
    "string": ("=", "!="),
    "any": ("=", "<=", ">=", "!=", "<", ">"),
}
_KINDS: Mapping[str, Kind] = {each: each for each in ("attribute", "text", "number", "result")}


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """A place of a call: an attribute from a list, or a field."""

    kind: str
    text: str
    label: str
    attributes: tuple[tuple[str, str], ...] = ()


def offered(schema: Schema) -> list[OperatorDeclaration]:
    """Those with one result whose first argument some attribute fits. O(operators * attributes)."""
    found = (OPERATORS[name] for name in sorted(OPERATORS))
    return [each for each in found if len(each.results) == 1 and _attributes(_given(each)[:1], schema)]


def description_of(operator: str) -> str:
    declaration = OPERATORS.get(operator)
    return again(declaration.description) if declaration is not None else ""


def named(typed: str, schema: Schema) -> str | None:
    """The operator that is chosen or typed where an attribute could be; None if it is an attribute."""
    name = typed.removesuffix(CALLED)
    if typed.endswith(CALLED):
        return name if VARIABLE.fullmatch(f"?{name}") else None
    return name if name not in schema.domain_of and name in OPERATORS else None


def begun(operator: str, schema: Schema) -> CallRow:
    """A row as it is when somebody has just chosen the operator."""
    declaration = OPERATORS.get(operator)
    if declaration is None or len(declaration.results) != 1:
        return CallRow(operator, ())
    first = _given(declaration)[:1]
    places = tuple(_begun(each, schema, is_first=each in first) for each in declaration.arguments)
    (result,) = declaration.results
    return CallRow(operator, places, COMPARATORS[result.type][0], Place(_kind_of(result)))


def read(fields: QueryDict, name: str, operator: str, schema: Schema) -> CallRow:
    """What a row sends; another operator than before begins anew."""
    if fields.get(f"was.{name}", "") != operator + CALLED:
        return begun(operator, schema)
    kinds, texts = (fields.getlist(f"{each}.{name}") for each in ("kind", "place"))
    places = tuple(_place(kind, text.strip(), schema) for kind, text in zip(kinds, texts, strict=False))
    declaration = OPERATORS.get(operator)
    results = declaration.results if declaration is not None else ()
    value = Place(_kind_of(results[0]) if results else "number", fields.get(f"value.{name}", "").strip())
    comparator = fields.get(f"operator.{name}", "")
    return CallRow(operator, places, comparator if comparator in COMPARATORS["any"] else "", value)


def places_of(row: CallRow, schema: Schema) -> tuple[ShownPlace, ...]:
    declaration = OPERATORS.get(row.operator)
    arguments: Sequence[Argument | None] = declaration.arguments if declaration is not None else ()
    several = zip(row.places, (*arguments, *[None] * len(row.places)), strict=False)
    return tuple(
        ShownPlace(
            place.kind,
            place.text,
            attribute_in_words(place.text if argument is None else argument.name),
            tuple((each, attribute_in_words(each)) for each in _choices(place, argument, schema)),
        )
        for place, argument in several
    )


def unit_of(row: CallRow) -> str:
    """What the value is compared with: the result, by the name that the operator gives it."""
    declaration = OPERATORS.get(row.operator)
    results = declaration.results if declaration is not None else ()
    return attribute_in_words(results[0].name if results else row.variable)


def comparators_of(row: CallRow) -> list[tuple[str, str]]:
    declaration = OPERATORS.get(row.operator)
    results = declaration.results if declaration is not None else ()
    known = COMPARATORS[results[0].type if results else "any"]
    return [(each, comparator_in_words(each)) for each in dict.fromkeys((*known, row.comparator)) if each]


def error_of(row: CallRow, schema: Schema) -> str:
    """What the language says of a row that has all it needs; empty if nothing."""
    if row.operator not in OPERATORS or row.is_complete:
        try:
            parse(str(row) if row.is_complete else f"{row.operator}()", schema, operators=OPERATORS)
        except SubscriptionError as error:
            return error.message
    return ""


def _begun(argument: Argument, schema: Schema, *, is_first: bool) -> Place:
    """The first argument is an attribute, and so is every other of which there is one of that name."""
    if argument.is_result:
        return Place("result", argument.name)
    fitting = _attributes([argument], schema)
    if argument.name in fitting:
        return Place("attribute", argument.name)
    return Place("attribute", fitting[0]) if is_first and fitting else Place(_kind_of(argument))


def _place(kind: str, text: str, schema: Schema) -> Place:
    known = _KINDS.get(kind, "text")
    if known == "attribute" and text not in schema.domain_of:
        return Place(known)
    if known == "result" and not VARIABLE.fullmatch(f"?{text}"):
        return Place(known, "x")
    return Place(known, text)


def _kind_of(argument: Argument) -> Kind:
    return "text" if argument.type == "string" else "number"


def _given(declaration: OperatorDeclaration) -> list[Argument]:
    return [each for each in declaration.arguments if not each.is_result]


def _choices(place: Place, argument: Argument | None, schema: Schema) -> list[str]:
    if place.kind != "attribute":
        return []
    fitting = _attributes([] if argument is None else [argument], schema)
    return fitting if place.text in fitting or not place.text else [place.text, *fitting]


def _attributes(arguments: Sequence[Argument], schema: Schema) -> list[str]:
    """Those still in use that fit all of these."""
    return [
        name
        for name in schema.attributes
        if name not in schema.deprecated.attributes
        and arguments
        and all(fits(schema.domain_of[name], each) for each in arguments)
    ]
