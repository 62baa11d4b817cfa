"""`gough`: a tree in which an event has one path, at whose end are the subscriptions it matches.

Paper 002, section 3.1, figure 3, after Gough and Smith (ACSC 1995). The tree (see `subscription_tree`) has
a level for each attribute and evaluates no predicate twice. It has more nodes than anybody could store, so
at its budget nodes become leaves, and what an event has open there is decided by the shared residual
check: `residual_share` is the truncated share. Leaves that are whole need no check at all.

The tree is made anew by the first event after subscriptions came, as the paper says; no other matcher
rebuilds. A removed one is passed over until then.

Costs: match O(levels * log + open at the leaf * predicates), add and remove O(1) but the next match
O(subscriptions * levels + node budget), memory the budget and up to 32 entries for each subscription.
"""

import numpy as np

from matching.algorithms.arrays import joined
from matching.algorithms.axes import Axes
from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import REMOVED, Truth
from matching.algorithms.slots import Slots
from matching.algorithms.subscription_tree import SubscriptionTree
from schema_registry.core.schema import Schema


class GoughMatcher(IndexMatcher):
    def __init__(self, schema: Schema, *, node_budget: int = 50_000) -> None:
        super().__init__(schema)
        self._axes = Axes(self._conjunctions)
        self._node_budget = node_budget
        self.tree: SubscriptionTree | None = None
        """None if subscriptions came since the last event."""

    def _matched_slots(self, truth: Truth) -> Slots:
        points = self._axes.points_of(truth)
        self.work.predicate_evaluations += len(points)
        leaf = self._current_tree().leaf_of(points)
        sure = joined([*leaf.sure], np.int32).astype(np.int64)
        opened = joined([bunch.members for bunch in leaf.open], np.int32).astype(np.int64)
        self.work.candidates += len(sure) + len(opened)
        self.work.residual_checks += len(opened)
        return np.concatenate((sure, self._tested(opened, truth)))

    def _current_tree(self) -> SubscriptionTree:
        if self.tree is None:
            present = np.flatnonzero(self._conjunctions.ids.array != REMOVED)
            self.tree = SubscriptionTree(self._conjunctions, self._axes, present, self._node_budget)
        return self.tree

    def _index_many(self, slots: Slots) -> None:
        self.tree = None

    def _index_one(self, slot: int) -> None:
        self.tree = None

    def _unindex_one(self, slot: int) -> None:
        pass

    def check_invariants(self) -> None:
        super().check_invariants()
        if self.tree is not None:
            self.tree.check_invariants()
