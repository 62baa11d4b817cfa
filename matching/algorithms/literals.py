"""From predicates to literals: what can be decided for many conjunctions at once, by NumPy.

A predicate becomes one or more literals, each in one of three families:

- a *test*: an atom is true of the event, or (negative) is not;
- a *bound*: a number is at most an operand. `X <= c` asks this of the smallest value of X, `X >= c`, with
  signs turned, of the largest; `<` and `>` use the next double, since all values are doubles;
- a *group*: any of some atoms, or all of them, are true, or (negative) are not.

A conjunction holds when all its literals do - for events with one value per attribute. With several values,
predicates that must hold for the *same* value may be satisfied by different ones, and negative ones are true
as soon as one value escapes: such conjunctions are *entangled*. There literals are lenient (an `excuse` atom
lets negative ones pass) and the caller checks what passed, one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import joined
from matching.algorithms.columns import SubscriptionColumns
from matching.algorithms.vocabulary import NEVER, Vocabulary
from schema_registry.core.domains import OPERATORS, NumericDomain, Value
from schema_registry.core.predicates import BINDING
from schema_registry.core.schema import Schema

_IS_BINDING = np.array([operator in BINDING for operator in OPERATORS])
_IS_LENIENT = np.array([operator in ("!=", "between") for operator in OPERATORS])

Ints = NDArray[np.int64]


@dataclass(slots=True)
class LiteralRows:
    """Rows of one family in the making: the conjunctions they belong to, and their columns."""

    owners: list[NDArray[Any]] = field(default_factory=list)
    columns: dict[str, list[NDArray[Any]]] = field(default_factory=dict)

    def add(self, owners: NDArray[Any], **columns: Any) -> None:
        self.owners.append(owners)
        for name, value in columns.items():
            self.columns.setdefault(name, []).append(np.broadcast_to(value, len(owners)))

    def joined(self, **dtypes: Any) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
        columns = {name: joined(self.columns.get(name, []), dtype) for name, dtype in dtypes.items()}
        return joined(self.owners, np.int64), columns


class LiteralCompiler:
    """Compiles the predicates of columns, all of one attribute and operator at a time. O(predicates log)."""

    def __init__(
        self,
        columns: SubscriptionColumns,
        schema: Schema,
        vocabulary: Vocabulary,
        bound_column: Callable[[str], int],
    ) -> None:
        self._columns = columns
        self._schema = schema
        self._vocabulary = vocabulary
        self._bound_column = bound_column
        self._owner = np.repeat(np.arange(len(columns.predicate_start) - 1), np.diff(columns.predicate_start))
        self.tests = LiteralRows()
        self.bounds = LiteralRows()
        self.groups = LiteralRows()
        self.group_atoms = LiteralRows()
        self._group_count = 0

    def run(self) -> None:
        columns = self._columns
        kinds = (columns.attribute.astype(np.int64) * len(OPERATORS) + columns.operator) * 2 + columns.negated
        order = np.argsort(kinds, kind="stable")
        edges = np.flatnonzero(np.diff(kinds[order])) + 1
        for rows in np.split(order, edges) if len(order) else ():
            kind, negated = divmod(int(kinds[rows[0]]), 2)
            attribute, operator = divmod(kind, len(OPERATORS))
            self._compile(rows, attribute, OPERATORS[operator], bool(negated))

    def entangled(self) -> NDArray[np.bool_]:
        """For each conjunction whether its literals are lenient towards several values of an attribute."""
        columns = self._columns
        binding = _IS_BINDING[columns.operator]
        lenient = binding & (columns.negated | _IS_LENIENT[columns.operator])
        found = np.zeros(len(columns.predicate_start) - 1, np.bool_)
        found[self._owner[lenient]] = True
        pairs = self._owner[binding] * len(columns.attributes) + columns.attribute[binding]
        distinct, counts = np.unique(pairs, return_counts=True)
        found[distinct[counts > 1] // max(1, len(columns.attributes))] = True
        return found

    def _compile(self, rows: Ints, attribute: int, operator: str, negated: bool) -> None:
        name = self._columns.attributes[attribute]
        owners = self._owner[rows]
        numeric = isinstance(self._schema.domain_of[name], NumericDomain)
        if operator == "exists":
            self._test(owners, self._vocabulary.present(name), negated)
        elif operator in ("=", "!="):
            self._equality(rows, name, attribute, operator)
        elif operator == "contains":
            self._contains(rows, name, attribute, negated)
        elif operator == "in":
            self._in(rows, name, attribute, negated)
        elif numeric and not negated:
            self._compare_numbers(rows, name, attribute, operator)
        elif operator == "between":
            self._between(rows, name, attribute, negated)
        else:
            atoms = self._atoms(name, attribute, operator)[self._single_value(rows)]
            self._bound_test(name, owners, atoms, negated)

    def _equality(self, rows: Ints, name: str, attribute: int, operator: str) -> None:
        atoms = self._atoms(name, attribute, "=")[self._single_value(rows)]
        self._bound_test(name, self._owner[rows], atoms, operator == "!=")

    def _contains(self, rows: Ints, name: str, attribute: int, negated: bool) -> None:
        """One value, or on free text the words of it, each of which must be there."""
        values, position = self._values(rows)
        atoms = self._atoms(name, attribute, "=")[values]
        owners = self._owner[rows]
        if not negated:
            self._test(owners[position], atoms, False)
            return
        self._test(owners, self._vocabulary.present(name), False)
        self._group(owners, position, atoms, of_all=True, negative=True, excuse=NEVER)

    def _in(self, rows: Ints, name: str, attribute: int, negated: bool) -> None:
        values, position = self._values(rows)
        atoms = self._atoms(name, attribute, "=")[values]
        owners = self._owner[rows]
        if negated:
            self._test(owners, self._vocabulary.present(name), False)
        excuse = self._vocabulary.several(name) if negated else NEVER
        self._group(owners, position, atoms, of_all=False, negative=negated, excuse=excuse)

    def _compare_numbers(self, rows: Ints, name: str, attribute: int, operator: str) -> None:
        constants = np.asarray(self._columns.constants[attribute], np.float64)
        values, _ = self._values(rows)
        operands = constants[values]
        owners = self._owner[rows]
        column = self._bound_column(name)
        match operator:
            case "<":
                self.bounds.add(owners, column=column, operand=np.nextafter(operands, -np.inf))
            case "<=":
                self.bounds.add(owners, column=column, operand=operands)
            case ">":
                self.bounds.add(owners, column=column + 1, operand=-np.nextafter(operands, np.inf))
            case ">=":
                self.bounds.add(owners, column=column + 1, operand=-operands)
            case "between":
                self.bounds.add(owners, column=column + 1, operand=-operands[0::2])
                self.bounds.add(owners, column=column, operand=operands[1::2])

    def _between(self, rows: Ints, name: str, attribute: int, negated: bool) -> None:
        values, _ = self._values(rows)
        owners = self._owner[rows]
        low = self._atoms(name, attribute, ">=")[values[0::2]]
        high = self._atoms(name, attribute, "<=")[values[1::2]]
        if not negated:
            self._test(owners, low, False)
            self._test(owners, high, False)
            return
        self._test(owners, self._vocabulary.present(name), False)
        position = np.tile(np.arange(len(rows)), 2)
        excuse = self._vocabulary.several(name)
        self._group(owners, position, np.concatenate((low, high)), of_all=True, negative=True, excuse=excuse)

    def _bound_test(self, name: str, owners: Ints, atoms: NDArray[np.int32], negative: bool) -> None:
        """A test about the value that the attribute is bound to; its negation needs such a value."""
        if negative:
            self._test(owners, self._vocabulary.present(name), False)
        self._test(owners, atoms, negative, self._vocabulary.several(name) if negative else NEVER)

    def _test(self, owners: Ints, atom: Any, negative: bool, excuse: int = NEVER) -> None:
        self.tests.add(owners, atom=atom, negative=negative, excuse=excuse)

    def _group(
        self,
        owners: Ints,
        position: Ints,
        atoms: NDArray[np.int32],
        *,
        of_all: bool,
        negative: bool,
        excuse: int,
    ) -> None:
        self.groups.add(
            owners,
            number=self._group_count + np.arange(len(owners)),
            of_all=of_all,
            negative=negative,
            excuse=excuse,
        )
        self.group_atoms.add(self._group_count + position, atom=atoms)
        self._group_count += len(owners)

    @property
    def group_count(self) -> int:
        return self._group_count

    def _values(self, rows: Ints) -> tuple[NDArray[np.int32], Ints]:
        """The values of these predicates, run after run, and the position of each one's predicate."""
        first, last = self._columns.value_start[rows], self._columns.value_start[rows + 1]
        lengths = last - first
        position = np.repeat(np.arange(len(rows)), lengths)
        offsets = np.arange(len(position)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return self._columns.value[np.repeat(first, lengths) + offsets], position

    def _single_value(self, rows: Ints) -> NDArray[np.int32]:
        return self._columns.value[self._columns.value_start[rows]]

    def _atoms(self, name: str, attribute: int, operator: str) -> "_AtomOfConstant":
        domain = self._schema.domain_of[name]
        number = partial(self._vocabulary.number, name, operator, ordered_by_value=domain.totally_ordered)
        return _AtomOfConstant(number, self._columns.constants[attribute])


class _AtomOfConstant:
    """Constants' codes to atoms' numbers, making only the atoms that are asked for."""

    __slots__ = ("_constants", "_number")

    def __init__(self, number: Callable[[Value], int], constants: Sequence[Value]) -> None:
        self._number, self._constants = number, constants

    def __getitem__(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        distinct, inverse = np.unique(codes, return_inverse=True)
        values = (self._constants[code] for code in distinct.tolist())
        plain = (value if isinstance(value, str) else float(value) for value in values)
        return np.fromiter((self._number(value) for value in plain), np.int32, len(distinct))[inverse]
