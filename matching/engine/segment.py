"""An immutable segment: subscriptions as arrays, laid out for matching by a plan.

Its entries are the distinct conjunctions, those with keys first, in the order of the clusters, then those of
the bitmaps, in the order of their lines. So what a match reads lies together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import joined, starts_of
from matching.engine import clusters, lines
from matching.engine.clusters import Paths
from matching.engine.coalescing import first_equal, in_order, with_shared_lists
from matching.engine.layout import Arrays, packed, unpacked
from matching.engine.lines import Signatures
from matching.engine.planner import Plan, plan
from matching.engine.programs import RANGE, Programs, joined_programs, numbers_of
from matching.engine.statistics import Statistics

NOT_DEAD = 0


@dataclass(frozen=True, slots=True)
class Contents:
    """What a segment is made of: programs, and in rows which subscription has which of them."""

    programs: Programs
    program: NDArray[np.int64]
    subscription: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Segment:
    """`died` has for each row of ids the change by which it went, 0 while it is there. `name` is its own.

    `special` has a bit for each entry, set if one of its rows went or may come twice: the others, nearly all,
    need no second look.
    """

    name: str
    block: NDArray[np.uint8]
    table: NDArray[np.int64]
    arrays: Arrays
    died: NDArray[np.int64]
    special: NDArray[np.uint8]

    @classmethod
    def of(
        cls,
        name: str,
        block: NDArray[np.uint8],
        table: NDArray[np.int64],
        died: NDArray[np.int64] | None = None,
    ) -> "Segment":
        """The segment of this block; `died` is kept and changed, if it is given."""
        arrays = unpacked(block, table)
        if died is None:
            died = np.zeros(len(arrays.id), np.int64)
        is_special = (arrays.several != 0) | (died != NOT_DEAD)
        special = np.zeros(len(arrays.keyed), np.bool_)
        special[np.searchsorted(arrays.id_start, np.flatnonzero(is_special), "right") - 1] = True
        return cls(name, block, table, arrays, died, np.packbits(special, bitorder="little"))

    def __len__(self) -> int:
        """How many subscriptions it was made of, those gone included."""
        return len(self.arrays.subscription)

    def let_go(self, number: int, change: int) -> bool:
        """Mark a subscription as gone by this change, beside readers; False if it is not there."""
        rows = self.rows_of(number)
        for entry in (np.searchsorted(self.arrays.id_start, rows, "right") - 1).tolist():
            self.special[entry >> 3] |= 1 << (entry & 7)
        self.died[rows] = change  # last: if this is interrupted, it is still there
        return len(rows) > 0

    def ids(self) -> NDArray[np.int64]:
        """The id of every row. O(rows)."""
        arrays = self.arrays
        if len(arrays.id_base):
            ids: NDArray[np.int64] = arrays.id_base[0] + arrays.id.astype(np.int64)
            return ids
        return arrays.subscription[arrays.id]

    def contents(self, change: int) -> Contents:
        """What is there as of this change."""
        arrays = self.arrays
        programs = Programs(
            arrays.literal_start.astype(np.int64),
            arrays.literal.reshape(-1, 3),
            arrays.part.reshape(-1, 3),
            arrays.operand,
        )
        entry = np.repeat(np.arange(len(programs)), np.diff(arrays.id_start))
        alive = (self.died == NOT_DEAD) | (self.died > change)
        return Contents(programs, entry[alive], self.ids()[alive])

    def alive(self) -> int:
        """How many of its rows of ids are still there."""
        return len(self.died) - int(np.count_nonzero(self.died))

    def check_invariants(self) -> None:
        arrays = self.arrays
        assert len(arrays.id) == len(arrays.row) == len(self.died) == arrays.id_start[-1]
        assert (arrays.subscription[1:] > arrays.subscription[:-1]).all()
        assert len(arrays.literal_start) == len(arrays.id_start) == len(arrays.keyed) + 1
        assert arrays.literal_start[-1] * 3 == len(arrays.literal)
        assert arrays.place_start[-1] == np.count_nonzero(arrays.keyed)
        ids = self.ids()
        for number in arrays.subscription.tolist():
            assert (ids[self.rows_of(number)] == number).all()

    def rows_of(self, number: int) -> NDArray[np.int32]:
        """Where a subscription stands; nowhere if it is not there or gone."""
        there = self.arrays.subscription
        at = int(np.searchsorted(there, number))
        if at == len(there) or there[at] != number:
            return self.arrays.row[:0]
        rows = self.arrays.row[self.arrays.row_start[at] : self.arrays.row_start[at + 1]]
        return rows if self.died[rows[0]] == NOT_DEAD else self.arrays.row[:0]


def built(contents: Contents, statistics: Statistics, numeric: frozenset[int]) -> Segment:
    """A segment of these. O(literals * log + literals in bitmaps * buckets).

    `numeric` has the numbers of the numeric attributes.
    """
    used, program = np.unique(contents.program, return_inverse=True)
    programs = in_order(with_shared_lists(taken(contents.programs, used)))
    leader = first_equal(programs.start[:-1], np.diff(programs.start), programs.literal)
    distinct, entry = np.unique(leader, return_inverse=True)
    programs = taken(programs, distinct)
    chosen = plan(programs, statistics)
    constant, constant_start = _constants(programs, chosen)
    programs, keyed = _keys_first(programs, chosen)
    with_key, without = np.flatnonzero(keyed), np.flatnonzero(keyed == 0)
    made_clusters, order = clusters.built(_paths(programs, with_key, keyed, constant, constant_start))
    signatures = Signatures.of(taken(programs, without))
    by_signature = np.argsort(signatures.bits, kind="stable")
    order = np.concatenate((with_key[order], without[by_signature]))
    programs, keyed = taken(programs, order), keyed[order]
    in_bitmaps = taken(programs, np.arange(len(with_key), len(programs)))
    made_lines = lines.built(
        in_bitmaps, replace(signatures, bits=signatures.bits[by_signature]), statistics, numeric
    )
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return _with_ids(
        programs,
        place[entry.reshape(-1)[program.reshape(-1)]],
        contents.subscription,
        {
            "keyed": keyed,
            "constant": constant,
            "constant_start": constant_start,
            **made_clusters._asdict(),
            **made_lines._asdict(),
        },
    )


def together(parts: Sequence[Contents]) -> Contents:
    """All of these as one; each subscription is in one of them only."""
    programs = joined_programs([part.programs for part in parts])
    before = np.cumsum([0] + [len(part.programs) for part in parts])
    shifted = [part.program + first for part, first in zip(parts, before.tolist(), strict=False)]
    ids = [part.subscription for part in parts]
    return Contents(programs, joined(shifted, np.int64), joined(ids, np.int64))


def taken(programs: Programs, numbers: NDArray[np.int64]) -> Programs:
    """The programs of these conjunctions, in this order."""
    first = programs.start[numbers]
    length = programs.start[numbers + 1] - first
    end = np.cumsum(length)
    row = np.arange(int(end[-1]) if len(end) else 0) + np.repeat(first - (end - length), length)
    return replace(programs, start=np.concatenate(([0], end)).astype(np.int64), literal=programs.literal[row])


def _keys_first(programs: Programs, chosen: Plan) -> tuple[Programs, NDArray[np.uint8]]:
    """The same programs, the literals of the key first; and how many these are.

    The attribute with the most different atoms comes first in all keys: a first step that leads nowhere, as
    most then do, spares all others.
    """
    attribute, in_key = programs.attribute, chosen.in_key
    attributes = int(attribute.max(initial=0)) + 1
    turn = np.empty(attributes, np.int64)
    turn[np.argsort(-_variety(programs, in_key, attributes), kind="stable")] = np.arange(attributes)
    place = np.where(in_key, turn[attribute], attributes + attribute)
    order = np.argsort(programs.owner * (2 * attributes) + place, kind="stable")
    keyed = np.bincount(programs.owner[in_key], minlength=len(programs)).astype(np.uint8)
    return replace(programs, literal=programs.literal[order]), keyed


def _variety(programs: Programs, in_key: NDArray[np.bool_], attributes: int) -> NDArray[np.int64]:
    """How many different atoms of each attribute are in keys; two that share a hash count once."""
    rows = np.flatnonzero(in_key)
    attribute = programs.attribute[rows]
    _, first = np.unique(programs.literal[rows, 1] * 0x9E3779B1 + attribute, return_index=True)
    return np.bincount(attribute[first], minlength=attributes)


def _constants(programs: Programs, chosen: Plan) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The numbers that are in keys, by attribute, ascending; and where each attribute's begin."""
    rows = np.flatnonzero(chosen.in_key & (programs.operator == RANGE))
    attribute, number = programs.attribute[rows], numbers_of(programs.literal[rows, 1])
    order = np.lexsort((number, attribute))
    attribute, number = attribute[order], number[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (attribute[1:] != attribute[:-1]) | (number[1:] != number[:-1])
    attributes = int(programs.attribute.max(initial=-1)) + 1
    return number[is_new], starts_of(np.bincount(attribute[is_new], minlength=attributes))


def _paths(
    programs: Programs,
    entries: NDArray[np.int64],
    keyed: NDArray[np.uint8],
    constant: NDArray[np.float64],
    constant_start: NDArray[np.int32],
) -> Paths:
    length = keyed[entries].astype(np.int64)
    end = np.cumsum(length)
    row = np.arange(int(end[-1]) if len(end) else 0)
    row += np.repeat(programs.start[entries] - (end - length), length)
    attribute, atom = programs.attribute[row], programs.literal[row, 1].copy()
    is_number = programs.operator[row] == RANGE
    for number in np.unique(attribute[is_number]).tolist():
        here = np.flatnonzero(is_number & (attribute == number))
        first, last = constant_start[number : number + 2].tolist()
        atom[here] = -1 - (first + np.searchsorted(constant[first:last], numbers_of(atom[here])))
    return Paths(length, atom.astype(np.int32), attribute)


def _with_ids(
    programs: Programs, entry: NDArray[np.int64], ids: NDArray[np.int64], others: dict[str, NDArray[Any]]
) -> Segment:
    """The segment, with the ids of the conjunctions in the order of their entries."""
    order = np.argsort(entry, kind="stable")
    row = np.argsort(ids[order], kind="stable")
    subscription, first, uses = np.unique(ids[order][row], return_index=True, return_counts=True)
    several = np.zeros(len(ids), np.uint8)
    several[row] = np.repeat(uses > 1, uses)
    arrays: dict[str, NDArray[Any]] = {
        "literal": programs.literal,
        "literal_start": programs.start,
        "part": programs.part,
        "operand": programs.operand,
        "id_start": starts_of(np.bincount(entry, minlength=len(programs))),
        **_short(ids[order], subscription),
        "several": several,
        "subscription": subscription,
        "row_start": np.concatenate((first, [len(ids)])),
        "row": row,
        **others,
    }
    return Segment.of(uuid4().hex, *packed(arrays))


def _short(ids: NDArray[np.int64], subscription: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The ids in 32 bits each: less to read for each match."""
    if len(ids) and int(subscription[-1]) - int(subscription[0]) < 1 << 32:
        return {"id": (ids - subscription[0]).astype(np.uint32), "id_base": subscription[:1]}
    return {"id": np.searchsorted(subscription, ids).astype(np.uint32), "id_base": subscription[:0]}
