"""Names for variables in canonical texts, so that texts which differ only in names share one.

A variable is called after the result it stands for, `?km`, and numbered where several stand for the same:
`?km`, `?km2`. Which comes first goes by the part that each plays, found as graphs are told apart: variables
are ranked by the calls and constraints they occur in, and by the ranks of those they occur with, until
nothing changes. Of those that still play the same part the first by name is told apart, and so on. The work
is bounded, so the names in a text of many like calls may still count; what it gives parses to itself.

The variables of a negated call bind nothing, and are named apart from all others.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from schema_registry.core.operators import (
    OperatorCall,
    OperatorDeclaration,
    ValueConstraint,
    Variable,
    name_key,
)
from schema_registry.core.predicates import Predicate
from schema_registry.language.ast import Expression, Leaf
from schema_registry.language.normalise import leaves, with_leaves
from schema_registry.language.terms import NameOf, renamed_call, renamed_constraint

MOST_ROUNDS = 6
MOST_TIES = 3
_NAME = re.compile(r"[^\W\d]\w*")
_UNNAMED = "x"

Operators = Mapping[str, OperatorDeclaration]
OperatorLeaf = OperatorCall | ValueConstraint


def with_canonical_names(expression: Expression, operators: Operators) -> Expression:
    """The expression in normal form, with the names that its canonical text has."""
    binding = [
        leaf for leaf in dict.fromkeys(leaves(expression)) if isinstance(leaf, OperatorLeaf) and _binds(leaf)
    ]
    named = _names(_in_order(binding), _results(binding, operators))

    def change(leaf: Leaf) -> Leaf:
        if isinstance(leaf, Predicate):
            return leaf
        if _binds(leaf):
            return _renamed(leaf, named.__getitem__)
        own = _names(leaf.variables, _results([leaf], operators))
        return _renamed(leaf, own.__getitem__)

    return with_leaves(expression, change)


def _binds(leaf: OperatorLeaf) -> bool:
    return not (isinstance(leaf, OperatorCall) and leaf.negated)


def _renamed(leaf: OperatorLeaf, name_of: NameOf) -> OperatorLeaf:
    if isinstance(leaf, OperatorCall):
        return renamed_call(leaf, name_of)
    return renamed_constraint(leaf, name_of)


def _results(found: Iterable[OperatorLeaf], operators: Operators) -> Callable[[str], str]:
    """The name of the result that a variable stands for: the first, by operators and their places."""
    places: dict[str, tuple[str, int]] = {}
    for call in found:
        if isinstance(call, OperatorCall):
            for place, argument in enumerate(call.arguments):
                if isinstance(argument, Variable):
                    here = call.operator, place
                    places[argument.name] = min(places.get(argument.name, here), here)

    def result(variable: str) -> str:
        operator, place = places[variable]
        name = operators[operator].arguments[place].name
        return name if _NAME.fullmatch(name) else _UNNAMED

    return result


def _names(variables: Iterable[str], result: Callable[[str], str]) -> dict[str, str]:
    """New names for the variables, which come in order. Those of one result ascend with it."""
    named: dict[str, str] = {}
    taken: set[str] = set()
    for variable in variables:
        base = name = result(variable)
        number = 1
        while name in taken:
            number += 1
            name = f"{base}{number}"
        taken.add(name)
        named[variable] = name
    return named


def _in_order(found: Iterable[OperatorLeaf]) -> list[str]:
    """The variables by the parts they play; those that play the same, by their names."""
    occurrences: dict[str, list[OperatorLeaf]] = {}
    for leaf in found:
        for name in leaf.variables:
            occurrences.setdefault(name, []).append(leaf)
    ranks = _refined(dict.fromkeys(occurrences, 0), occurrences)
    for _ in range(MOST_TIES):
        tied = _first_tie(ranks)
        if not tied:
            break
        chosen = min(tied, key=name_key)
        told_apart = {name: 2 * rank + (name != chosen) for name, rank in ranks.items()}
        ranks = _refined(told_apart, occurrences)
    return sorted(ranks, key=lambda name: (ranks[name], name_key(name)))


def _first_tie(ranks: Mapping[str, int]) -> list[str]:
    classes: dict[int, list[str]] = {}
    for name, rank in ranks.items():
        classes.setdefault(rank, []).append(name)
    return next((classes[rank] for rank in sorted(classes) if len(classes[rank]) > 1), [])


def _refined(ranks: dict[str, int], occurrences: Mapping[str, list[OperatorLeaf]]) -> dict[str, int]:
    """Ranks that tell apart what occurs differently, and keep what was apart in its order."""
    for _ in range(MOST_ROUNDS):
        parts = {name: (ranks[name], _part(name, occurrences[name], ranks)) for name in ranks}
        rank_of = {part: rank for rank, part in enumerate(sorted(set(parts.values())))}
        is_stable = len(rank_of) == len(set(ranks.values()))
        ranks = {name: rank_of[part] for name, part in parts.items()}
        if is_stable:
            break
    return ranks


def _part(
    name: str, occurrences: Iterable[OperatorLeaf], ranks: Mapping[str, int]
) -> tuple[tuple[bool, Any], ...]:
    """The calls and constraints of a variable, with ranks in place of names, and none for its own."""

    def rank(other: str) -> str:
        return "" if other == name else str(ranks[other])

    parts = ((isinstance(leaf, OperatorCall), _renamed(leaf, rank).sort_key) for leaf in occurrences)
    return tuple(sorted(parts))
