"""`fair-predicate`: find the predicates that the event satisfies, each once; count them per subscription.

Paper 002, section 3.1, figure 2. Equality predicates are found by their value, comparisons in lists sorted
by constant: everything beyond the event's value holds. Then, for each satisfied predicate, one is added
to every subscription it appears in, and all subscriptions are compared with the number they need.

Costs: match O(satisfied predicates * their subscriptions + subscriptions), add and remove O(predicates
* log), memory one entry per predicate of a subscription. It evaluates no predicate twice, and pays for it
with the sums.
"""

from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import Truth
from matching.algorithms.counting import CountingIndex
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema


class FairPredicateMatcher(IndexMatcher):
    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._counting = CountingIndex(self._conjunctions, self.work)

    def _matched_slots(self, truth: Truth) -> Slots:
        return self._settled(self._counting.reached(truth), truth)

    def _index_many(self, slots: Slots) -> None:
        self._counting.load(slots)

    def _index_one(self, slot: int) -> None:
        self._counting.add(slot)

    def _unindex_one(self, slot: int) -> None:
        self._counting.remove(slot)

    def check_invariants(self) -> None:
        super().check_invariants()
        self._counting.check_invariants()
