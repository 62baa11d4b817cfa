"""What a subscription's text says, before and after it is checked.

The parser builds trees of `And`, `Or` and `Not` over `Test`, which is as it was written. Normalising
turns them into trees of `And` and `Or` over predicates.
"""

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from lark import Token

from schema_registry.core.predicates import Predicate


@dataclass(frozen=True, slots=True)
class Test:
    """An attribute, an operator and values as they were written; the tokens know where they stand."""

    __test__ = False  # not a test case, whatever pytest makes of the name

    attribute: Token
    operator: Token
    values: tuple[Token, ...]


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


Syntax: TypeAlias = "And[Syntax] | Or[Syntax] | Not[Syntax] | Test"
Expression: TypeAlias = "And[Expression] | Or[Expression] | Predicate"
