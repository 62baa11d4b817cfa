"""Declarations of expensive operators: what `parse` needs to know of one to check its calls.

The code behind a declaration is a plug-in of the matchers; nothing here runs it.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of an operator; `type` is what a constant in its place must be."""

    name: str
    type: Literal["number", "string"]


@dataclass(frozen=True, slots=True)
class OperatorDeclaration:
    """The name by which subscriptions call an operator, and its arguments in order."""

    name: str
    arguments: tuple[Argument, ...]
