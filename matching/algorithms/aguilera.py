"""`aguilera`: a tree of tests that the event is led through, with branches for those who do not care.

Paper 000 (Gryphon), all of it: any tests in a fixed order (section 3), equalities by levels (section 4), and
the three optimisations of section 5, each of which can be switched: `collapse` chains of don't-cares,
annotate nodes with their `successors`, and factor by `index_attributes`. The tree is in `matching_tree`.

Costs: match O(nodes visited), which for n random subscriptions of equalities grows like n ** (1 - lambda),
with lambda = ln V / (ln V + ln (K + 1)) for K attributes of V values; add and remove O(tests * log); memory
one edge for each test that no other subscription shares, and one number for each successor.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

import numpy as np

from matching.algorithms.arrays import joined
from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import Truth
from matching.algorithms.factoring import IndexAttributes, most_tested
from matching.algorithms.matching_tree import MatchingTree
from matching.algorithms.order_of_tests import OrderOfTests
from matching.algorithms.paths import Paths, paths_of, tested_atoms
from matching.algorithms.slots import Slots
from matching.algorithms.successors import AnnotatedTree
from schema_registry.core.schema import Schema

Successors = Literal["none", "plain", "refined"]


class AguileraMatcher(IndexMatcher):
    def __init__(
        self,
        schema: Schema,
        *,
        collapse: bool = True,
        successors: Successors = "none",
        index_attributes: int | Sequence[str] = 0,
        related: bool = True,
    ) -> None:
        """`index_attributes` are names, or how many: then the first load chooses, by the fewest don't-cares.

        With successors, what is loaded at once is annotated; what is added singly is in a tree beside it.
        Raises ValueError for index attributes whose values cannot be listed, or that make too many subtrees.
        """
        super().__init__(schema)
        self._collapse, self._related, self._successors = collapse, related, successors
        self._order = OrderOfTests(self._conjunctions)
        self._to_choose = index_attributes if isinstance(index_attributes, int) else 0
        names = () if isinstance(index_attributes, int) else index_attributes
        self._index = IndexAttributes(self._conjunctions, names)
        self._growing: MatchingTree | None = None
        self._annotated: list[tuple[int, int, AnnotatedTree]] = []  # with their first and last slot

    def space(self) -> dict[str, int]:
        """Nodes, edges and successors, as the paper measures space. O(nodes)."""
        total = {"nodes": 0, "edges": 0, "successors": 0}
        for tree in self._trees():
            for name, count in tree.space().items():
                total[name] += count
        return total

    def check_invariants(self) -> None:
        super().check_invariants()
        for tree in self._trees():
            tree.check_invariants()

    def _matched_slots(self, truth: Truth) -> Slots:
        roots = self._index.subtrees_of(truth)
        slots = joined([tree.slots(roots, truth) for tree in self._trees()], np.int64)
        if len(roots) > 1:
            slots = np.unique(slots)
        return self._settled(self._with_any_of(slots, truth), truth)

    def _with_any_of(self, slots: Slots, truth: Truth) -> Slots:
        """Those whose "any of" groups hold, which no single test can stand for: a residual check.

        What `_settled` will look at anyway is left to it.
        """
        store = self._conjunctions
        if truth.has_several_values or not len(store.groups["number"]):
            return slots
        undecided = store.groups.start[slots + 1] > store.groups.start[slots]
        undecided &= ~store.has_negative.array[slots]
        doubtful = slots[undecided]
        holding = doubtful[store.groups_hold(doubtful, truth)]
        self.work.residual_checks += len(doubtful)
        self.work.candidates += len(doubtful) - len(holding)  # the others are counted when they are settled
        return np.concatenate((slots[~undecided], holding))

    def _index_many(self, slots: Slots) -> None:
        if not len(slots):
            return
        paths = self._learnt_paths(slots)
        if self._successors == "none":
            self._tree().insert(paths)
            return
        tree = AnnotatedTree(
            paths,
            self._order,
            self.work,
            refined=self._successors == "refined",
            roots=self._index.subtrees,
            collapse=self._collapse,
            related=self._related,
        )
        self._annotated.append((int(slots[0]), int(slots[-1]), tree))

    def _index_one(self, slot: int) -> None:
        paths = self._learnt_paths(np.array([slot]))  # before there is a tree, which it may shape
        self._tree().insert(paths)

    def _unindex_one(self, slot: int) -> None:
        self._tree_of(slot).remove(self._paths(np.array([slot])))

    def _learnt_paths(self, slots: Slots) -> Paths:
        atoms, _ = tested_atoms(self._conjunctions, slots)
        if self._to_choose:
            names = most_tested(self._conjunctions, atoms, self._to_choose)
            self._index = IndexAttributes(self._conjunctions, names)
            self._to_choose = 0
        self._order.learn(atoms)
        return self._paths(slots)

    def _paths(self, slots: Slots) -> Paths:
        return paths_of(slots, self._conjunctions, self._order, self._index)

    def _tree(self) -> MatchingTree:
        """The tree that grows; made late, since how many subtrees it has is chosen by what comes first."""
        if self._growing is None:
            self._growing = MatchingTree(
                self._order,
                self.work,
                roots=self._index.subtrees,
                collapse=self._collapse,
                related=self._related,
            )
        return self._growing

    def _trees(self) -> list[MatchingTree]:
        growing = [] if self._growing is None else [self._growing]
        return [*growing, *(tree for _, _, tree in self._annotated)]

    def _tree_of(self, slot: int) -> MatchingTree:
        at = bisect_right(self._annotated, slot, key=lambda loaded: loaded[0]) - 1
        if at >= 0 and slot <= self._annotated[at][1]:
            return self._annotated[at][2]
        return self._tree()
