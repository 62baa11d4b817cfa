"""Conjunctions as programs: short runs of literals, each three numbers, which the kernels can check.

A literal is (operator + OPERATORS * attribute, a, b):

- EQUAL: some value has the atom a;
- RANGE: some number lies from a to b, which are doubles, kept as their bits. `<` and `>` mean the next
  double, since all values are doubles;
- PRESENT, ABSENT: the attribute has a value, or has none;
- IN: some value is one of the b operands from a: atoms or doubles;
- LACKS: there is a value, and not all of the b operands from a are there;
- OUTSIDE: some number does not lie from a to b;
- JOINT: one value satisfies all of the b parts from a. A part is (kind, a, b): EQUAL, RANGE or IN as above,
  but of that one value; with NOT added it is turned round; NOT_BOTH: it does not have both atoms.

So several values of an attribute are exact, too: what must hold of one value together is one literal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import joined
from matching.algorithms.columns import SubscriptionColumns
from matching.engine.vocabulary import Attribute, Vocabulary
from schema_registry.core.domains import OPERATORS as LANGUAGE_OPERATORS
from schema_registry.core.schema import Schema

EQUAL, RANGE, PRESENT, ABSENT, IN, LACKS, JOINT, OUTSIDE = range(8)
OPERATORS = 8
NOT, NOT_BOTH = 8, 7  # of parts only

Ints = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Programs:
    """Programs of conjunctions numbered from 0; the k-th has the literals from start[k] to start[k + 1]."""

    start: NDArray[np.int64]
    literal: NDArray[np.int64]
    part: NDArray[np.int64]
    operand: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def operator(self) -> NDArray[np.int64]:
        """Of each literal."""
        return self.literal[:, 0] % OPERATORS

    @property
    def attribute(self) -> NDArray[np.int64]:
        """Of each literal."""
        return self.literal[:, 0] // OPERATORS

    @property
    def owner(self) -> NDArray[np.int64]:
        """The conjunction of each literal."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))


def programs_of(columns: SubscriptionColumns, schema: Schema, vocabulary: Vocabulary) -> Programs:
    """The programs of the columns' conjunctions. O(predicates * log), vectorised."""
    return _Compiler(columns, schema, vocabulary).run()


@dataclass(slots=True)
class _Rows:
    """Rows in the making: owner, attribute, kind, a, b."""

    parts: list[tuple[Ints, ...]] = field(default_factory=list)

    def add(self, owner: Ints, attribute: int, kind: int, a: Any, b: Any = 0) -> None:
        others = (np.broadcast_to(np.asarray(each, np.int64), len(owner)) for each in (attribute, kind, a, b))
        self.parts.append((owner, *others))

    def columns(self) -> tuple[Ints, ...]:
        return tuple(joined([part[at] for part in self.parts], np.int64) for at in range(5))


class _Compiler:
    """Compiles all predicates of one attribute and operator at a time."""

    def __init__(self, columns: SubscriptionColumns, schema: Schema, vocabulary: Vocabulary) -> None:
        self._columns = columns
        self._schema = schema
        self._vocabulary = vocabulary
        self._owner = np.repeat(np.arange(len(columns.predicate_start) - 1), np.diff(columns.predicate_start))
        self._literals = _Rows()
        self._binding = _Rows()
        self._operands: list[Ints] = []
        self._operand_count = 0

    def run(self) -> Programs:
        columns = self._columns
        kinds = columns.attribute.astype(np.int64) * len(LANGUAGE_OPERATORS) + columns.operator
        kinds = kinds * 2 + columns.negated
        order = np.argsort(kinds, kind="stable")
        edges = np.flatnonzero(np.diff(kinds[order])) + 1
        for rows in np.split(order, edges) if len(order) else ():
            kind, negated = divmod(int(kinds[rows[0]]), 2)
            attribute, operator = divmod(kind, len(LANGUAGE_OPERATORS))
            self._compile(rows, attribute, LANGUAGE_OPERATORS[operator], bool(negated))
        part = self._bind()
        owner, attribute_of, kind_of, a, b = self._literals.columns()
        order = _by_owner(owner, attribute_of)
        count = len(columns.predicate_start) - 1
        return Programs(
            start=np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=count)))).astype(np.int64),
            literal=np.stack((kind_of + OPERATORS * attribute_of, a, b), axis=1)[order],
            part=part,
            operand=joined(self._operands, np.int64),
        )

    def _compile(self, rows: Ints, place: int, operator: str, negated: bool) -> None:
        attribute = self._vocabulary.attribute(self._columns.attributes[place], self._schema)
        owner = self._owner[rows]
        if operator == "exists":
            self._literals.add(owner, attribute.number, ABSENT if negated else PRESENT, 0)
        elif operator == "contains":
            self._contains(rows, place, attribute, negated)
        elif operator == "in":
            first, count = self._listed(rows, place, attribute)
            self._binding.add(owner, attribute.number, IN + NOT * negated, first, count)
        elif attribute.is_numeric:
            low, high = self._range(rows, place, operator)
            negated |= operator == "!="
            self._binding.add(owner, attribute.number, RANGE + NOT * negated, bits_of(low), bits_of(high))
        elif operator == "between":
            self._between(rows, place, attribute, negated)
        else:
            negated |= operator == "!="
            atoms = self._atoms(attribute, place, "=" if operator == "!=" else operator, self._first(rows))
            self._binding.add(owner, attribute.number, EQUAL + NOT * negated, atoms)

    def _contains(self, rows: Ints, place: int, attribute: Attribute, negated: bool) -> None:
        """One value, or on free text words, each of which must be there."""
        owner = self._owner[rows]
        if negated:
            first, count = self._listed(rows, place, attribute)
            self._literals.add(owner, attribute.number, LACKS, first, count)
            return
        codes, position = self._values(rows)
        if attribute.is_numeric:
            bits = bits_of(self._numbers(place, codes))
            self._literals.add(owner[position], attribute.number, RANGE, bits, bits)
        else:
            atoms = self._atoms(attribute, place, "=", codes)
            self._literals.add(owner[position], attribute.number, EQUAL, atoms)

    def _between(self, rows: Ints, place: int, attribute: Attribute, negated: bool) -> None:
        owner = self._owner[rows]
        codes, _ = self._values(rows)
        low = self._atoms(attribute, place, ">=", codes[0::2])
        high = self._atoms(attribute, place, "<=", codes[1::2])
        if negated:
            self._binding.add(owner, attribute.number, NOT_BOTH, low, high)
        else:
            self._binding.add(owner, attribute.number, EQUAL, low)
            self._binding.add(owner, attribute.number, EQUAL, high)

    def _range(self, rows: Ints, place: int, operator: str) -> tuple[Any, Any]:
        codes, _ = self._values(rows)
        numbers = self._numbers(place, codes)
        match operator:
            case "<":
                return -np.inf, next_double(numbers, -np.inf)
            case "<=":
                return -np.inf, numbers
            case ">":
                return next_double(numbers, np.inf), np.inf
            case ">=":
                return numbers, np.inf
            case "between":
                return numbers[0::2], numbers[1::2]
        return numbers, numbers

    def _listed(self, rows: Ints, place: int, attribute: Attribute) -> tuple[Ints, Ints]:
        """The values of these predicates as operands: where each one's begin, and how many they are."""
        codes, position = self._values(rows)
        if attribute.is_numeric:
            listed = bits_of(self._numbers(place, codes))
        else:
            listed = self._atoms(attribute, place, "=", codes)
        counts = np.bincount(position, minlength=len(rows))
        first = self._operand_count + np.cumsum(counts) - counts
        self._operands.append(listed)
        self._operand_count += len(listed)
        return first, counts

    def _bind(self) -> NDArray[np.int64]:
        """What must hold of one value of an attribute becomes one literal; the parts of joint ones."""
        owner, attribute, kind, a, b = self._binding.columns()
        if not len(owner):
            return np.empty((0, 3), np.int64)
        order = _by_owner(owner, attribute)
        owner, attribute, kind, a, b = (each[order] for each in (owner, attribute, kind, a, b))
        is_first = np.concatenate(([True], (np.diff(owner) != 0) | (np.diff(attribute) != 0)))
        first = np.flatnonzero(is_first)
        size = np.diff(np.concatenate((first, [len(owner)])))
        is_range = kind == RANGE
        all_ranges = np.logical_and.reduceat(is_range, first)
        low = np.maximum.reduceat(np.where(is_range, a.view(np.float64), -np.inf), first)
        high = np.minimum.reduceat(np.where(is_range, b.view(np.float64), np.inf), first)
        alone = (size == 1) & ((kind[first] == EQUAL) | (kind[first] == IN))
        outside = (size == 1) & (kind[first] == RANGE + NOT)
        parts = np.where(all_ranges | alone | outside, 0, size)
        chosen = [all_ranges, alone, outside]
        self._literals.parts.append(
            (
                owner[first],
                attribute[first],
                np.select(chosen, [RANGE, kind[first], OUTSIDE], JOINT),
                np.select(chosen, [bits_of(low), a[first], a[first]], np.cumsum(parts) - parts),
                np.select(chosen, [bits_of(high), b[first], b[first]], size),
            )
        )
        return np.stack((kind, a, b), axis=1)[np.repeat(parts > 0, size)]

    def _values(self, rows: Ints) -> tuple[Ints, Ints]:
        """The values of these predicates, run after run, and the position of each one's predicate."""
        first, last = self._columns.value_start[rows], self._columns.value_start[rows + 1]
        lengths = last - first
        position = np.repeat(np.arange(len(rows)), lengths)
        offsets = np.arange(len(position)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return self._columns.value[np.repeat(first, lengths) + offsets], position

    def _first(self, rows: Ints) -> Ints:
        return self._columns.value[self._columns.value_start[rows]]

    def _numbers(self, place: int, codes: Ints) -> NDArray[np.float64]:
        return np.asarray(self._columns.constants[place], np.float64)[codes]

    def _atoms(self, attribute: Attribute, place: int, operator: str, codes: Ints) -> NDArray[np.int64]:
        return self._vocabulary.atoms(attribute, operator, self._columns.constants[place], codes)


def _by_owner(owner: Ints, attribute: Ints) -> NDArray[np.int64]:
    """The order by owner, then attribute, and else as it was: by operator and value, as predicates are."""
    return np.argsort(owner * (int(attribute.max(initial=0)) + 1) + attribute, kind="stable")


def joined_programs(parts: Sequence[Programs]) -> Programs:
    """All of these, one after the other."""
    literals, lists = [], []
    parts_before = operands_before = 0
    for each in parts:
        part, literal = each.part.copy(), each.literal.copy()
        part[part[:, 0] % NOT == IN, 1] += operands_before
        has_operands = (each.operator == IN) | (each.operator == LACKS)
        literal[has_operands, 1] += operands_before
        literal[each.operator == JOINT, 1] += parts_before
        literals.append(literal)
        lists.append(part)
        parts_before += len(part)
        operands_before += len(each.operand)
    lengths = joined([np.diff(each.start) for each in parts], np.int64)
    return Programs(
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        np.concatenate(literals) if literals else np.empty((0, 3), np.int64),
        np.concatenate(lists) if lists else np.empty((0, 3), np.int64),
        joined([each.operand for each in parts], np.int64),
    )


def bits_of(numbers: Any) -> NDArray[np.int64]:
    """Doubles as integers of the same bits; -0 as 0."""
    return (np.asarray(numbers, np.float64) + 0.0).view(np.int64)


def numbers_of(bits: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.ascontiguousarray(bits).view(np.float64)


def next_double(numbers: NDArray[np.float64], towards: float) -> NDArray[np.float64]:
    """The doubles next to these; beyond the largest comes infinity, and that is no mishap."""
    with np.errstate(over="ignore"):
        return np.nextafter(numbers, towards)
