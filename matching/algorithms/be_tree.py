"""`be-tree`: a tree that cuts the space by attribute and then by value, as deep as its leaves are full.

BE-Tree: M. Sadoghi, H.-A. Jacobsen, SIGMOD 2011 and ACM TODS 38(2), 2013; paper 004, section 1.1. A c-node
has an l-node, a plain list of subscriptions, and a p-directory: p-nodes, each for an attribute that was
not yet used on the way from the root. A p-node has a c-directory: buckets over the attribute's range,
bisected again and again, each with a c-node of its own. A subscription goes to the first p-node whose
attribute it constrains, there to the smallest bucket that encloses its interval, and so on, until no
p-node is for it: then to that l-node. An event walks to all buckets that its values lie in; those in the
l-nodes it meets are checked.

An l-node that has more than `capacity` subscriptions, 500 unless told, overflows. *Space partitioning*
makes a p-node of the attribute with the best score, the sum over the subscriptions of the share of the
range that their intervals leave free, and moves those over that constrain it. *Space clustering* bisects
the bucket of a c-node that still overflows, and moves what fits into a half. What falls below half the
capacity by removals is *merged* into one l-node again. An l-node that nothing can split may grow to twice
its size before that is tried again: the dynamic capacity of BE-Tree's own paper.

Our choices, about which paper 004 says nothing: the `capacity` of 500, where BE-Tree's own paper has some
tens, for C, since NumPy checks hundreds at once anyway; the score, which looks at the intervals alone and
not at how often events meet them; merging below half the capacity; at most 20 bisections.

Costs: match O(buckets met + subscriptions in their l-nodes), add O(depth), amortised with the splits it
causes, remove O(depth + subscriptions of the l-node), memory one entry for each subscription.
"""

import numpy as np

from matching.algorithms.arrays import joined
from matching.algorithms.be_tree_nodes import CNode, Growth, all_below
from matching.algorithms.conjunctions import REMOVED
from matching.algorithms.intervals import Hull
from matching.algorithms.ranges import RangeMatcher
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema


class BETreeMatcher(RangeMatcher):
    def __init__(self, schema: Schema, *, capacity: int = 500) -> None:
        super().__init__(schema)
        self._growth = Growth(self._intervals, capacity)
        self.root = CNode(limit=capacity)

    def _slots_within(self, hull: Hull) -> Slots:
        leaves: list[Slots] = []
        _meet(self.root, hull, leaves)
        candidates = joined(leaves, np.int64)
        self.work.predicate_evaluations += len(candidates)
        return self._intervals.within(candidates, hull)

    def _index_many(self, slots: Slots) -> None:
        self._intervals.extend(len(slots))
        self._growth.insert(self.root, slots)

    def _index_one(self, slot: int) -> None:
        self._index_many(np.array([slot]))

    def _unindex_one(self, slot: int) -> None:
        self._growth.remove(self.root, slot)

    def check_invariants(self) -> None:
        super().check_invariants()
        living = np.flatnonzero(self._conjunctions.ids.array != REMOVED)
        assert np.array_equal(np.sort(all_below(self.root)), living)
        self._growth.check(self.root)


def _meet(node: CNode, hull: Hull, leaves: list[Slots]) -> None:
    """Collect the l-nodes of all c-nodes that the event reaches."""
    if len(node.leaf):
        leaves.append(node.leaf.array)
    for p_node in node.directory:
        least, greatest = hull.least[p_node.attribute], hull.greatest[p_node.attribute]
        if least > greatest:
            continue
        buckets = [p_node.root]
        while buckets:
            bucket = buckets.pop()
            if bucket.node.size:
                _meet(bucket.node, hull, leaves)
            if bucket.halves:
                if least <= bucket.middle:
                    buckets.append(bucket.halves[0])
                if greatest > bucket.middle:
                    buckets.append(bucket.halves[1])
