"""A call of an operator and what is asked of its result, as one row of a form: distance, Lyon, at most 50.

Only what is as simple as that makes a row: a call with one variable, which one comparison with a constant
asks about and nothing else does. Everything here is linear in the text.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from lark import Token

from schema_registry.language.ast import And, Calculation, Call, Comparison, Not, Or, Syntax, unquoted
from schema_registry.language.diagnostics import quoted

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
VARIABLE = re.compile(r"\?([A-Za-z_][A-Za-z0-9_]*)")
Kind: TypeAlias = Literal["attribute", "text", "number", "result"]
_KINDS: dict[str, Kind] = {"NAME": "attribute", "STRING": "text", "FIGURE": "number", "VARIABLE": "result"}


@dataclass(frozen=True, slots=True)
class Place:
    """What stands in one place of a call, as a person would type it; of the result the name of its variable.

    In a form it may be missing, and a number be none: then it is written as the text that it is.
    """

    kind: Kind
    text: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "attribute":
                return self.text
            case "result":
                return f"?{self.text}"
            case "number" if NUMBER.fullmatch(self.text):
                return self.text
        return quoted(self.text)


@dataclass(frozen=True, slots=True)
class CallRow:
    """`value` is what the result is compared with, a number or a text."""

    operator: str
    places: tuple[Place, ...]
    comparator: str = ""
    value: Place = Place("number")

    @property
    def variable(self) -> str:
        return next((place.text for place in self.places if place.kind == "result"), "")

    @property
    def is_complete(self) -> bool:
        return bool(self.comparator and self.value.text) and all(place.text for place in self.places)

    def with_variable(self, name: str) -> "CallRow":
        places = (replace(place, text=name) if place.kind == "result" else place for place in self.places)
        return replace(self, places=tuple(places))

    def __str__(self) -> str:
        call = f"{self.operator}({', '.join(map(str, self.places))})"
        return f"{call} and ?{self.variable} {self.comparator} {self.value}"


def variables_of(tree: Syntax) -> Iterator[str]:
    """Each as often as it occurs."""
    match tree:
        case And(parts) | Or(parts):
            for part in parts:
                yield from variables_of(part)
        case Not(part):
            yield from variables_of(part)
        case Call(arguments=arguments):
            yield from (token[1:] for token in arguments if token.type == "VARIABLE")
        case Comparison(left=left, right=right):
            yield from _in_operand(left)
            yield from _in_operand(right)


def paired(parts: Sequence[Syntax], elsewhere: frozenset[str]) -> Iterator[tuple[Syntax, CallRow | None]]:
    """The parts of an `and`, a call as a row where it is one, without the comparison that went into it.

    `elsewhere` are the variables of what holds together with all of them.
    """
    uses = Counter(name for part in parts for name in variables_of(part))
    asked = {str(part.left)[1:]: part for part in parts if isinstance(part, Comparison) and _is_plain(part)}
    rows: dict[int, CallRow] = {}
    told: set[int] = set()
    for number, part in enumerate(parts):
        names = list(variables_of(part)) if isinstance(part, Call) else []
        if len(names) == 1 and uses[names[0]] == 2 and names[0] in asked and names[0] not in elsewhere:
            assert isinstance(part, Call)
            row = _row(part, asked[names[0]])
            if row is not None:
                rows[number] = row
                told.add(id(asked[names[0]]))
    for number, part in enumerate(parts):
        if id(part) not in told:
            yield part, rows.get(number)


def _row(call: Call, comparison: Comparison) -> CallRow | None:
    right = comparison.right
    assert isinstance(right, Token)
    places = tuple(map(_place, call.arguments))
    row = CallRow(str(call.operator), places, str(comparison.comparator), _place(right))
    return row if all(_fits_a_field(place.text) for place in (*places, row.value)) else None


def _place(token: Token) -> Place:
    kind = _KINDS[token.type]
    return Place(kind, str(token)[1:] if kind == "result" else unquoted(token))


def _is_plain(comparison: Comparison) -> bool:
    left, right = comparison.left, comparison.right
    return (
        isinstance(left, Token)
        and isinstance(right, Token)
        and left.type == "VARIABLE"
        and right.type != "VARIABLE"
    )


def _fits_a_field(text: str) -> bool:
    """Whether a field of one line gives it back: empty ones count as missing, outer spaces are taken off."""
    return bool(text) and text == text.strip() and len(text.splitlines()) == 1


def _in_operand(operand: "Token | Calculation") -> Iterator[str]:
    """Without recursion: a calculation may lie as deep as the text is long."""
    waiting = [operand]
    while waiting:
        match waiting.pop():
            case Calculation(left=left, right=right):
                waiting += (left, right)
            case Token(type="VARIABLE") as variable:
                yield variable[1:]
