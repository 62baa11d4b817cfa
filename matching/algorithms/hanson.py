"""`hanson`: find subscriptions by their most selective predicate, and test the others of those found.

Paper 002, section 3.1, figure 6, after Hanson, Chaabouni, Kim and Wang (SIGMOD 1990). Each attribute has an
interval binary search tree (see `interval_tree`) that holds, of every conjunction, only the predicate that
is expected to hold least often; an event looks each of its values up in the tree of its attribute. What
is found is tested as in `naive`, predicate after predicate until one fails.

Which predicate that is, is learnt (see `selectivity`): from the events matched so far, and before there
are any from the constants of the subscriptions. The choice is made once, when a subscription comes.

Costs: match O(values * log + found * other predicates), add and remove O(log**2) on average, memory O(log)
for the indexed predicate of a conjunction, one entry if it is an equality. Without selective predicates,
what is found is much, and the paper's warning holds: it is `naive` again. A load larger than all before
gets trees of its own beside the others, so there are O(log) for an attribute, and nothing is rebuilt.
"""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray, joined
from matching.algorithms.axes import Axes, Floats, Ints, Pieces
from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import REMOVED, Truth
from matching.algorithms.interval_tree import IntervalTree
from matching.algorithms.selectivity import Selectivity
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema

NONE = -1  # chosen where a conjunction has no positive literal


class HansonMatcher(IndexMatcher):
    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._axes = Axes(self._conjunctions)
        self._selectivity = Selectivity()
        self._trees: dict[int, list[IntervalTree]] = {}
        # For each conjunction which of its positive literals is in a tree, in the order of `Pieces`.
        self._chosen = GrowingArray(np.int32)
        self._has_others = GrowingArray(np.bool_)  # and whether it has any other literals
        self._in_no_tree: dict[int, None] = {}

    def _matched_slots(self, truth: Truth) -> Slots:
        points = self._axes.points_of(truth)
        self._selectivity.observe(points)
        self.work.predicate_evaluations += len(points)
        found = joined(self._found(points), np.int32).astype(np.int64)
        if truth.has_several_values:
            found = np.unique(found)
        self.work.candidates += len(found)
        has_others = self._has_others.array[found]
        tested = self._tested(found[has_others], truth)
        in_no_tree = self._settled(np.fromiter(self._in_no_tree, np.int64), truth)
        return np.concatenate((found[~has_others], tested, in_no_tree))

    def _found(self, points: list[tuple[int, float]]) -> list[NDArray[np.int32]]:
        return [
            marks
            for axis, point in points
            for tree in self._trees.get(axis, ())
            for marks in tree.find(point)
        ]

    def _index_many(self, slots: Slots) -> None:
        pieces = self._axes.pieces(slots)
        self._selectivity.know_constants(pieces)
        indexed = self._most_selective(slots, pieces)
        for axis in np.unique(indexed.axis).tolist():
            rows = indexed.axis == axis
            self._plant(axis, indexed.low[rows], indexed.high[rows], slots[indexed.owner[rows]])

    def _plant(self, axis: int, low: Floats, high: Floats, slots: Slots) -> None:
        trees = self._trees.setdefault(axis, [])
        if not trees or len(slots) > trees[-1].taken:
            trees.append(IntervalTree(low, high, slots))
            return
        for one in zip(low.tolist(), high.tolist(), slots.tolist(), strict=True):
            trees[-1].add(*one)

    def _index_one(self, slot: int) -> None:
        slots = np.array([slot])
        indexed = self._most_selective(slots, self._axes.pieces(slots))
        for row, axis in enumerate(indexed.axis.tolist()):
            self._plant(axis, indexed.low[[row]], indexed.high[[row]], slots)

    def _unindex_one(self, slot: int) -> None:
        self._in_no_tree.pop(slot, None)
        slots = np.array([slot])
        for axis, low, high in self._indexed(slots, self._axes.pieces(slots)):
            any(tree.remove(low, high, slot) for tree in self._trees[axis])

    def _most_selective(self, slots: Slots, pieces: Pieces) -> Pieces:
        """The pieces of the literal of each conjunction that is expected to hold least often."""
        owner, rank = _literals(pieces)
        expected = np.bincount(pieces.literal, self._selectivity.expected(pieces), len(owner))
        best_first = np.lexsort((expected, owner))
        with_literal, first = np.unique(owner[best_first], return_index=True)
        chosen = np.full(len(slots), NONE)
        chosen[with_literal] = rank[best_first[first]]
        self._chosen.extend(chosen)
        several = np.bincount(owner, minlength=len(slots)) > 1
        self._has_others.extend(several | self._conjunctions.has_negative.array[slots])
        self._in_no_tree |= dict.fromkeys(slots[chosen == NONE].tolist())
        return self._indexed(slots, pieces)

    def _indexed(self, slots: Slots, pieces: Pieces) -> Pieces:
        """Those of the pieces of these conjunctions that are in trees."""
        owner, rank = _literals(pieces)
        is_chosen = rank == self._chosen.array[slots[owner]]
        return pieces[is_chosen[pieces.literal]]

    def check_invariants(self) -> None:
        super().check_invariants()
        store = self._conjunctions
        assert len(self._chosen) == len(self._has_others) == len(store.ids)
        present = np.flatnonzero(store.ids.array != REMOVED)
        assert present[self._chosen.array[present] == NONE].tolist() == sorted(self._in_no_tree)
        indexed = self._indexed(present, self._axes.pieces(present))
        in_trees: dict[int, list[tuple[float, float, int]]] = {}
        for slot, (axis, low, high) in zip(present[indexed.owner].tolist(), indexed, strict=True):
            in_trees.setdefault(axis, []).append((low, high, slot))
        for axis, trees in self._trees.items():
            expected = in_trees.pop(axis, [])
            for tree in trees:
                here = {slot for slots in tree.all_marks().values() for slot in slots}
                tree.check_invariants([each for each in expected if each[2] in here])
                expected = [each for each in expected if each[2] not in here]
            assert not [each for each in expected if each[0] <= each[1]]
        assert not in_trees


def _literals(pieces: Pieces) -> tuple[Ints, Ints]:
    """For each literal its owner, and its place among the literals of that owner."""
    literals = int(pieces.literal.max(initial=-1)) + 1
    owner = np.zeros(literals, np.int64)
    owner[pieces.literal] = pieces.owner
    by_owner = np.argsort(owner, kind="stable")
    place = np.arange(literals)
    rank = np.empty(literals, np.int64)
    rank[by_owner] = place - np.searchsorted(owner[by_owner], owner[by_owner])
    return owner, rank
