r"""Gough's tree: one path for an event, attribute after attribute, to what it matches.

Each level is an attribute, cut into classes by the constants that subscriptions have on it: each constant is
one, each gap between two, and having none of these values. From a node an event follows the one edge of its
class; there it has those conjunctions open that ask nothing of the attribute, and those whose predicate
holds in the class. One that asks for nothing further is sure to match.

    s1: colour red                            colour?
    s2: colour red and size <= 4        red /         \ other        after red, s1 is sure, s2 and s3 are open
    s3: size <= 4                      size?            size?
                                <= 4 /   \ other   <= 4 /   \ other
                              s1 s2 s3    s1         s3      none

A conjunction is in as many nodes as there are paths that leave it open: the combinatorial explosion that
paper 002 speaks of. So there is a budget; those nodes grow first where most is open and most events
are expected, half of them on the edge "other". A node that cannot grow is a leaf whose open conjunctions
have to be tested. Nodes share what they have open as *bunches*, sets of conjunctions that went the same
way: splitting one by the classes of a level is done once, for all nodes that have it.

Levels hold what has one outcome: bounds, equalities and "any of" on attributes other than free text, one of
these for each attribute of a conjunction. Whoever asks more stays open to the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import ragged
from matching.algorithms.axes import Axes, Floats, Pieces
from matching.algorithms.conjunctions import Conjunctions
from matching.algorithms.slots import Slots
from schema_registry.core.domains import TextDomain

MOST_LEVELS = 16  # more than that no budget reaches
NAMED_FOR_EACH = 32  # conjunctions that bunches may name, for each that there is
AND_NAMED_BESIDES = 100_000
MOST_MISFITS = 100  # nodes one after the other that cannot grow, before the rest is taken to be like them
OTHER = -1  # the class of events without a value that the level knows

Members = NDArray[np.int32]
Points = dict[int, list[float]]


@dataclass(frozen=True, slots=True)
class Level:
    """An attribute. Row by row, by conjunction: the classes from `first` to `last` are in its predicate.

    The class of the k-th constant is 2 k + 1, that of the gap below it 2 k.
    """

    axis: int
    is_number: bool
    constants: Floats
    slot: Slots
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, axis: int, is_number: bool, slot: Slots, low: Floats, high: Floats) -> "Level":
        ends = np.concatenate((low, high))
        constants = np.unique(ends[np.isfinite(ends)])
        first = np.where(np.isinf(low), 0, 2 * np.searchsorted(constants, low) + 1)
        last = np.where(np.isinf(high), 2 * len(constants), 2 * np.searchsorted(constants, high) + 1)
        order = np.argsort(slot, kind="stable")
        return cls(axis, is_number, constants, slot[order], first[order], last[order])

    def class_of(self, points: list[float]) -> int | None:
        """The class of an event with these points on the axis; None if it has several."""
        if not points:
            return OTHER
        if self.is_number and len(points) > 1:
            return None
        at = np.searchsorted(self.constants, points).tolist()
        known = [
            place
            for place, point in zip(at, points, strict=True)
            if place < len(self.constants) and self.constants[place] == point
        ]
        if known:
            return 2 * known[0] + 1 if len(known) == 1 else None
        return 2 * at[0] if self.is_number else OTHER


@dataclass(slots=True)
class Split:
    """A bunch at a level: who asks nothing of it, and by class whose predicate holds."""

    rest: "Bunch"
    open: dict[int, "Bunch"]
    sure: dict[int, Members]


@dataclass(slots=True)
class Bunch:
    """Conjunctions that are open at the same nodes, in ascending order."""

    members: Members
    tried: bool = False
    split: Split | None = None


@dataclass(slots=True)
class Node:
    """What an event that comes here has `open`, and what it is `sure` to match."""

    level: int
    open: tuple[Bunch, ...]
    sure: tuple[Members, ...]
    edges: dict[int, "Node"] | None = None
    other: "Node | None" = None

    @property
    def open_count(self) -> int:
        return sum(len(bunch.members) for bunch in self.open)


class SubscriptionTree:
    """Of these conjunctions. O(log) a level to follow; growing costs O(nodes * levels + what they name)."""

    def __init__(self, conjunctions: Conjunctions, axes: Axes, slots: Slots, node_budget: int) -> None:
        self._conjunctions = conjunctions
        self._axes = axes
        self.nodes = 1
        self._node_budget = node_budget
        self._room = NAMED_FOR_EACH * len(slots) + AND_NAMED_BESIDES
        pieces = axes.pieces(slots)
        held = self._can_be_held(pieces)
        self._levels = self._made_levels(slots, pieces[held])
        held &= np.isin(pieces.axis, [level.axis for level in self._levels])
        self._last_level = self._last_levels(slots, pieces, held)
        sure = self._last_level[slots] < 0
        members = slots.astype(np.int32)
        self.root = Node(0, _bunches(members[~sure]), _arrays(members[sure]))
        self._grow()

    def leaf_of(self, points: list[tuple[int, float]]) -> Node:
        """Where the path of the event with these points ends; before a leaf, if it has several classes."""
        by_axis: Points = {}
        for axis, point in points:
            by_axis.setdefault(axis, []).append(point)
        node = self.root
        while node.edges is not None:
            level = self._levels[node.level]
            its_class = level.class_of(by_axis.get(level.axis, []))
            if its_class is None:
                return node
            assert node.other is not None
            node = node.edges.get(its_class, node.other)
        return node

    def _can_be_held(self, pieces: Pieces) -> NDArray[np.bool_]:
        """Which pieces can be in levels: see above."""
        domain_of = self._conjunctions.schema.domain_of
        is_number = self._axes.is_number
        is_text = [isinstance(domain_of[self._axes.name(axis)], TextDomain) for axis in range(len(is_number))]
        on_numbers = is_number[pieces.axis]
        atoms = np.where(on_numbers, 0, pieces.low).astype(np.int64)
        can_be = on_numbers | self._conjunctions.vocabulary.is_equality[atoms]
        can_be &= ~np.array(is_text, np.bool_)[pieces.axis]
        place = pieces.owner * max(1, len(is_number)) + pieces.axis
        _, one_of_each_literal = np.unique(pieces.literal, return_index=True)
        places, literals = np.unique(place[one_of_each_literal], return_counts=True)
        alone: NDArray[np.bool_] = literals[np.searchsorted(places, place)] == 1
        return can_be & alone

    def _made_levels(self, slots: Slots, held: Pieces) -> list[Level]:
        """Attributes, first those that divide many conjunctions into few classes."""
        levels = []
        for axis in np.unique(held.axis).tolist():
            rows = held.axis == axis
            owners = slots[held.owner[rows]]
            is_number = bool(self._axes.is_number[axis])
            levels.append(Level.of(axis, is_number, owners, held.low[rows], held.high[rows]))
        return sorted(levels, key=lambda level: len(level.constants) / len(level.slot))[:MOST_LEVELS]

    def _last_levels(self, slots: Slots, pieces: Pieces, held: NDArray[np.bool_]) -> NDArray[np.int64]:
        """By conjunction the last level that it asks something of; beyond all, if it asks anything else."""
        last = np.full(len(self._conjunctions.ids), -1)
        for number, level in enumerate(self._levels):
            last[level.slot] = number
        last[slots[pieces.owner[~held]]] = len(self._levels)
        last[slots[self._conjunctions.has_negative.array[slots]]] = len(self._levels)
        return last

    def _grow(self) -> None:
        """Give nodes their children, where most is open and most events are expected first."""
        order = count()  # of two alike the older one
        waiting = [(0.0, next(order), 1.0, self.root)]
        misfits = 0
        while waiting and misfits < MOST_MISFITS:
            _, _, expected, node = heappop(waiting)
            splits = self._splits(node)
            if not splits:
                misfits += 1
                continue
            misfits = 0
            self._give_children(node, splits)
            assert node.edges is not None
            assert node.other is not None
            half = expected / 2
            children = [(half, node.other), *((half / len(node.edges), each) for each in node.edges.values())]
            for share, child in children:
                if child.open:
                    heappush(waiting, (-share * child.open_count, next(order), share, child))

    def _splits(self, node: Node) -> list[Split]:
        """What the node has open, split by the next level that divides it; nothing if it stays a leaf."""
        while node.level < len(self._levels):
            splits = [split for bunch in node.open if (split := self._split(bunch, node.level))]
            if len(splits) < len(node.open):
                return []
            classes = {each for split in splits for each in (*split.open, *split.sure)}
            if self.nodes + len(classes) + 1 > self._node_budget:
                return []
            if classes:
                return splits
            node.open = tuple(split.rest for split in splits)
            node.level += 1
        return []

    def _give_children(self, node: Node, splits: list[Split]) -> None:
        rest = tuple(split.rest for split in splits if len(split.rest.members))
        following = node.level + 1
        edges: dict[int, Node] = {}
        for split in splits:
            for its_class, bunch in split.open.items():
                child = edges.setdefault(its_class, Node(following, rest, node.sure))
                child.open += (bunch,)
            for its_class, members in split.sure.items():
                child = edges.setdefault(its_class, Node(following, rest, node.sure))
                child.sure += (members,)
        node.edges, node.other = edges, Node(following, rest, node.sure)
        self.nodes += len(edges) + 1

    def _split(self, bunch: Bunch, number: int) -> Split | None:
        """None if there is no room for it."""
        if not bunch.tried:
            bunch.tried = True
            bunch.split = self._made_split(bunch.members, number)
        return bunch.split

    def _made_split(self, members: Members, number: int) -> Split | None:
        level = self._levels[number]
        start, end = (np.searchsorted(level.slot, members, side) for side in ("left", "right"))
        asking = start < end
        rows, position = ragged(start[asking], end[asking])
        lengths = np.maximum(0, level.last[rows] - level.first[rows] + 1)
        named = len(members) + int(lengths.sum())
        if named > self._room:
            return None
        self._room -= named
        classes, row = ragged(level.first[rows], level.first[rows] + lengths)
        slots = members[asking][position[row]]
        sure = self._last_level[slots] <= number
        return Split(
            Bunch(members[~asking]),
            {each: Bunch(part) for each, part in _by_class(classes[~sure], slots[~sure])},
            dict(_by_class(classes[sure], slots[sure])),
        )

    def check_invariants(self) -> None:
        assert self.nodes <= max(1, self._node_budget)
        nodes, waiting = 0, [self.root]
        while waiting:
            node = waiting.pop()
            nodes += 1
            self._check_node(node)
            if node.edges is not None:
                assert node.other is not None
                waiting += [node.other, *node.edges.values()]
        assert nodes == self.nodes

    def _check_node(self, node: Node) -> None:
        opened = [slot for bunch in node.open for slot in bunch.members.tolist()]
        sure = [slot for members in node.sure for slot in members.tolist()]
        assert len({*opened, *sure}) == len(opened) + len(sure)
        assert all(self._last_level[slot] >= node.level for slot in opened)
        assert all(self._last_level[slot] < node.level for slot in sure)
        if node.edges is None:
            return
        assert node.other is not None
        asking = set(self._levels[node.level].slot.tolist())
        assert {slot for bunch in node.other.open for slot in bunch.members.tolist()} == set(opened) - asking
        for child in node.edges.values():
            assert all(ours is its for ours, its in zip(node.sure, child.sure, strict=False))


def _by_class(classes: NDArray[np.int64], slots: Members) -> Iterator[tuple[int, Members]]:
    order = np.argsort(classes, kind="stable")
    distinct, first = np.unique(classes[order], return_index=True)
    return zip(distinct.tolist(), np.split(slots[order], first[1:]), strict=False)


def _bunches(members: Members) -> tuple[Bunch, ...]:
    return (Bunch(members),) if len(members) else ()


def _arrays(members: Members) -> tuple[Members, ...]:
    return (members,) if len(members) else ()
