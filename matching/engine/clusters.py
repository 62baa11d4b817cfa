"""Hash clusters: where the conjunctions with a given key stand (paper 002, section 3, with longer keys).

A key is a path of atoms. A step leads from a place, by an atom, to the next place; all steps are in one hash
table. At the end of its path a conjunction waits, with all that have the same key. Which attributes may come
next is known from the attributes so far: a small tree, whose nodes the places lie on. An event walks all
paths that its atoms spell, and a step that is not there ends every path that would go on from it.

A number's atom is its own: minus 1 minus its position among all numbers in keys of the segment.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import starts_of
from matching.engine.hashing import GOLDEN, SECOND

Ints = NDArray[np.int64]
_FULL = 0.6  # of the hash table, at most


class Clusters(NamedTuple):
    """Place p, root 0, has the conjunctions from place_start[p] to place_start[p + 1].

    Node n, root 0, is followed by the nodes and attributes from child_start[n] to child_start[n + 1].
    """

    step_key: NDArray[np.int64]
    step_place: NDArray[np.int32]
    place_start: NDArray[np.int32]
    child_start: NDArray[np.int32]
    child_attribute: NDArray[np.int32]
    child_node: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Paths:
    """The keys of conjunctions one after the other: `length[k]` atoms and their attributes for the k-th."""

    length: Ints
    atom: NDArray[np.int32]
    attribute: NDArray[np.int64]


def built(paths: Paths) -> tuple[Clusters, Ints]:
    """The clusters, and the order in which they have the conjunctions. O(atoms * log)."""
    first = np.cumsum(paths.length) - paths.length
    walking = np.flatnonzero(paths.length)
    place, node = np.zeros((2, len(walking)), np.int64)
    place_of = np.zeros(len(paths.length), np.int64)
    keys, children = [], []
    places = nodes = 1
    for step in range(int(paths.length.max(initial=0))):
        row = first[walking] + step
        steps, rank = np.unique(step_key(place, paths.atom[row]), return_inverse=True)
        keys.append(steps)
        place = places + rank.reshape(-1)
        places += len(steps)
        turns, rank = np.unique((node << 32) | paths.attribute[row], return_inverse=True)
        children.append(turns)
        node = nodes + rank.reshape(-1)
        nodes += len(turns)
        place_of[walking] = place
        going_on = paths.length[walking] > step + 1
        walking, place, node = walking[going_on], place[going_on], node[going_on]
    all_keys = np.concatenate(keys) if keys else np.empty(0, np.int64)
    table = _hash_table(all_keys)
    turns = np.concatenate(children) if children else np.empty(0, np.int64)
    parents = turns >> 32
    by_parent = np.argsort(parents, kind="stable")
    clusters = Clusters(
        *table,
        place_start=starts_of(np.bincount(place_of, minlength=places)),
        child_start=starts_of(np.bincount(parents, minlength=nodes)),
        child_attribute=(turns & 0xFFFFFFFF)[by_parent].astype(np.int32),
        child_node=(1 + by_parent).astype(np.int32),
    )
    return clusters, np.argsort(place_of, kind="stable")


def step_key(place: Ints, atom: NDArray[np.int32]) -> Ints:
    """A place and an atom as one number."""
    key: Ints = (place << 32) | (atom.astype(np.int64) & 0xFFFFFFFF)
    return key


def _hash_table(keys: Ints) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Open addressing. The k-th key leads to place k + 1; a place of 0 is a free slot."""
    bits = max(4, int(len(keys) / _FULL).bit_length())
    size = 1 << bits
    table_key, table_place = np.zeros(size, np.int64), np.zeros(size, np.int32)
    waiting = np.arange(len(keys))
    at = home(keys, bits)
    while len(waiting):
        free = table_place[at] == 0
        # Of those that meet at one slot the last written stays; the others go on to the next.
        table_key[at[free]] = keys[waiting[free]]
        table_place[at[free]] = waiting[free] + 1
        lost = table_place[at] != waiting + 1
        waiting, at = waiting[lost], (at[lost] + 1) & (size - 1)
    return table_key, table_place


def home(keys: Ints, bits: int) -> Ints:
    """Where the search for a key begins; the kernels count on this."""
    mixed = keys.astype(np.uint64) * np.uint64(GOLDEN)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(SECOND)
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)
