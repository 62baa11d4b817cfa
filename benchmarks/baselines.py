"""What matchers are measured against: `limit`, what a bitmap matcher must at least read, and `pyroaring`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from benchmarks.own_process import NotForThisWorkloadError
from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import Truth
from matching.algorithms.slots import Slots
from matching.engine import bitmaps
from schema_registry.core.schema import Schema

ROWS_PER_ATTRIBUTE = 64


@dataclass(slots=True)
class Limit:
    """The AND of one random bitmap per attribute over all subscriptions, and as many ids as match."""

    rows: NDArray[np.uint64]
    left: NDArray[np.uint64]
    room: NDArray[np.int64]
    into: NDArray[np.uint64]
    random: np.random.Generator

    @classmethod
    def of(cls, *, attributes: int, subscriptions: int, matches: float, seed: int) -> "Limit":
        random = np.random.default_rng(seed)
        words = -(-subscriptions // 64)
        rows = random.integers(0, 1 << 63, (attributes * ROWS_PER_ATTRIBUTE, words), np.uint64)
        matching = random.choice(subscriptions, min(subscriptions, round(matches)), replace=False)
        left = np.zeros(words, np.uint64)
        np.bitwise_or.at(left, matching // 64, np.uint64(1) << (matching % 64).astype(np.uint64))
        return cls(rows, left, np.empty(subscriptions, np.int64), np.empty(words, np.uint64), random)

    def match(self) -> NDArray[np.int64]:
        attributes = len(self.rows) // ROWS_PER_ATTRIBUTE
        chosen = np.arange(attributes) * ROWS_PER_ATTRIBUTE
        chosen += self.random.integers(0, ROWS_PER_ATTRIBUTE, attributes)
        bitmaps.and_of_rows(self.rows, chosen, self.into)
        return bitmaps.set_bits(self.left, self.room).copy()


class PyRoaringMatcher(IndexMatcher):
    """Counting with compressed bitmaps: per predicate the subscriptions that have it; equalities only.

    `at_least[k]` are the subscriptions with k or more true predicates so far; a subscription with n
    predicates matches when it is in `at_least[n]`.
    """

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._postings: dict[int, BitMap] = {}
        self._with_predicates: dict[int, BitMap] = {}

    def _matched_slots(self, truth: Truth) -> Slots:
        most = max(self._with_predicates, default=0)
        at_least = [BitMap() for _ in range(most + 1)]
        for atom in truth.atoms.tolist():
            found = self._postings.get(atom)
            if found is not None:
                for count in range(most, 1, -1):
                    at_least[count] |= at_least[count - 1] & found
                at_least[1] |= found
        matched = BitMap()
        for count, slots in self._with_predicates.items():
            matched |= at_least[count] & slots
        return np.array(matched, np.int64)

    def _index_many(self, slots: Slots) -> None:
        store = self._conjunctions
        self._refuse_what_is_no_equality(slots)
        rows, position = store.tests.rows_of(slots)
        atoms = store.tests["atom"][rows]
        order = np.argsort(atoms, kind="stable")
        edges = np.flatnonzero(np.diff(atoms[order])) + 1
        for part in np.split(order, edges):
            self._postings.setdefault(int(atoms[part[0]]), BitMap()).update(slots[position[part]])
        lengths = np.bincount(position, minlength=len(slots))
        for length in np.unique(lengths).tolist():
            self._with_predicates.setdefault(length, BitMap()).update(slots[lengths == length])

    def _index_one(self, slot: int) -> None:
        self._index_many(np.array([slot]))

    def _unindex_one(self, slot: int) -> None:
        for slots in self._with_predicates.values():
            slots.discard(slot)

    def _refuse_what_is_no_equality(self, slots: Slots) -> None:
        store = self._conjunctions
        rows, _ = store.tests.rows_of(slots)
        others = len(store.bounds.rows_of(slots)[0]) + len(store.groups.rows_of(slots)[0])
        if others or store.tests["negative"][rows].any():
            raise NotForThisWorkloadError("pyroaring counts equalities only")
