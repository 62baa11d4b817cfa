"""Which operators there are: those of ours, and those that other packages bring along.

A package names its operators as entry points of the group `lesubscribe.operators`:

    [project.entry-points."lesubscribe.operators"]
    weather = "our_operators:weather"

Ours are in a table, since this project runs from its sources and has no entry points. What cannot be used is
left out, with a sentence that says why.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from matching.operators.declaring import TYPES
from matching.operators.frames import said
from matching.operators.processes import address_of
from schema_registry.core.definitions import KEYWORDS
from schema_registry.core.operators import OperatorDeclaration

GROUP = "lesubscribe.operators"
BUILT_IN = tuple(
    EntryPoint(name, f"matching.operators.builtin.{name}:{name}", GROUP)
    for name in ("distance", "looks_like", "money", "similar")
)


@dataclass(frozen=True, slots=True)
class Found:
    """Operators by name, and a sentence on each that cannot be used."""

    operators: Mapping[str, OperatorDeclaration]
    problems: tuple[str, ...]


def operators() -> Mapping[str, OperatorDeclaration]:
    """All that can be used, by name. Imported once for a process, at the first call."""
    return installed().operators


@cache
def installed() -> Found:
    """Ours first, so that nobody else's takes their names."""
    return find((*BUILT_IN, *sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value))))


def find(named: Iterable[EntryPoint]) -> Found:
    """What stands at these entry points; of two with one name the first."""
    found: dict[str, OperatorDeclaration] = {}
    problems: list[str] = []
    for point in named:
        try:
            declaration = _declaration(point)
            if declaration.name in found:
                raise ValueError(f"There is already an operator {declaration.name}.")
            found[declaration.name] = declaration
        except BaseException as error:  # an import may even try to exit
            if isinstance(error, KeyboardInterrupt):
                raise
            why = str(error) if isinstance(error, ValueError) else said(error)
            problems.append(f"The operator at {point.value} is left out: {why}")
    return Found(MappingProxyType(found), tuple(problems))


def _declaration(point: EntryPoint) -> OperatorDeclaration:
    """Raises ValueError with a sentence, and whatever importing raises."""
    declaration = point.load()
    if not isinstance(declaration, OperatorDeclaration):
        raise ValueError("It is not an OperatorDeclaration; is the function decorated with @operator?")
    name = declaration.name
    if not (name.isascii() and name.isidentifier()) or name.lower() in KEYWORDS:
        raise ValueError(f"{name!r} is not a name that the language can call.")
    if not callable(declaration.function):
        raise ValueError("It has no function.")
    if any(argument.type not in TYPES for argument in declaration.arguments):
        raise ValueError(f"Its arguments have other types than {', '.join(TYPES)}.")
    for seconds in (declaration.cost, declaration.time_limit):
        if not 0 < seconds < math.inf:
            raise ValueError("Its cost and its time limit must be positive numbers of seconds.")
    if declaration.isolated:
        address_of(declaration.function)
    return declaration
