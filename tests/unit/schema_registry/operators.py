"""Some operators over the paper's schema, and what is said with them."""

from collections.abc import Sequence
from itertools import product
from typing import Any

from schema_registry.core.operators import Argument, OperatorDeclaration
from schema_registry.language import Subscription, parse
from tests.unit.schema_registry.examples import PAPER_SCHEMA, event

_KILOMETRES = {("Lyon", "Lyon"): 0, ("Paris", "Lyon"): 392, ("Vienne", "Lyon"): 27, ("Vienne", "Paris"): 417}


def _distance(locations: Sequence[str], place: str) -> Any:
    return [(_KILOMETRES[each, place],) for each in locations if (each, place) in _KILOMETRES]


def _letters(texts: Sequence[str]) -> Any:
    return [(len(each), each[:1]) for each in texts]


def _pairs(left: Sequence[float], right: Sequence[float]) -> Any:
    return list(product(left, right))


def _is_long(texts: Sequence[str], least: float) -> bool:
    return any(len(each) >= least for each in texts)


def _first(values: Sequence[Any]) -> Any:
    return [(values[0],)]


def _broken(_: Any) -> Any:
    raise RuntimeError("as broken as it says")


def _declared(name: str, *arguments: Argument, function: Any) -> OperatorDeclaration:
    return OperatorDeclaration(name, arguments, function=function)


OPERATORS = {
    each.name: each
    for each in (
        OperatorDeclaration(
            "distance",
            (Argument("location", "string"), Argument("place", "string"), Argument("km", "number", True)),
            description="how far it is",
            function=_distance,
        ),
        _declared(
            "letters",
            Argument("text", "string"),
            Argument("count", "number", True),
            Argument("first", "string", True),
            function=_letters,
        ),
        _declared(
            "pairs",
            Argument("left", "number"),
            Argument("right", "number"),
            Argument("one", "number", True),
            Argument("other", "number", True),
            function=_pairs,
        ),
        _declared("is_long", Argument("text", "string"), Argument("least", "number"), function=_is_long),
        _declared("broken", Argument("what", "any"), function=_broken),
        _declared(
            "anything",
            Argument("what", "any"),
            Argument("it", "any", True),
            function=_first,
        ),
    )
}


def asking(text: str) -> Subscription:
    """The subscription over the paper's schema, with these operators."""
    return parse(text, PAPER_SCHEMA, operators=OPERATORS)


def matches(text: str, **values: Any) -> bool:
    return asking(text).matches(event(**values))
