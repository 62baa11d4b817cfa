"""Which predicates a subscription has, kept to be counted: lists (paper 003, section 3.3).

An association table is told the numbers of subscriptions with those of their predicates, and how many of
these must be true; given the true predicates, it says which subscriptions have enough of them.
`bit_matrix` and `byte_matrix` have the paper's other two forms.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.packed_lists import PackedLists

Numbers = NDArray[np.int32]
Ints = NDArray[np.int64]
NEVER_REACHED = np.iinfo(np.int32).max


class Associations(ABC):
    @abstractmethod
    def add(self, subscriptions: Numbers, predicates: Numbers, numbers: Ints, wanted: Ints) -> None:
        """Take pairs, by ascending subscription, no pair twice; `numbers[k]` needs `wanted[k]` of its own."""

    @abstractmethod
    def remove(self, subscription: int) -> Numbers:
        """Forget a subscription; the predicates it had."""

    @abstractmethod
    def reached(self, predicates: Numbers) -> Ints:
        """The subscriptions that have enough of these, which differ."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """The memory of the table."""

    @property
    def reverse_bytes(self) -> int:
        """The memory of what only removal needs."""
        return 0


class AssociationLists(Associations):
    """A list of subscriptions for each predicate, and, to remove one, the reverse table.

    Costs: reached O(true predicates * their subscriptions + subscriptions), add O(predicates), remove
    O(predicates * their subscriptions); memory two entries for each predicate of a subscription.
    """

    def __init__(self) -> None:
        self._subscriptions = PackedLists()
        self._predicates = PackedLists()
        self._wanted = GrowingArray(np.int32)

    def add(self, subscriptions: Numbers, predicates: Numbers, numbers: Ints, wanted: Ints) -> None:
        end = max(len(self._wanted), int(numbers.max(initial=-1)) + 1)
        self._wanted.extend(np.full(end - len(self._wanted), NEVER_REACHED))
        self._wanted.array[numbers] = wanted
        self._predicates.extend(subscriptions, predicates, end)
        by_predicate = np.argsort(predicates, kind="stable")
        self._subscriptions.extend(
            predicates[by_predicate], subscriptions[by_predicate], int(predicates.max(initial=-1)) + 1
        )

    def remove(self, subscription: int) -> Numbers:
        predicates = self._predicates[subscription].copy()
        for predicate in predicates.tolist():
            self._subscriptions.remove(predicate, subscription)
        self._predicates.clear(subscription)
        self._wanted.array[subscription] = NEVER_REACHED
        return predicates

    def reached(self, predicates: Numbers) -> Ints:
        hits = np.bincount(self._subscriptions.items_of(predicates), minlength=len(self._wanted))
        return np.flatnonzero(hits >= self._wanted.array)

    @property
    def bytes(self) -> int:
        return self._subscriptions.bytes + 4 * len(self._wanted)

    @property
    def reverse_bytes(self) -> int:
        return self._predicates.bytes
