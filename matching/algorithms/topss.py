"""`topss-list`, `topss-bit`, `topss-byte`: match predicates first, then count them for each subscription.

Paper 003, section 3 (Ashayer, Leung and Jacobsen). Stage one finds the predicates that the event satisfies,
each once, in tables over finite domains or in sorted lists (see `predicate_index`). Stage two adds one to
the hits of each subscription that has a satisfied predicate, and compares the hits with the number of its
predicates. What the stages share are the numbers of predicates; the three matchers differ in the table
that says who has which: lists, a matrix of bits, or a matrix of bytes. Numbers of predicates and of
subscriptions are given again when they are free.

The paper hands over a bit vector of all predicates; here the numbers of the satisfied ones are, which is
the same without a pass over those that are not. `seconds` has the time of both stages, `satisfied` stops
after the first.

Costs: see `predicate_index` for stage one, and for stage two `associations` and the matrices.
"""

from dataclasses import dataclass
from time import thread_time
from typing import ClassVar

import numpy as np

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.associations import AssociationLists, Associations
from matching.algorithms.axes import Axes
from matching.algorithms.base import IndexMatcher
from matching.algorithms.bit_matrix import BitMatrix
from matching.algorithms.byte_matrix import ByteMatrix
from matching.algorithms.columns import Matchable, SubscriptionColumns
from matching.algorithms.conjunctions import REMOVED, Truth
from matching.algorithms.matrices import MOST_BYTES, Matrix, predicates_in
from matching.algorithms.predicate_index import PredicateIndex, Scheme
from matching.algorithms.predicate_rows import predicate_rows
from matching.algorithms.predicate_slices import Predicates
from matching.algorithms.recycling import RecycledNumbers
from matching.algorithms.residual import ResidualDoubt
from matching.algorithms.slots import Slots
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

NO_NUMBER = -1


@dataclass(slots=True)
class Stages:
    """Seconds of the processor spent in the two stages, over all events so far."""

    predicates: float = 0.0
    subscriptions: float = 0.0

    def reset(self) -> None:
        self.predicates = self.subscriptions = 0.0


class TopssMatcher(IndexMatcher):
    """`predicates`: "table" or "list" force one kind of slice; "auto" has tables for finite domains.

    A conjunction has two numbers: its slot, which is never given again, and the one it is counted under.
    """

    associations: ClassVar[type[Associations]]

    def __init__(self, schema: Schema, *, predicates: Scheme = "auto") -> None:
        super().__init__(schema)
        self.seconds = Stages()
        self._axes = Axes(self._conjunctions)
        self._predicates = PredicateIndex(self._conjunctions.vocabulary, self._axes, predicates)
        self._associations = self.associations()
        self._numbers = RecycledNumbers()
        self._number_of = GrowingArray(np.int32)  # by slot
        self._slot_of = GrowingArray(np.int64)  # by number
        self._doubt = ResidualDoubt(self._conjunctions, self.work)

    def satisfied(self, event: Event) -> Predicates:
        """Stage one alone: the numbers of the predicates that the event satisfies."""
        return self._predicates.satisfied(self._conjunctions.truth_of(event))

    @property
    def predicate_count(self) -> int:
        """How many different predicates there are."""
        return len(self._predicates)

    def memory(self) -> dict[str, int]:
        """Bytes of the parts that the paper's figures 2 and 4 compare."""
        return {
            "predicates": self._predicates.bytes,
            "associations": self._associations.bytes,
            "reverse table": self._associations.reverse_bytes,
        }

    def _matched_slots(self, truth: Truth) -> Slots:
        began = thread_time()
        satisfied = self._predicates.satisfied(truth)
        between = thread_time()
        numbers = self._associations.reached(satisfied)
        self.seconds.predicates += between - began
        self.seconds.subscriptions += thread_time() - between
        self.work.predicate_evaluations += len(satisfied)
        return self._doubt.decided(self._slot_of.array[numbers], truth)

    def _index_many(self, slots: Slots) -> None:
        rows = predicate_rows(self._conjunctions, self._axes, slots)
        predicates = self._predicates.number(rows)
        numbers = self._numbers.take(len(slots))
        self._slot_of.extend(np.zeros(self._numbers.end - len(self._slot_of)))
        self._number_of.extend(numbers)
        self._slot_of.array[numbers] = slots
        self._doubt.extend(rows.doubtful)
        owner = numbers[rows.owner].astype(np.int32)
        order = np.argsort(owner, kind="stable")
        self._associations.add(owner[order], predicates[order], numbers, rows.wanted)

    def _index_one(self, slot: int) -> None:
        self._index_many(np.array([slot]))

    def _unindex_one(self, slot: int) -> None:
        number = int(self._number_of.array[slot])
        self._predicates.release(self._associations.remove(number))
        self._number_of.array[slot] = NO_NUMBER
        self._numbers.give_back(np.array([number]))

    def check_invariants(self) -> None:
        super().check_invariants()
        self._predicates.check_invariants()
        self._numbers.check_invariants()
        self._doubt.check_invariants()
        present = np.flatnonzero(self._conjunctions.ids.array != REMOVED)
        numbers = self._number_of.array[present]
        assert len(np.unique(numbers)) == len(numbers) == len(self._numbers)
        assert (self._slot_of.array[numbers] == present).all()
        gone = self._conjunctions.ids.array == REMOVED
        assert (self._number_of.array[gone] == NO_NUMBER).all()


class TopssList(TopssMatcher):
    associations = AssociationLists


class _TopssMatrix(TopssMatcher):
    """Refuses with ValueError what would make a matrix of more than `most_bytes`."""

    associations: ClassVar[type[Matrix]]

    def __init__(self, schema: Schema, *, predicates: Scheme = "auto", most_bytes: int = MOST_BYTES) -> None:
        super().__init__(schema, predicates=predicates)
        self._most_bytes = most_bytes

    def _add(self, number: int, subscription: Matchable) -> None:
        self._require_room(SubscriptionColumns.of([(number, subscription)]))
        super()._add(number, subscription)

    def _load(self, columns: SubscriptionColumns) -> None:
        self._require_room(columns)
        super()._load(columns)

    def _require_room(self, columns: SubscriptionColumns) -> None:
        predicates = len(self._predicates) + predicates_in(columns)
        subscriptions = len(self._numbers) + len(columns.predicate_start) - 1
        size = self.associations.size(predicates, subscriptions)
        if size > self._most_bytes:
            raise ValueError(
                f"A matrix of about {predicates:,} predicates and {subscriptions:,} subscriptions takes"
                f" {size / 1e9:,.2f} GB, and {self._most_bytes / 1e9:,.2f} GB are allowed:"
                " use topss-list, or give more with most_bytes."
            )


class TopssBit(_TopssMatrix):
    associations = BitMatrix


class TopssByte(_TopssMatrix):
    associations = ByteMatrix
