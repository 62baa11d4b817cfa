r"""The interval binary search tree: which of many intervals contain a point?

Hanson, Chaabouni, Kim and Wang, SIGMOD 1990; paper 002, section 3.1. The nodes are the ends of the
intervals. A node has three lists of marks: LEFT, the intervals that cover everything between it and the
next end below its subtree; RIGHT, likewise above; HERE, those that contain its own key. An interval is marked
as high up as it can be, so that on its way down a point meets each interval that contains it exactly once.

                         20  here: s1 s2
    s1: [10, 30]   s2  /    \                       12 goes LEFT at 20: s2, then RIGHT at 10: s1
    s2: (..., 20]    10      30  here: s1 s3        30 goes RIGHT at 20, and is at 30: s1 s3
    s3: [30, 30]  here: s1 \    /
                         s1      s1

Balanced as an AVL tree. When a node is lifted over its parent, the marks of the two are set right: what
covered the whole side of the parent now lies on both sides of the lifted node, and what covers all that the
parent has left moves up. What is built at once is packed into arrays, one run for each list; a list that
changes later gets an array of its own. A removed interval leaves its ends behind: they lead nobody astray.

Costs, for n ends: find O(log n + found), add O(log n) lists and, with lifting, O(log**2 n) on average,
remove O(log n) lists and their lengths, memory O(log n) marks for each interval, one for a point.
"""

from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.axes import Floats, Ints
from matching.algorithms.slots import Slots

NOBODY = 0  # as a child: none. The node of this number stands above the root
LEFT, HERE, RIGHT = 0, 1, 2
EVERYWHERE = HERE  # the list of NOBODY: intervals without ends

Marks = NDArray[np.int32]


class IntervalTree:
    """Intervals with the numbers of what they stand for. Ends are part of them, and may be infinite."""

    def __init__(self, low: Floats, high: Floats, slots: Slots) -> None:
        """Of all these at once. O(intervals * log ends)."""
        keys = np.unique(np.concatenate((low, high)))
        keys = keys[np.isfinite(keys)]
        left, right, height, self._root = _balanced_tree(len(keys))
        self._key = array("d", np.concatenate(([np.nan], keys)).tobytes())
        self._child = {LEFT: array("i", left.tobytes()), RIGHT: array("i", right.tobytes())}
        self._height = array("i", height.tobytes())
        place, interval = _places(keys, left, right, self._root, low, high)
        order = np.argsort(place, kind="stable")
        self._packed: Marks = slots[interval[order]].astype(np.int32)
        counts = np.bincount(place, minlength=3 * len(self._key))
        self._start = array("q", np.concatenate(([0], np.cumsum(counts))).astype(np.int64).tobytes())
        self._changed: dict[int, GrowingArray] = {}
        self.taken = len(slots)
        """How many intervals it has ever taken; those that were removed count."""

    @property
    def height(self) -> int:
        return self._height[self._root]

    def find(self, point: float) -> Iterator[Marks]:
        """The numbers of the intervals that contain the point, each once."""
        key, left, right = self._key, self._child[LEFT], self._child[RIGHT]
        places = [EVERYWHERE]
        node = self._root
        while node:
            if point < key[node]:
                places.append(3 * node + LEFT)
                node = left[node]
            elif point > key[node]:
                places.append(3 * node + RIGHT)
                node = right[node]
            else:
                places.append(3 * node + HERE)
                break
        for place in places:
            marks = self._marks(place)
            if len(marks):
                yield marks

    def add(self, low: float, high: float, slot: int) -> None:
        self.taken += 1
        if low > high:
            return
        for end in (low, high):
            if np.isfinite(end):
                self._add_end(end)
        for place in self._cover(low, high):
            self._own_list(place).extend([slot])

    def remove(self, low: float, high: float, slot: int) -> bool:
        """Whether the interval was here."""
        if low > high or not all(self._is_end(end) for end in (low, high) if np.isfinite(end)):
            return False
        found = False
        for place in self._cover(low, high):
            marks = self._marks(place)
            others = marks != slot
            if others.all():
                break
            self._put(place, marks[others])
            found = True
        return found

    def _cover(self, low: float, high: float) -> Iterator[int]:
        """The lists that an interval is marked in; its ends must be nodes."""
        if low == -np.inf and high == np.inf:
            yield EVERYWHERE
            return
        waiting = [(self._root, -np.inf, np.inf)]
        while waiting:
            node, after, before = waiting.pop()  # the keys of its subtree lie strictly between these
            key = self._key[node]
            if low <= key <= high:
                yield 3 * node + HERE
            if low <= after and key <= high:
                yield 3 * node + LEFT
            elif low < key and after < high:
                waiting.append((self._child[LEFT][node], after, key))
            if low <= key and before <= high:
                yield 3 * node + RIGHT
            elif low < before and key < high:
                waiting.append((self._child[RIGHT][node], key, before))

    def _is_end(self, key: float) -> bool:
        node = self._root
        while node and self._key[node] != key:
            node = self._child[LEFT if key < self._key[node] else RIGHT][node]
        return node != NOBODY

    def _add_end(self, key: float) -> None:
        path = []
        node = self._root
        while node:
            if self._key[node] == key:
                return
            side = LEFT if key < self._key[node] else RIGHT
            path.append((node, side))
            node = self._child[side][node]
        top = self._new_node(key)
        for node, side in reversed(path):
            self._child[side][node] = top
            top = self._balanced(node)
        self._root = top

    def _new_node(self, key: float) -> int:
        self._key.append(key)
        self._child[LEFT].append(NOBODY)
        self._child[RIGHT].append(NOBODY)
        self._height.append(1)
        return len(self._key) - 1

    def _balanced(self, node: int) -> int:
        """Lift what has become too high below the node; the node that is on top now."""
        lean = self._height[self._child[LEFT][node]] - self._height[self._child[RIGHT][node]]
        if abs(lean) < 2:
            self._measure(node)
            return node
        heavy = LEFT if lean > 0 else RIGHT
        child, inner = self._child[heavy][node], _other(heavy)
        if self._height[self._child[inner][child]] > self._height[self._child[heavy][child]]:
            self._child[heavy][node] = self._lift(child, inner)
        return self._lift(node, heavy)

    def _lift(self, node: int, side: int) -> int:
        """Lift the child on this side over the node, marks and all."""
        lifted, other = self._child[side][node], _other(side)
        self._child[side][node] = self._child[other][lifted]
        self._child[other][lifted] = node
        self._measure(node)
        self._measure(lifted)
        whole_side = self._marks(3 * node + side)
        between = np.concatenate((self._marks(3 * lifted + other), whole_side))
        here, beyond = self._marks(3 * node + HERE), self._marks(3 * node + other)
        through = np.intersect1d(np.intersect1d(between, beyond), here)
        for place in (3 * lifted + side, 3 * lifted + HERE):
            self._put(place, np.concatenate((self._marks(place), whole_side)))
        self._put(3 * lifted + other, through)
        for place, marks in ((side, between), (HERE, here), (other, beyond)):
            self._put(3 * node + place, marks[~np.isin(marks, through)])
        return lifted

    def _measure(self, node: int) -> None:
        below = (self._height[self._child[side][node]] for side in (LEFT, RIGHT))
        self._height[node] = 1 + max(below)

    def _marks(self, place: int) -> Marks:
        changed = self._changed.get(place)
        if changed is not None:
            return changed.array
        if place + 1 < len(self._start):
            return self._packed[self._start[place] : self._start[place + 1]]
        return self._packed[:0]

    def _put(self, place: int, marks: Marks) -> None:
        self._changed[place] = GrowingArray(np.int32, marks)

    def _own_list(self, place: int) -> GrowingArray:
        if place not in self._changed:
            self._put(place, self._marks(place))
        return self._changed[place]

    def all_marks(self) -> dict[int, list[int]]:
        """What is marked in which list. O(everything)."""
        places = {*np.flatnonzero(np.diff(np.array(self._start))).tolist(), *self._changed}
        marks = {place: sorted(self._marks(place).tolist()) for place in places}
        return {place: slots for place, slots in marks.items() if slots}

    def check_invariants(self, intervals: list[tuple[float, float, int]]) -> None:
        """These, and only these, are marked, each where it belongs; the tree is sorted and balanced."""
        self._check_subtree(self._root, -np.inf, np.inf)
        expected: dict[int, list[int]] = {}
        for low, high, slot in sorted(intervals, key=lambda interval: interval[2]):
            for place in self._cover(low, high):
                expected.setdefault(place, []).append(slot)
        assert self.all_marks() == expected

    def _check_subtree(self, node: int, after: float, before: float) -> int:
        if node == NOBODY:
            return 0
        assert after < self._key[node] < before
        left = self._check_subtree(self._child[LEFT][node], after, self._key[node])
        right = self._check_subtree(self._child[RIGHT][node], self._key[node], before)
        assert abs(left - right) < 2
        assert self._height[node] == 1 + max(left, right)
        return self._height[node]


def _other(side: int) -> int:
    return RIGHT - side


def _balanced_tree(count: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]:
    """Left and right children and heights of the nodes 1 to `count`, which are in order, and the root."""
    left, right, height = (np.zeros(count + 1, np.int32) for _ in range(3))
    # The runs of nodes that make the subtrees of one level.
    first, last = np.full(min(1, count), 1), np.full(min(1, count), count)
    while len(first):
        top = (first + last) // 2
        height[top] = np.ceil(np.log2(last - first + 2))
        left[top] = np.where(first < top, (first + top - 1) // 2, NOBODY)
        right[top] = np.where(top < last, (top + 1 + last) // 2, NOBODY)
        first, last = np.concatenate((first, top + 1)), np.concatenate((top - 1, last))
        first, last = first[first <= last], last[first <= last]
    return left, right, height, (1 + count) // 2


def _places(
    keys: Floats, left: NDArray[np.int32], right: NDArray[np.int32], root: int, low: Floats, high: Floats
) -> tuple[Ints, Ints]:
    """What `_cover` gives, for all these intervals, as (list, interval)."""
    found = [
        (3 * (1 + np.searchsorted(keys, low[points])) + HERE, points)
        for points in [np.flatnonzero((low == high) & np.isfinite(low))]
    ]
    endless = np.flatnonzero(np.isinf(low) & np.isinf(high))
    found.append((np.full(len(endless), EVERYWHERE), endless))
    interval = np.flatnonzero((low < high) & (np.isfinite(low) | np.isfinite(high)))
    node = np.full(len(interval), root)
    after, before = np.full(len(interval), -np.inf), np.full(len(interval), np.inf)
    while len(interval):
        key, a, b = keys[node - 1], low[interval], high[interval]
        covers_left, covers_right = (a <= after) & (key <= b), (a <= key) & (before <= b)
        for covered, side in (
            ((a <= key) & (key <= b), HERE),
            (covers_left, LEFT),
            (covers_right, RIGHT),
        ):
            found.append((3 * node[covered] + side, interval[covered]))
        down_left = ~covers_left & (a < key) & (after < b)
        down_right = ~covers_right & (a < before) & (key < b)
        after, before = (
            np.concatenate((after[down_left], key[down_right])),
            np.concatenate((key[down_left], before[down_right])),
        )
        node, interval = (
            np.concatenate((left[node[down_left]], right[node[down_right]])),
            np.concatenate((interval[down_left], interval[down_right])),
        )
    return (
        np.concatenate([place for place, _ in found]).astype(np.int64),
        np.concatenate([interval for _, interval in found]),
    )
