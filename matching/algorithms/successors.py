"""A matching tree whose nodes are annotated with their successors (paper 000, section 5).

The search follows results first, and *-edges only when it is blocked or has arrived. Where it then must look
was worked out beforehand: a node reached by `a=1, b=2, c=3` has as successors those of the nodes `*, b=2,
c=3`, `a=1, *, c=3` and `a=1, b=2, *` that exist, and for one that does not, that one's own successors. So the
search jumps there instead of coming down from the root again, and asks nothing twice. Only the last run of
results is replaced, so every node is the successor of one for an event.

*Refined*: whoever is blocked at a node knows that the event's value is none of its results; a successor that
tests for no other values must fail too, and is passed over for what comes after it.

Annotations are made once, for a tree that is loaded at once; it keeps its shape when subscriptions go.
"""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray, joined
from matching.algorithms.key_table import MISSING, Keys, pair, unpaired
from matching.algorithms.matching_tree import MatchingTree, Numbers, Stems
from matching.algorithms.order_of_tests import GENERAL, OrderOfTests
from matching.algorithms.paths import Paths
from matching.algorithms.sorted_runs import rows_between
from matching.algorithms.work import Work


class AnnotatedTree(MatchingTree):
    """Costs: annotating O(stems * successors of each); space one number for each successor."""

    def __init__(
        self,
        paths: Paths,
        order: OrderOfTests,
        work: Work,
        *,
        refined: bool,
        roots: int = 1,
        collapse: bool = True,
        related: bool = True,
    ) -> None:
        super().__init__(order, work, roots=roots, collapse=collapse, related=related)
        self.insert(paths)
        self._first = np.zeros(len(self._mask), np.int64)
        self._last = np.zeros(len(self._mask), np.int64)
        self._successors = GrowingArray(np.int64)
        keys, children = self._edges.items()
        parents, atoms = unpaired(keys)
        for level in range(order.levels):
            at_level = np.flatnonzero(order.level_of[atoms] == level)
            self._annotate(level, children[at_level], parents[at_level], atoms[at_level])
        self._must_fail = self._failing_too() if refined else np.zeros(len(self._successors), np.bool_)

    def space(self) -> dict[str, int]:
        return {**super().space(), "successors": len(self._successors)}

    def check_invariants(self) -> None:
        super().check_invariants()
        owners = np.repeat(np.arange(len(self._first)), self._last - self._first)
        entries = self._successors.array[rows_between(self._first, self._last)]
        assert len(np.unique(pair(owners, entries))) == len(owners)
        assert (self._level.array[entries] <= self._level.array[owners]).all()

    def _annotate(self, level: int, stems: Stems, parents: Stems, atoms: Numbers) -> None:
        """The successors of all stems whose last result is of this level; those before have theirs."""
        aside = self._going_on(parents, level)
        owners, found = [stems[aside]], [parents[aside]]
        owner, successor = self._pairs(parents, level - 1)
        while len(owner):
            children = self._edges.find(pair(successor, atoms[owner]))
            hit = children != MISSING
            owners.append(stems[owner[hit]])
            found.append(children[hit])
            owner, successor = owner[~hit], successor[~hit]
            aside = self._going_on(successor, level)
            owners.append(stems[owner[aside]])
            found.append(successor[aside])
            position, successor = self._pairs(successor, level - 1)
            owner = owner[position]
        all_owners = np.concatenate(owners)
        order = np.argsort(all_owners, kind="stable")
        self._first[stems] = len(self._successors) + np.searchsorted(all_owners[order], stems)
        self._last[stems] = len(self._successors) + np.searchsorted(all_owners[order], stems, side="right")
        self._successors.extend(np.concatenate(found)[order])

    def _pairs(self, stems: Stems, level: int) -> tuple[Numbers, Stems]:
        """The successors of those stems whose last result is of this level, each with its stem's position."""
        just_passed = np.flatnonzero(self._level.array[stems] == level)
        first, last = self._first[stems[just_passed]], self._last[stems[just_passed]]
        return np.repeat(just_passed, last - first), self._successors.array[rows_between(first, last)]

    def _going_on(self, stems: Stems, level: int) -> NDArray[np.bool_]:
        """Which stems have nodes below this level."""
        going_on: NDArray[np.bool_] = self._mask.array[stems] >> (level + 1) != 0
        return going_on

    def _failing_too(self) -> NDArray[np.bool_]:
        """For each successor whether its test has no result that its owner's test lacks."""
        keys, children = self._edges.items()
        parents, atoms = unpaired(keys)
        nodes = pair(parents, self._level.array[children].astype(np.int64))
        order = np.argsort(nodes)
        nodes, atoms = nodes[order], atoms[order]
        owners = np.repeat(np.arange(len(self._first)), self._last - self._first)
        rows = rows_between(self._first, self._last)
        level = self._level.array[owners].astype(np.int64) + 1
        _, owned = _results(nodes, pair(owners, level))
        first, count = _results(nodes, pair(self._successors.array[rows], level))
        must_fail = np.zeros(len(self._successors), np.bool_)
        few = np.flatnonzero(count <= owned)  # others have a result more
        position = np.repeat(few, count[few])
        results = atoms[rows_between(first[few], first[few] + count[few])]
        lacked = position[self._edges.find(pair(owners[position], results)) == MISSING]
        must_fail[rows[few]] = True
        must_fail[rows[lacked]] = False
        return must_fail

    def _through_levels(self, stems: Stems, tests: dict[int, list[int]]) -> Stems:
        if any(len(atoms) > 1 for level, atoms in tests.items() if level != GENERAL):
            return super()._through_levels(stems, tests)  # annotations are for one result of each test
        for level in range(self._order.levels):
            stems = self._through_level(stems, level, tests.get(level))
        reached = [stems]
        while len(stems):
            stems = self._pairs(stems, self._order.levels - 1)[1]
            reached.append(stems)
        return np.concatenate(reached)

    def _through_level(self, stems: Stems, level: int, result: list[int] | None) -> Stems:
        """Where the search goes on below the level."""
        following: list[Stems] = []
        must_fail = np.zeros(len(stems), np.bool_)
        while len(stems):
            asked = np.flatnonzero(self._has_node(stems, level) & ~must_fail)
            self._visit(len(asked))
            blocked = np.ones(len(stems), np.bool_)
            if result is not None:
                children = self._edges.find(pair(stems[asked], result[0]))
                following.append(children[children != MISSING])
                blocked[asked[children != MISSING]] = False
            stems = stems[blocked]
            following.append(stems[self._going_on(stems, level)])
            just_passed = stems[self._level.array[stems] == level - 1]
            rows = rows_between(self._first[just_passed], self._last[just_passed])
            stems, must_fail = self._successors.array[rows], self._must_fail[rows]
        reached: Stems = joined(following, np.int64)
        return reached

    def _alive(self, stems: Stems) -> Stems:
        """All that are there: who is blocked by a node that nobody needs would know too little."""
        there: Stems = stems[stems != MISSING]
        return there

    def _prune(self, route: list[int], paths: Paths) -> None:
        pass


def _results(nodes: Keys, asked: Keys) -> tuple[Numbers, Numbers]:
    """Where the results of each of the nodes begin in the sorted array, and how many there are."""
    first = np.searchsorted(nodes, asked)
    return first, np.searchsorted(nodes, asked, side="right") - first
