"""Equality clusters: conjunctions by their equality predicates (paper 002, section 3, *eqsubmatch*).

The equalities of a conjunction, the rarest first, spell a path from the root; at its end the conjunction
waits. An event walks all paths that its own values spell: from each place it has reached, it looks up
every (place, value) it can. So it meets exactly the conjunctions all of whose equalities hold. Those with
equalities over the same attributes form what the paper calls a cluster; that they share one table here,
and their beginnings, saves looking the same combination up once for each cluster.

The paper costs clusters kept ordered (binary search) and clusters kept in hash tables; both are here. What
is loaded at once is packed into arrays; what is added later goes to containers; nothing is rebuilt.

"Equality" is meant widely: `X = v`, `X contains v`, a word of a text, and "is a kind of".
"""

from collections.abc import Iterator, MutableMapping
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from sortedcontainers import SortedDict

from matching.algorithms.arrays import GrowingArray, Runs, joined
from matching.algorithms.conjunctions import Conjunctions, Truth
from matching.algorithms.slots import Slots
from matching.algorithms.vocabulary import NO_SPACE
from matching.algorithms.work import Work

Layout = Literal["hash", "ordered"]
Keys = NDArray[np.int64]
Atoms = NDArray[np.int32]
_MOST_KEYS_AT_ONCE = 1 << 20


class EqualityClusters:
    """Costs: match O(places reached * values of the event), with `ordered` times log; add O(equalities)."""

    def __init__(self, conjunctions: Conjunctions, work: Work, layout: Layout) -> None:
        self._conjunctions = conjunctions
        self._work = work
        self._layout = layout
        self._packed: list[_PackedPaths] = []
        self._added = _AddedPaths({} if layout == "hash" else SortedDict())
        self._uses = GrowingArray(np.int64)  # of each atom, to know the rare ones
        # For each row of `conjunctions.tests` whether it is an equality, and so decided here.
        self.is_key = GrowingArray(np.bool_)

    def load(self, slots: Slots) -> NDArray[np.bool_]:
        """Take these conjunctions; tells which of them have an equality, and so are in a cluster."""
        rows, position = self._equalities(slots)
        atoms = self._conjunctions.tests["atom"][rows]
        self._uses.array[:] += np.bincount(atoms, minlength=len(self._uses))
        order = np.lexsort((self._uses.array[atoms], position))
        lengths = np.bincount(position, minlength=len(slots))
        in_cluster: NDArray[np.bool_] = lengths > 0
        if in_cluster.any():
            self._packed.append(_PackedPaths(atoms[order], lengths, slots, self._layout))
        return in_cluster

    def add(self, slot: int) -> bool:
        """Take one conjunction; False if it has no equality."""
        path = self._path(slot)
        self._uses.array[path] += 1
        if path:
            self._added.add(path, slot)
        return bool(path)

    def remove(self, slot: int) -> None:
        """A conjunction that was loaded keeps its place, to be passed over."""
        self._added.remove(slot)

    def candidates(self, truth: Truth) -> Slots:
        """The conjunctions all of whose equalities hold, each once."""
        atoms = truth.atoms[self._conjunctions.vocabulary.space_of[truth.atoms] != NO_SPACE]
        found = [paths.find(atoms, self._work) for paths in self._packed]
        if self._added:
            found.append(np.fromiter(self._added.find(atoms.tolist()), np.int64))
        return joined(found, np.int64)

    def check_invariants(self) -> None:
        assert len(self.is_key) == len(self._conjunctions.tests["atom"])
        self._added.check_invariants()

    def _equalities(self, slots: Slots) -> tuple[Keys, Keys]:
        """The rows of the tests that are equalities, and each one's conjunction's position; marks them."""
        store = self._conjunctions
        self.is_key.extend(np.zeros(len(store.tests["atom"]) - len(self.is_key), np.bool_))
        self._uses.extend(np.zeros(len(store.vocabulary) - len(self._uses), np.int64))
        rows, position = store.tests.rows_of(slots)
        space = store.vocabulary.space_of[store.tests["atom"][rows]]
        equality = ~store.tests["negative"][rows] & (space != NO_SPACE)
        self.is_key.array[rows[equality]] = True
        return rows[equality], position[equality]

    def _path(self, slot: int) -> list[int]:
        rows, _ = self._equalities(np.array([slot]))
        atoms = self._conjunctions.tests["atom"][rows]
        path: list[int] = atoms[np.argsort(self._uses.array[atoms], kind="stable")].tolist()
        return path


class _PackedPaths:
    """Paths loaded at once. Places are numbered by length of path, then by key; the root is 0."""

    def __init__(self, atoms: Atoms, lengths: Keys, slots: Slots, layout: Layout) -> None:
        """`atoms` has the paths one after the other; `lengths` says how long each is."""
        first = np.cumsum(lengths) - lengths
        walking = np.flatnonzero(lengths)
        place = np.zeros(len(walking), np.int64)
        keys_of_steps, ends, places = [], [], 1
        for step in range(int(lengths.max())):
            keys, rank = np.unique(_key(place, atoms[first[walking] + step]), return_inverse=True)
            keys_of_steps.append(keys)
            place = places + rank.reshape(-1)
            places += len(keys)
            arrived = lengths[walking] == step + 1
            ends.append((place[arrived], walking[arrived]))
            walking, place = walking[~arrived], place[~arrived]
        self._table: _Table = (_OrderedTable if layout == "ordered" else _HashTable)(
            np.concatenate(keys_of_steps)
        )
        self._slots_at = Runs(slot=np.int64)
        self._slots_at.extend(
            np.concatenate([at for at, _ in ends]),
            places,
            slot=slots[np.concatenate([members for _, members in ends])],
        )

    def find(self, atoms: Atoms, work: Work) -> Slots:
        place = np.zeros(1, np.int64)
        reached = []
        while len(place):
            work.predicate_evaluations += len(place) * len(atoms)
            place = self._next_places(place, atoms)
            reached.append(place)
        rows, _ = self._slots_at.rows_of(np.concatenate(reached))
        found: Slots = self._slots_at["slot"][rows]
        return found

    def _next_places(self, place: Keys, atoms: Atoms) -> Keys:
        at_once = max(1, _MOST_KEYS_AT_ONCE // max(1, len(atoms)))
        parts = (place[first : first + at_once] for first in range(0, len(place), at_once))
        return joined([self._table.find(_key(part[:, None], atoms).ravel()) for part in parts], np.int64)


class _Table(Protocol):
    """Keys, whose places are 1 plus their position in the array the table was made from."""

    def find(self, keys: Keys) -> Keys:
        """The places of those of the keys that are there."""


class _OrderedTable:
    __slots__ = ("_keys", "_place")

    def __init__(self, keys: Keys) -> None:
        order = np.argsort(keys)
        self._keys = keys[order]
        self._place = order + 1

    def find(self, keys: Keys) -> Keys:
        at = np.searchsorted(self._keys, keys)
        at[at == len(self._keys)] = 0
        found: Keys = self._place[at[self._keys[at] == keys]]
        return found


class _HashTable:
    """Open addressing, at most half full, probed for all keys at once."""

    __slots__ = ("_keys", "_mask", "_place", "_shift")

    def __init__(self, keys: Keys) -> None:
        bits = max(4, int(2 * len(keys) - 1).bit_length())
        self._shift = np.uint64(64 - bits)
        self._mask = (1 << bits) - 1
        self._keys = np.full(1 << bits, -1, np.int64)
        self._place = np.zeros(1 << bits, np.int64)
        waiting = np.arange(len(keys))
        at = self._home(keys)
        while len(waiting):
            free = self._keys[at] == -1
            # Of those that meet at one place the last written stays; the others go on to the next place.
            self._keys[at[free]] = keys[waiting[free]]
            self._place[at[free]] = waiting[free] + 1
            lost = self._keys[at] != keys[waiting]
            waiting, at = waiting[lost], (at[lost] + 1) & self._mask

    def find(self, keys: Keys) -> Keys:
        found = []
        at = self._home(keys)
        while len(keys):
            there = self._keys[at]
            hit = there == keys
            found.append(self._place[at[hit]])
            going_on = ~hit & (there != -1)
            keys, at = keys[going_on], (at[going_on] + 1) & self._mask
        return joined(found, np.int64)

    def _home(self, keys: Keys) -> Keys:
        mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return (mixed >> self._shift).astype(np.int64)


class _AddedPaths:
    """Paths added one by one: a step leads from (place, atom) to a place, where conjunctions wait."""

    def __init__(self, steps: MutableMapping[tuple[int, int], int]) -> None:
        self._steps = steps
        self._slots_at: dict[int, set[int]] = {}
        self._place_of: dict[int, int] = {}
        self._places = 1

    def __bool__(self) -> bool:
        return bool(self._place_of)

    def add(self, path: list[int], slot: int) -> None:
        place = 0
        for atom in path:
            following = self._steps.get((place, atom))
            if following is None:
                following = self._steps[place, atom] = self._places
                self._places += 1
            place = following
        self._slots_at.setdefault(place, set()).add(slot)
        self._place_of[slot] = place

    def remove(self, slot: int) -> None:
        """Steps stay: they may lead others on, and lead nobody astray."""
        place = self._place_of.pop(slot, None)
        if place is not None:
            self._slots_at[place].discard(slot)
            if not self._slots_at[place]:
                del self._slots_at[place]

    def find(self, atoms: list[int]) -> Iterator[int]:
        waiting = [0]
        while waiting:
            place = waiting.pop()
            yield from self._slots_at.get(place, ())
            for atom in atoms:
                following = self._steps.get((place, atom))
                if following is not None:
                    waiting.append(following)

    def check_invariants(self) -> None:
        assert sorted(self._steps.values()) == list(range(1, self._places))
        assert all(slots for slots in self._slots_at.values())
        assert {slot: place for place, slots in self._slots_at.items() for slot in slots} == self._place_of


def _key(place: Keys, atoms: Atoms) -> Keys:
    """A place and an atom as one number; both are below 2 ** 31."""
    key: Keys = (place << 32) | atoms
    return key
