"""Subscriptions that came one by one, until a merge makes a segment of them.

Entries are only ever appended, or marked as gone, and one is visible to those who know of a count that
includes it: so one thread may add while others match. An entry waits under one of its equalities, the one
with the shortest list; what has none is checked for every event. A list is a chain from entry to entry, so
that it grows by one number that is written last.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray
from matching.engine.programs import EQUAL, OPERATORS, RANGE, Programs
from matching.engine.segment import NOT_DEAD, Contents
from matching.engine.single import Row, SingleProgram
from matching.engine.vocabulary import Vocabulary
from matching.engine.waiting import ALWAYS, HEADS, NO_ATTRIBUTE, NOBODY, head_of
from schema_registry.core.predicates import Conjunction
from schema_registry.core.schema import Schema

ROOM = 8_192  # conjunctions; those of one subscription must fit in


class Fresh:
    """Costs: add O(predicates), match O(candidates)."""

    def __init__(self) -> None:
        self._literal = GrowingArray(np.int64)
        self._literal_start = GrowingArray(np.int32, [0])
        self._part = GrowingArray(np.int64)
        self._operand = GrowingArray(np.int64)
        self._id = np.empty(ROOM, np.int64)
        self._first = np.empty(ROOM, np.uint32)  # of each row, the first one of its subscription
        self._several = np.empty(ROOM, np.uint8)
        self._died = np.full(ROOM, NOT_DEAD, np.int64)
        self._head = np.full(HEADS + 1, NOBODY, np.int32)
        self._next = np.empty(ROOM, np.int32)
        self._wanted = np.empty(ROOM, np.int64)
        self._of_attribute = np.empty(ROOM, np.int32)
        self._waiting = [0] * (HEADS + 1)
        self._rows: dict[int, range] = {}
        self._count = 0

    def __len__(self) -> int:
        """How many conjunctions it has, those gone included."""
        return self._count

    def __contains__(self, number: int) -> bool:
        return number in self._rows

    @property
    def checked_always(self) -> int:
        """How many conjunctions are checked for every event."""
        return self._waiting[ALWAYS]

    def has_room_for(self, conjunctions: int) -> bool:
        return self._count + conjunctions <= ROOM

    def compiled(
        self, conjunctions: Sequence[Conjunction], schema: Schema, vocabulary: Vocabulary
    ) -> list[SingleProgram]:
        """The programs of a subscription, if it is the next one that is added."""
        programs: list[SingleProgram] = []
        parts, operands = len(self._part) // 3, len(self._operand)
        for conjunction in conjunctions:
            program = SingleProgram(schema, vocabulary, parts=parts, operands=operands)
            program.compile(conjunction)
            programs.append(program)
            parts, operands = parts + len(program.parts), operands + len(program.operands)
        return programs

    def add(self, number: int, programs: Sequence[SingleProgram]) -> None:
        """Take a subscription, whose id must not be here and for which there must be room.

        If this is interrupted, nothing may be added any more.
        """
        first, last = self._count, self._count + len(programs)
        self._id[first:last] = number
        self._first[first:last] = first
        self._several[first:last] = len(programs) > 1
        for entry, program in enumerate(programs, first):
            self._append(entry, program)
        self._rows[number] = range(first, last)
        self._count = last  # last: this is what others go by

    def remove(self, number: int, change: int) -> None:
        """Let it go as of this change. Raises KeyError."""
        for row in self._rows[number]:
            self._died[row] = change
        del self._rows[number]

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What kernels read, in the order in which they expect it."""
        no_keys, each, all_special = _constants()
        return (
            self._literal.array,
            self._part.array,
            self._operand.array,
            self._literal_start.array,
            no_keys,
            self._head,
            self._next,
            self._wanted,
            self._of_attribute,
            each,
            self._first,
            self._id,
            self._several,
            self._died,
            all_special,
        )

    def contents(self, count: int, change: int) -> Contents:
        """What is there as of this change, of the first `count` conjunctions."""
        start = self._literal_start.array[: count + 1].astype(np.int64)
        programs = Programs(
            start,
            self._literal.array[: 3 * start[-1]].reshape(-1, 3),
            self._part.array.reshape(-1, 3),
            self._operand.array,
        )
        died = self._died[:count]
        alive = np.flatnonzero((died == NOT_DEAD) | (died > change))
        return Contents(programs, alive, self._id[alive])

    def gone_since(self, count: int, change: int) -> NDArray[np.int64]:
        """The ids of those of the first `count` conjunctions that went after this change."""
        return self._id[:count][self._died[:count] > change]

    def _append(self, entry: int, program: SingleProgram) -> None:
        self._part.extend([number for row in program.parts for number in row])
        self._operand.extend(program.operands)
        self._literal.extend([number for row in program.literals for number in row])
        self._literal_start.extend([len(self._literal) // 3])
        keys = [key for row in program.literals if (key := _key_of(row)) is not None]
        heads = [head_of(*key) for key in keys]
        head, wanted, attribute = ALWAYS, 0, NO_ATTRIBUTE
        if keys:
            shortest = min(range(len(keys)), key=lambda at: self._waiting[heads[at]])
            head, (attribute, wanted) = heads[shortest], keys[shortest]
        self._waiting[head] += 1
        self._wanted[entry], self._of_attribute[entry] = wanted, attribute
        self._next[entry] = self._head[head]
        self._head[head] = entry  # last: from here on others meet it


def _key_of(literal: Row) -> tuple[int, int] | None:
    """(attribute, number), or an atom, without which the literal does not hold; None if there is no such."""
    code, a, b = literal
    if code % OPERATORS == EQUAL:
        return NO_ATTRIBUTE, a
    if code % OPERATORS == RANGE and a == b:
        return code // OPERATORS, a
    return None


@cache
def _constants() -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8]]:
    """No literal is decided by a key; entry e has row e; every entry is looked at."""
    return (
        np.zeros(ROOM, np.uint8),
        np.arange(ROOM + 1, dtype=np.int32),
        np.full(ROOM // 8 + 1, 255, np.uint8),
    )
