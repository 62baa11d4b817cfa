"""Factoring: a subtree for each combination of values of some index attributes (paper 000, section 5).

A subscription goes, without its tests on them, into every subtree that it is consistent with; so one that
does not care about an index attribute is copied for each of its values. An event then looks at a single
subtree. Which values there are is settled at the beginning, by the domain: value 0 stands for none of them,
and keeps those who do not care, and those who test a value that came to the domain later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.conjunctions import Conjunctions, Truth
from schema_registry.core.domains import FiniteDomain

MOST_SUBTREES = 4096
_DOES_NOT_CARE = -1

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _IndexAttribute:
    space: int
    size: int  # how many values it has, and one for all others
    stride: int


@dataclass(frozen=True, slots=True)
class Copies:
    """All pairs of an owner and a subtree that it goes into; and which of the tests stay in its path."""

    which: Numbers
    subtree: Numbers
    kept: NDArray[np.bool_]


class IndexAttributes:
    """Numbers the subtrees 0, 1, ... by the values of the index attributes. None: there is one, 0."""

    def __init__(self, conjunctions: Conjunctions, names: Sequence[str] = ()) -> None:
        """Raises ValueError for an attribute without a finite domain, and for too many subtrees."""
        self._conjunctions = conjunctions
        self._value_of = GrowingArray(np.int64)
        self._attributes: list[_IndexAttribute] = []
        self.subtrees = 1
        for name in names:
            self._add(name)

    def __bool__(self) -> bool:
        return bool(self._attributes)

    def copies(self, atoms: Numbers, owners: Numbers, count: int) -> "Copies":
        """Where `count` owners go, whose tests these are. O(copies * index attributes)."""
        self._follow_vocabulary()
        which, subtree, kept = np.arange(count), np.zeros(count, np.int64), np.ones(len(atoms), np.bool_)
        for each in self._attributes:
            rows = np.flatnonzero(self._conjunctions.vocabulary.space_of[atoms] == each.space)
            # Of several tests on one index attribute the first chooses the subtree, and the others stay.
            testing, first = np.unique(owners[rows], return_index=True)
            value = np.full(count, _DOES_NOT_CARE)
            value[testing] = self._value_of.array[atoms[rows[first]]]
            kept[rows[first]] = value[testing] == 0
            of_copy = value[which]
            times = np.where(of_copy == _DOES_NOT_CARE, each.size, 1)
            which, subtree, of_copy = (np.repeat(array, times) for array in (which, subtree, of_copy))
            every_value = np.arange(len(which)) - np.repeat(np.cumsum(times) - times, times)
            subtree += np.where(of_copy == _DOES_NOT_CARE, every_value, of_copy) * each.stride
        return Copies(which, subtree, kept)

    def subtrees_of(self, truth: Truth) -> Numbers:
        """Where the event's subscriptions are: one subtree, if it has one value for each index attribute."""
        self._follow_vocabulary()
        found = np.zeros(1, np.int64)
        spaces = self._conjunctions.vocabulary.space_of[truth.atoms] if self else np.empty(0, np.int32)
        for each in self._attributes:
            values = np.unique(self._value_of.array[truth.atoms[spaces == each.space]])
            if not len(values):
                values = np.zeros(1, np.int64)
            found = (found[:, None] + values * each.stride).ravel()
        return found

    def _add(self, name: str) -> None:
        store = self._conjunctions
        domain = store.schema.domain_of.get(name)
        if not isinstance(domain, FiniteDomain):
            raise ValueError(f"{name!r} cannot be an index attribute: its values cannot be listed.")
        atoms = [store.vocabulary.number(name, "=", value) for value in domain.identifiers()]
        if not atoms:
            return
        space = int(store.vocabulary.space_of[atoms[0]])
        self._attributes.append(_IndexAttribute(space, len(atoms) + 1, self.subtrees))
        self.subtrees *= len(atoms) + 1
        if self.subtrees > MOST_SUBTREES:
            raise ValueError(f"These index attributes make more than {MOST_SUBTREES:,} subtrees.")
        self._follow_vocabulary()
        self._value_of.array[atoms] = 1 + np.arange(len(atoms))

    def _follow_vocabulary(self) -> None:
        if self._attributes:
            self._value_of.extend(
                np.zeros(len(self._conjunctions.vocabulary) - len(self._value_of), np.int64)
            )


def most_tested(conjunctions: Conjunctions, atoms: Numbers, count: int) -> list[str]:
    """So many attributes that can be index attributes, those with the fewest don't-cares first."""
    spaces = conjunctions.vocabulary.space_of[atoms]
    uses: dict[str, int] = {}
    for (attribute, operator), space in conjunctions.vocabulary.spaces.items():
        domain = conjunctions.schema.domain_of[attribute]
        if operator == "=" and isinstance(domain, FiniteDomain) and domain.identifiers():
            uses[attribute] = int(np.count_nonzero(spaces == space))
    chosen: list[str] = []
    for attribute in sorted((name for name in uses if uses[name]), key=lambda name: -uses[name]):
        if len(chosen) < count and _subtrees(conjunctions, [*chosen, attribute]) <= MOST_SUBTREES:
            chosen.append(attribute)
    return chosen


def _subtrees(conjunctions: Conjunctions, names: Sequence[str]) -> int:
    domains = (conjunctions.schema.domain_of[name] for name in names)
    return prod(len(domain.identifiers()) + 1 for domain in domains if isinstance(domain, FiniteDomain))
