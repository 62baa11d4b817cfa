"""What a subscription's text says, before and after it is checked.

The parser builds trees of `And`, `Or` and `Not` over `Test`, `Call` and `Comparison`, which are as they were
written. Normalising turns them into trees of `And` and `Or` over predicates, operator calls and value
constraints.
"""

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from lark import Token

from schema_registry.core.operators import OperatorCall, ValueConstraint
from schema_registry.core.predicates import Predicate


@dataclass(frozen=True, slots=True)
class Test:
    """An attribute, an operator and values as they were written; the tokens know where they stand."""

    __test__ = False  # not a test case, whatever pytest makes of the name

    attribute: Token
    operator: Token
    values: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """An operator and its arguments as they were written; `end` is where its parenthesis closes."""

    operator: Token
    arguments: tuple[Token, ...]
    end: int


@dataclass(frozen=True, slots=True)
class Calculation:
    """Two operands and `+`, `-`, `*` or `/` between them.

    `size` counts the numbers, strings and variables in it. It may lie as deep as the text is long, so it is
    looked at before anything descends.
    """

    operator: Token
    left: "Operand"
    right: "Operand"
    size: int
    start: int
    end: int


Operand: TypeAlias = Calculation | Token


@dataclass(frozen=True, slots=True)
class Comparison:
    """A value constraint as it was written."""

    left: Operand
    comparator: Token
    right: Operand


Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class And(Generic[Part]):
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Or(Generic[Part]):
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Not(Generic[Part]):
    part: Part


Written: TypeAlias = Test | Call | Comparison
Syntax: TypeAlias = "And[Syntax] | Or[Syntax] | Not[Syntax] | Written"
Leaf: TypeAlias = Predicate | OperatorCall | ValueConstraint
Expression: TypeAlias = "And[Expression] | Or[Expression] | Leaf"


def start_of(operand: Operand) -> int:
    return operand.start if isinstance(operand, Calculation) else operand.start_pos or 0


def end_of(operand: Operand) -> int:
    return operand.end if isinstance(operand, Calculation) else operand.end_pos or 0


def size_of(operand: Operand) -> int:
    return operand.size if isinstance(operand, Calculation) else 1


def unquoted(token: Token) -> str:
    """What a token stands for: without the quotes around it, and those inside single."""
    if token.type != "STRING":
        return str(token)
    quote = token[0]
    return token[1:-1].replace(quote * 2, quote)
