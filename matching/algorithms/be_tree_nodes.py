"""The tree of `be-tree`: its nodes, and how they split and merge."""

from dataclasses import dataclass, field

import numpy as np

from matching.algorithms.arrays import GrowingArray, joined
from matching.algorithms.intervals import Ends, Intervals, Mask
from matching.algorithms.slots import Slots

MOST_BISECTIONS = 20


def _no_slots() -> GrowingArray:
    return GrowingArray(np.int64)


@dataclass(slots=True)
class CNode:
    """`used` are the attributes on the way to it; `size` counts all subscriptions below it."""

    used: frozenset[int] = frozenset()
    leaf: GrowingArray = field(default_factory=_no_slots)
    directory: list["PNode"] = field(default_factory=list)
    limit: int = 0
    size: int = 0


@dataclass(slots=True)
class Bucket:
    """`least` and `greatest` are where to bisect; the outermost buckets reach to infinity all the same."""

    node: CNode
    least: float
    greatest: float
    depth: int = 0
    halves: tuple["Bucket", "Bucket"] | None = None

    @property
    def middle(self) -> float:
        return self.least / 2 + self.greatest / 2

    @property
    def can_be_bisected(self) -> bool:
        return self.depth < MOST_BISECTIONS and self.least < self.middle < self.greatest

    @property
    def size(self) -> int:
        return self.node.size + (sum(half.size for half in self.halves) if self.halves else 0)


@dataclass(slots=True)
class PNode:
    attribute: int
    root: Bucket


@dataclass(frozen=True, slots=True)
class Growth:
    """How a tree changes. Costs are those of `be_tree`."""

    intervals: Intervals
    capacity: int

    def insert(self, node: CNode, slots: Slots) -> None:
        node.size += len(slots)
        for p_node in node.directory:
            if not len(slots):
                return
            is_for_it = self._constrained(slots, p_node.attribute)
            self._insert_by_value(p_node.attribute, p_node.root, slots[is_for_it])
            slots = slots[~is_for_it]
        node.leaf.extend(slots)
        self._partition(node)

    def remove(self, node: CNode, slot: int) -> None:
        """Raises nothing: what was inserted is where it would be inserted now."""
        node.size -= 1
        for p_node in node.directory:
            if self._constrained(np.array([slot]), p_node.attribute)[0]:
                self._remove_by_value(p_node, slot)
                if not p_node.root.size:
                    node.directory.remove(p_node)
                break
        else:
            _take_out(node.leaf, slot)
        if node.directory and 2 * node.size < self.capacity:
            node.leaf, node.directory = GrowingArray(np.int64, all_below(node)), []

    def _insert_by_value(self, attribute: int, bucket: Bucket, slots: Slots) -> None:
        if not len(slots):
            return
        if bucket.halves:
            lower, upper = self._sides(attribute, bucket, slots)
            self._insert_by_value(attribute, bucket.halves[0], slots[lower])
            self._insert_by_value(attribute, bucket.halves[1], slots[upper])
            self.insert(bucket.node, slots[~(lower | upper)])
        elif bucket.can_be_bisected:  # then its node has no directory yet
            bucket.node.size += len(slots)
            bucket.node.leaf.extend(slots)
            self._cluster(attribute, bucket)
        else:
            self.insert(bucket.node, slots)

    def _remove_by_value(self, p_node: PNode, slot: int) -> None:
        bucket, way = p_node.root, []
        while bucket.halves:
            way.append(bucket)
            lower, upper = self._sides(p_node.attribute, bucket, np.array([slot]))
            if not (lower[0] or upper[0]):
                break
            bucket = bucket.halves[0 if lower[0] else 1]
        self.remove(bucket.node, slot)
        for above in reversed(way):
            if 2 * above.size < self.capacity:
                held = _all_in(above)
                above.halves = None
                above.node = self._node(above.node.used, held)

    def _partition(self, node: CNode) -> None:
        """Space partitioning: p-nodes for the best attributes, as long as the l-node overflows."""
        while len(node.leaf) > node.limit:
            slots = node.leaf.array
            attribute = self._best_attribute(node, slots)
            if attribute is None:
                node.limit = 2 * len(slots)
                return
            is_for_it = self._constrained(slots, attribute)
            moved, kept = slots[is_for_it], slots[~is_for_it]
            node.leaf = GrowingArray(np.int64, kept)
            root = Bucket(self._node(node.used | {attribute}, moved), *self._range(moved, attribute))
            node.directory.append(PNode(attribute, root))
            self._cluster(attribute, root)

    def _cluster(self, attribute: int, bucket: Bucket) -> None:
        """Space clustering: what fits into a half of an overflowing bucket moves there."""
        node = bucket.node
        if len(node.leaf) <= node.limit or not bucket.can_be_bisected:
            self._partition(node)
            return
        slots = node.leaf.array
        lower, upper = self._sides(attribute, bucket, slots)
        depth = bucket.depth + 1
        bucket.halves = (
            Bucket(self._node(node.used, slots[lower]), bucket.least, bucket.middle, depth),
            Bucket(self._node(node.used, slots[upper]), bucket.middle, bucket.greatest, depth),
        )
        bucket.node = self._node(node.used, slots[~(lower | upper)])
        self._partition(bucket.node)
        for half in bucket.halves:
            self._cluster(attribute, half)

    def _node(self, used: frozenset[int], slots: Slots) -> CNode:
        return CNode(used, GrowingArray(np.int64, slots), [], self.capacity, len(slots))

    def _best_attribute(self, node: CNode, slots: Slots) -> int | None:
        best, best_score = None, 0.0
        for attribute in range(self.intervals.dimensions):
            if attribute not in node.used:
                score = self._score(slots, attribute)
                if score > best_score:
                    best, best_score = attribute, score
        return best

    def _score(self, slots: Slots, attribute: int) -> float:
        least, greatest = self._range(slots, attribute)
        half_range = greatest / 2 - least / 2
        if half_range <= 0:
            return float(np.count_nonzero(self._constrained(slots, attribute)))
        low, high = self._ends(slots, attribute)
        half_widths = np.minimum(high, greatest) / 2 - np.maximum(low, least) / 2
        return float(np.sum(1 - half_widths / half_range))

    def _range(self, slots: Slots, attribute: int) -> tuple[float, float]:
        """The least and the greatest end; (0, 0) if there are none."""
        low, high = self._ends(slots, attribute)
        ends = np.concatenate((low[np.isfinite(low)], high[np.isfinite(high)]))
        return (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 0.0)

    def _constrained(self, slots: Slots, attribute: int) -> Mask:
        low, high = self._ends(slots, attribute)
        return np.isfinite(low) | np.isfinite(high)

    def _sides(self, attribute: int, bucket: Bucket, slots: Slots) -> tuple[Mask, Mask]:
        """Whose interval lies in the lower half, and whose in the upper."""
        low, high = self._ends(slots, attribute)
        return high <= bucket.middle, low > bucket.middle

    def _ends(self, slots: Slots, attribute: int) -> tuple[Ends, Ends]:
        return self.intervals.low(attribute).take(slots), self.intervals.high(attribute).take(slots)

    def check(self, node: CNode) -> None:
        """Assert that every subscription is where it would be inserted now."""
        assert node.size == len(all_below(node))
        for p_node in node.directory:
            assert p_node.attribute not in node.used
            assert not self._constrained(node.leaf.array, p_node.attribute).any()
            self._check_bucket(p_node.attribute, p_node.root)

    def _check_bucket(self, attribute: int, bucket: Bucket) -> None:
        assert bucket.node.used >= {attribute}
        if bucket.halves:
            for inside, side in ((_all_in(bucket.halves[0]), 0), (_all_in(bucket.halves[1]), 1)):
                assert self._sides(attribute, bucket, inside)[side].all()
            own = all_below(bucket.node)
            assert not np.logical_or(*self._sides(attribute, bucket, own)).any()
            for half in bucket.halves:
                self._check_bucket(attribute, half)
        self.check(bucket.node)


def _take_out(leaf: GrowingArray, slot: int) -> None:
    slots = leaf.array
    slots[np.flatnonzero(slots == slot)[0]] = slots[-1]
    leaf.shorten(1)


def all_below(node: CNode) -> Slots:
    parts = [node.leaf.array, *(_all_in(p_node.root) for p_node in node.directory)]
    return joined(parts, np.int64)


def _all_in(bucket: Bucket) -> Slots:
    parts = [all_below(bucket.node), *(_all_in(half) for half in bucket.halves or ())]
    return joined(parts, np.int64)
