"""The matching tree of paper 000, in arrays: sections 3 (any tests) and 4 (equalities).

A *stem* is a path of tests passed, don't-cares left out. The paper's nodes that follow one another by *-edges
pass the same tests, so they are one stem here, and its mask says at which levels it has a node that tests
something. An edge leads from (stem, atom) to a stem, through a hash table; an event walks level by level,
with all the stems it has reached at once. A chain of *-edges without tests in between costs nothing when it
is collapsed; without that, a node is visited for every level down to the stem's last.

Below the levels, the further tests of a stem form *chains*, sorted arrays. Inequalities of one column are
one chain, the weakest first, each below the result "yes" of the one before, since it implies it (section 3,
related tests): an event goes down the chain until the first that fails, found by binary search. General
tests are one chain too, by atom: an event looks up those it passes, or goes through all if they are fewer.

    root ─a=1─▶ ● ─b=2─▶ ●  s1       chain of ●  x<=9 ─yes─▶ x<=5 ─yes─▶ x<=2
      └───*──▶ ○ ─b=2─▶ ●  s2                     s3          s4          s5
"""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.conjunctions import Truth
from matching.algorithms.key_table import MISSING, KeyTable, pair, unpaired
from matching.algorithms.order_of_tests import GENERAL, OrderOfTests
from matching.algorithms.paths import GENERAL_TESTS, Paths
from matching.algorithms.slots import Slots
from matching.algorithms.sorted_runs import SortedRuns, rows_between
from matching.algorithms.work import Work

INEQUALITIES = GENERAL + 1  # in masks, beyond levels and general tests: one place for each column,
LEAF = 62  # and one for what ends here
PLACES_OF_COLUMNS = LEAF - INEQUALITIES  # columns that are as many apart share one
ROOT_LEVEL = -1
ONE = np.int64(1)

Stems = NDArray[np.int64]
Numbers = NDArray[np.int64]


class MatchingTree:
    """Costs: insert and remove O(tests * log), match O(nodes visited * log); nothing is ever rebuilt.

    A stem that nobody needs any more is passed over, and used again if it is reached by a level's test.
    """

    def __init__(
        self, order: OrderOfTests, work: Work, *, roots: int = 1, collapse: bool = True, related: bool = True
    ) -> None:
        """`related` false: each test of a chain is asked, as if none were known to follow from another."""
        self._order = order
        self._work = work
        self._collapse = collapse
        self._related = related
        self._edges = KeyTable()
        self._chain_of = KeyTable()
        self._chains = SortedRuns(np.float64, stem=np.int64)
        self._leaves = SortedRuns(np.int64)
        self._columns: set[int] = set()
        self._mask = GrowingArray(np.int64)
        self._level = GrowingArray(np.int8)  # of the test that leads to the stem
        self._weight = GrowingArray(np.int64)  # how many paths go through it
        self._new_stems(np.full(roots, ROOT_LEVEL))

    def insert(self, paths: Paths) -> None:
        """Take paths, one or a million, step by step."""
        stems = paths.root.copy()
        for walking, atoms in paths.tests():
            stems[walking] = self._children(stems[walking], atoms)
        for walking, columns, keys in paths.further():
            stems[walking] = self._further(stems[walking], columns, keys)
        self._leaves.insert(stems, paths.slots[paths.which])
        self._mark(stems, LEAF)

    def remove(self, paths: Paths) -> None:
        """Take the path of one conjunction out again, wherever it was inserted."""
        (slot,) = paths.slots.tolist()
        for root in paths.root.tolist():
            route = self._route(root, paths)
            self._leaves.remove(route[-1], slot)
            self._weight.array[route[1:]] -= 1
            self._prune(route, paths)

    def slots(self, roots: Stems, truth: Truth) -> Slots:
        """The conjunctions whose tests and inequalities all hold."""
        tests = self._order.true_tests(truth)
        stems = self._through_levels(roots, tests)
        stems = self._through_general_tests(stems, np.array(tests.get(GENERAL, ())), truth)
        stems = self._through_inequalities(stems, truth.bounds)
        leaves = self._with_node(stems, LEAF)
        self._work.visited_nodes += len(leaves)
        found: Slots = self._leaves.key[self._leaves.rows_of(leaves)]
        return found

    def space(self) -> dict[str, int]:
        """Nodes of the paper's tree, leaves included, and edges: every node but a root has one. O(stems)."""
        in_use = np.flatnonzero(self._mask.array)
        mask, level = self._mask.array[in_use], self._level.array[in_use].astype(np.int64)
        levels = mask & ((ONE << GENERAL) - 1)
        nodes = np.bitwise_count(levels).astype(np.int64)
        if not self._collapse:
            beyond = mask != levels
            deepest = np.where(beyond, self._order.levels, _bit_length(levels)) - 1
            nodes = np.where(level < GENERAL, deepest - level, nodes)
        others = np.bitwise_count(mask & (ONE << GENERAL | ONE << LEAF))
        in_chains = np.count_nonzero((level == INEQUALITIES) & (self._weight.array[in_use] > 0))
        total = int(nodes.sum()) + int(others.sum()) + int(in_chains)
        return {"nodes": total, "edges": total - int(np.count_nonzero(level == ROOT_LEVEL))}

    def check_invariants(self) -> None:
        self._chains.check_invariants()
        self._leaves.check_invariants()
        stems = len(self._mask)
        assert len(self._level) == len(self._weight) == len(self._leaves) == stems
        parents, atoms = unpaired(self._edges.items()[0])
        children = self._edges.items()[1]
        assert (self._level.array[children] == self._order.level_of[atoms]).all()
        assert (self._level.array[children] >= self._level.array[parents]).all()
        mask, alive = self._mask.array, self._weight.array[children] > 0
        assert (mask[parents[alive]] >> self._level.array[children[alive]] & 1 == 1).all()
        weight = self._leaves.lengths_of(np.arange(stems)).copy()
        assert (mask[weight > 0] >> LEAF & 1 == 1).all()
        np.add.at(weight, parents, self._weight.array[children])
        owners, chains = self._chain_of.items()
        for owner, chain in zip(unpaired(owners)[0].tolist(), chains.tolist(), strict=True):
            further = self._chains["stem"][self._chains.rows_of(np.array([chain]))]
            weight[owner] += self._weight.array[further].sum()
        inner = self._level.array != ROOT_LEVEL
        assert (weight[inner] == self._weight.array[inner]).all()

    def _children(self, stems: Stems, atoms: Numbers) -> Stems:
        """The stems that these atoms lead to, made where they are missing; a path goes through each."""
        levels = self._order.level_of[atoms]
        children, fresh = self._edges.number(pair(stems, atoms), len(self._mask))
        self._new_stems(self._order.level_of[unpaired(fresh)[1]])
        np.add.at(self._weight.array, children, 1)
        self._mark(stems, levels)
        return children

    def _further(self, stems: Stems, columns: Numbers, keys: NDArray[np.float64]) -> Stems:
        """The stems behind these tests of chains, likewise."""
        self._columns.update(np.unique(columns).tolist())
        chains, fresh = self._chain_of.number(pair(stems, columns), len(self._chains))
        self._chains.add_owners(len(fresh))
        found = self._in_chain(chains, keys)
        missing = np.flatnonzero(found == MISSING)
        missing = missing[np.lexsort((keys[missing], chains[missing]))]
        differs = np.ones(len(missing), np.bool_)
        differs[1:] = (np.diff(chains[missing]) != 0) | (np.diff(keys[missing]) != 0)
        new = missing[differs]
        numbers = len(self._mask) + np.arange(len(new))
        found[missing] = numbers[np.cumsum(differs) - 1]
        self._new_stems(np.where(columns[new] == GENERAL_TESTS, GENERAL, INEQUALITIES))
        self._chains.insert(chains[new], keys[new], stem=numbers)
        np.add.at(self._weight.array, found, 1)
        self._mark(stems, _places(columns))
        return found

    def _in_chain(self, chains: Numbers, keys: NDArray[np.float64]) -> Stems:
        """The stem behind each of these tests, or MISSING."""
        rows, ends = self._chains.bounds_from(chains, keys)
        there = np.flatnonzero(rows < ends)
        there = there[self._chains.key[rows[there]] == keys[there]]
        found = np.full(len(chains), MISSING)
        found[there] = self._chains["stem"][rows[there]]
        return found

    def _new_stems(self, levels: Numbers) -> None:
        self._mask.extend(np.zeros(len(levels), np.int64))
        self._level.extend(levels)
        self._weight.extend(np.zeros(len(levels), np.int64))
        self._leaves.add_owners(len(levels))

    def _mark(self, stems: Stems, levels: Numbers | int) -> None:
        np.bitwise_or.at(self._mask.array, stems, ONE << levels)

    def _route(self, root: int, paths: Paths) -> list[int]:
        """The stems that a single path goes through."""
        route = [root]
        for atom in paths.atoms.tolist():
            route.append(int(self._edges.find(pair(np.array(route[-1:]), atom))[0]))
        for column, key in zip(paths.columns.tolist(), paths.keys.tolist(), strict=True):
            chain = self._chain_of.find(pair(np.array(route[-1:]), column))
            route.append(int(self._in_chain(chain, np.array([key]))[0]))
        return route

    def _prune(self, route: list[int], paths: Paths) -> None:
        """Nodes of the route that have lost their last edge, or their last conjunction, are nodes no more."""
        if not self._leaves.lengths_of(np.array(route[-1:]))[0]:
            self._mask.array[route[-1]] &= ~(ONE << LEAF)
        tests = len(paths.atoms)
        levels = [*self._order.level_of[paths.atoms].tolist(), *_places(paths.columns).tolist()]
        for step, (stem, child, level) in enumerate(zip(route, route[1:], levels, strict=False)):
            if self._weight.array[child]:
                continue
            if level >= GENERAL:
                chain = self._chain_of.find(pair(np.array([stem]), int(paths.columns[step - tests])))
                self._chains.remove(int(chain[0]), paths.keys[step - tests])
            if not len(self._alive(self._all_beyond(stem, level))):
                self._mask.array[stem] &= ~(ONE << level)

    def _all_beyond(self, stem: int, level: int) -> Stems:
        """All stems that follow this one by a result of the level's test. O(results)."""
        if level < GENERAL:
            atoms = np.flatnonzero(self._order.level_of == level)
            return self._edges.find(pair(np.full(len(atoms), stem), atoms))
        columns = np.array(sorted(self._columns))
        columns = columns[_places(columns) == level]
        chains = self._chain_of.find(pair(np.full(len(columns), stem), columns))
        found: Stems = self._chains["stem"][self._chains.rows_of(chains[chains != MISSING])]
        return found

    def _through_levels(self, stems: Stems, tests: dict[int, list[int]]) -> Stems:
        """All stems that the event reaches by equalities: at each level by the result and by don't-care."""
        for level in range(self._order.levels):
            here = self._with_node(stems, level)
            self._visit(len(here))
            for number, atom in enumerate(tests.get(level, ())):
                if number:
                    here = self._and_tested_again(here, stems, level)
                stems = np.concatenate((stems, self._alive(self._edges.find(pair(here, atom)))))
        return stems

    def _through_general_tests(self, stems: Stems, passed: Numbers, truth: Truth) -> Stems:
        """The stems, and all that the event reaches from them by general tests, of which it passes these."""
        reached = [stems]
        while True:
            here = self._with_node(reached[-1], GENERAL)
            if not len(here):
                return np.concatenate(reached)
            self._visit(len(here))
            chains = self._chain_of.find(pair(here, GENERAL_TESTS))
            short = self._chains.lengths_of(chains) <= len(passed)
            rows = self._chains.rows_of(chains[short])
            rows = rows[truth.is_true[self._chains.key[rows].astype(np.int64)]]
            asked = np.repeat(chains[~short], len(passed))
            found = self._in_chain(asked, np.tile(passed, len(chains[~short])).astype(np.float64))
            reached.append(self._alive(np.concatenate((self._chains["stem"][rows], found))))

    def _and_tested_again(self, here: Stems, stems: Stems, level: int) -> Stems:
        """With several values of an attribute: also those who have passed one and ask for another."""
        passed = stems[self._level.array[stems] == level]
        asking = passed[(self._mask.array[passed] >> level) & 1 == 1]
        asking = np.setdiff1d(asking, here)
        self._visit(len(asking))
        return np.concatenate((here, asking))

    def _through_inequalities(self, stems: Stems, bounds: NDArray[np.float64]) -> Stems:
        """The stems, and all that the event reaches from them by inequalities."""
        for column in sorted(self._columns - {GENERAL_TESTS}):
            place = int(_places(np.array(column)))
            chains = self._chain_of.find(pair(self._with_node(stems, place), column))
            chains = chains[chains != MISSING]
            if len(chains):
                first, last = self._chains.bounds_from(chains, bounds[column - 1])
                lengths = self._chains.lengths_of(chains)
                failing = last - first < lengths
                self._visit(int((last - first + failing).sum() if self._related else lengths.sum()))
                further = self._chains["stem"][rows_between(first, last)]
                stems = np.concatenate((stems, self._alive(further)))
        return stems

    def _with_node(self, stems: Stems, level: int) -> Stems:
        return stems[self._has_node(stems, level)]

    def _has_node(self, stems: Stems, level: int) -> NDArray[np.bool_]:
        """Which of the stems have a node at the level; if nothing is collapsed, at any level not below."""
        remaining = self._mask.array[stems] >> level
        has_node: NDArray[np.bool_] = remaining != 0
        if self._collapse or level >= GENERAL:
            has_node = remaining & 1 == 1
        return has_node

    def _alive(self, stems: Stems) -> Stems:
        """Those that are there, and that some path goes through."""
        stems = stems[stems != MISSING]
        return stems[self._weight.array[stems] > 0]

    def _visit(self, nodes: int) -> None:
        self._work.visited_nodes += nodes
        self._work.predicate_evaluations += nodes


def _places(columns: Numbers) -> Numbers:
    """Where masks have the chains of these columns."""
    return np.where(columns == GENERAL_TESTS, GENERAL, INEQUALITIES + (columns - 1) % PLACES_OF_COLUMNS)


def _bit_length(numbers: Numbers) -> Numbers:
    """How many bits each needs; none is negative."""
    for shift in (1, 2, 4, 8, 16, 32):
        numbers = numbers | numbers >> shift
    return np.bitwise_count(numbers).astype(np.int64)
