"""What subscriptions mention, numbered once for all segments, and events in these numbers.

Every attribute has a number. So has every *atom* of an attribute that is not numeric: an operator and a
constant, true of a value that stands in this relation to the constant. `=` serves equality, `contains`
and words of a text; `<=` and `<` of a hierarchy make "is a kind of" one look-up per ancestor. Numbers are
compared in the kernels.

All is worked out from the event's side, so a value added to a domain later makes no subscription stale.
Numbers are given once and never taken back. One thread adds, many may read meanwhile: an event coded before
an atom was added lacks it, so who reads takes its view of the subscriptions first.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import ge, gt, le, lt
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching.engine.batches import FIELDS_OF_A_ROW, CodedEvents
from schema_registry.core.domains import Domain, FiniteDomain, NumericDomain, TextDomain, Value
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

FROM_BELOW = ("<", "<=")
_MOST_REMEMBERED = 50_000
_FEW = 4  # values of an attribute: such sets come again
_ROW = Struct(f"{FIELDS_OF_A_ROW}i")
_ATOM = Struct("i")
_NONE = -1  # atom


class Memory(NamedTuple):
    """Values of an attribute in numbers, as they are by this state of its domain."""

    domain: Domain | None
    records: dict[tuple[Value, ...], bytes]


class Attribute:
    """One attribute: its number, and its atoms by operator and constant."""

    __slots__ = ("atoms", "is_numeric", "is_text", "memory", "number", "packed_words", "row_of_a_number")

    def __init__(
        self, number: int, *, is_numeric: bool, is_text: bool, atoms: dict[str, dict[Value, int]]
    ) -> None:
        self.number = number
        self.is_numeric = is_numeric
        self.is_text = is_text
        self.atoms = atoms
        self.memory = Memory(None, {})
        self.row_of_a_number = self.row_of_numbers(1)
        words = atoms["="] if is_text else {}
        self.packed_words = {word: _ATOM.pack(atom) for word, atom in words.items()}

    def row_of_numbers(self, count: int) -> bytes:
        return _ROW.pack(self.number, count, 0, count)

    def record_of(self, values: tuple[Value, ...], domain: Domain) -> bytes:
        """The row, the atoms that are true of the values, and of which; remembered, since they come again."""
        memory = self.memory
        if memory.domain is not domain or len(memory.records) > _MOST_REMEMBERED:
            memory = self.memory = Memory(domain, {})
        record = _record(self, values, domain)
        if len(values) <= _FEW:
            memory.records[values] = record
        return record

    def number_of(self, operator: str, value: Value, next_number: int) -> int:
        """The atom's number; if it is new, the one offered."""
        known = self.atoms.setdefault(operator, {})
        number = known.get(value)
        if number is None:
            number = known[value] = next_number
            if self.is_text:
                self.packed_words[value] = _ATOM.pack(number)
            # Replaced, not emptied: who is just working out what to remember puts it into the old one.
            self.memory = Memory(None, {})
        return number


class Vocabulary:
    def __init__(self) -> None:
        self.attributes: dict[str, Attribute] = {}
        self.atom_count = 0

    def attribute(self, name: str, schema: Schema) -> Attribute:
        """The attribute; a new one if it is new."""
        found = self.attributes.get(name)
        if found is None:
            domain = schema.domain_of[name]
            found = Attribute(
                len(self.attributes),
                is_numeric=isinstance(domain, NumericDomain),
                is_text=isinstance(domain, TextDomain),
                atoms={"=": {}},
            )
            self.attributes[name] = found
        return found

    def atom(self, attribute: Attribute, operator: str, value: Value) -> int:
        number = attribute.number_of(operator, value, self.atom_count)
        self.atom_count = max(self.atom_count, number + 1)
        return number

    def atoms(
        self, attribute: Attribute, operator: str, values: Sequence[Value], codes: NDArray[Any]
    ) -> NDArray[np.int64]:
        """The atoms of the values with these codes, which are positions in `values`."""
        distinct, inverse = np.unique(codes, return_inverse=True)
        numbers = (self.atom(attribute, operator, values[code]) for code in distinct.tolist())
        return np.fromiter(numbers, np.int64, len(distinct))[inverse.reshape(-1)]

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            name: {
                "is_numeric": attribute.is_numeric,
                "is_text": attribute.is_text,
                "atoms": {
                    operator: [list(known), list(known.values())]
                    for operator, known in attribute.atoms.items()
                },
            }
            for name, attribute in self.attributes.items()
        }

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> "Vocabulary":
        """The vocabulary that `to_dict` wrote."""
        vocabulary = cls()
        for name, each in document.items():
            atoms = {
                operator: dict(zip(values, numbers, strict=True))
                for operator, (values, numbers) in each["atoms"].items()
            }
            vocabulary.attributes[name] = Attribute(
                len(vocabulary.attributes),
                is_numeric=each["is_numeric"],
                is_text=each["is_text"],
                atoms=atoms,
            )
            highest = max((max(known.values(), default=-1) for known in atoms.values()), default=-1)
            vocabulary.atom_count = max(vocabulary.atom_count, highest + 1)
        return vocabulary

    def coded(self, events: Iterable[Event], schema: Schema) -> CodedEvents:
        """The events in numbers, by this schema version or the event's own if that is newer."""
        # Who matches in several threads does this under the interpreter's lock: it is written for speed.
        records: list[bytes] = []
        numbers, row_start = array("d"), array("q", [0])
        attributes, add = self.attributes, records.append
        for event in events:
            newer = event.schema if event.schema.version > schema.version else schema
            domain_of = newer.domain_of
            for name, values in event.values.items():
                attribute = attributes.get(name)
                if attribute is None:
                    continue
                if attribute.is_numeric:
                    add(
                        attribute.row_of_a_number
                        if len(values) == 1
                        else attribute.row_of_numbers(len(values))
                    )
                    numbers.extend(values)  # type: ignore[arg-type]  # a numeric domain has numbers only
                elif attribute.is_text:
                    found = b"".join(filter(None, map(attribute.packed_words.get, values)))
                    add(_ROW.pack(~attribute.number, 1, len(found) // _ATOM.size, 0) + found)
                else:
                    memory = attribute.memory
                    record = memory.records.get(values) if memory.domain is domain_of[name] else None
                    add(record or attribute.record_of(values, domain_of[name]))
            row_start.append(len(records))
        return CodedEvents(
            np.frombuffer(row_start, np.int64),
            np.frombuffer(b"".join(records), np.int32),
            np.frombuffer(numbers, np.float64) if numbers else np.empty(0),
        )


def _record(attribute: Attribute, values: tuple[Value, ...], domain: Domain) -> bytes:
    if attribute.atoms.keys() == {"="}:  # there may be thousands of values
        known = attribute.atoms["="]
        each = np.array([known.get(value, _NONE) for value in values], np.int32)
        order = np.argsort(each, kind="stable")[np.count_nonzero(each == _NONE) :]
        atoms, of_values = each[order].tobytes(), order.astype(np.int32).tobytes()
    else:
        pairs = sorted(
            (atom, at)
            for at, value in enumerate(values)
            for atom in _true_atoms(attribute.atoms, value, domain)
        )
        atoms = array("i", [atom for atom, _ in pairs]).tobytes()
        of_values = array("i", [at for _, at in pairs]).tobytes()
    return _ROW.pack(attribute.number, len(values), len(atoms) // _ATOM.size, 0) + atoms + of_values


def _true_atoms(atoms: dict[str, dict[Value, int]], value: Value, domain: Domain) -> Iterator[int]:
    for operator, known in list(atoms.items()):
        if operator == "=":
            if value in known:
                yield known[value]
        elif domain.totally_ordered:
            yield from _beyond(operator, known, value)
        else:
            yield from _related(operator, known, str(value), domain)


def _related(operator: str, known: dict[Value, int], value: str, domain: Domain) -> Iterator[int]:
    """On a partial order: the constants that the value is below, or above."""
    assert isinstance(domain, FiniteDomain)
    if operator in FROM_BELOW:
        reached = domain.above(value) if operator == "<" else (value, *domain.above(value))
        yield from (known[constant] for constant in reached if constant in known)
        return
    compare = domain.below if operator == ">" else domain.at_most
    yield from (number for constant, number in list(known.items()) if compare(constant, value))


def _beyond(operator: str, known: dict[Value, int], value: Value) -> Iterator[int]:
    """On a total order: the constants on the other side of the value."""
    compare = {"<": lt, "<=": le, ">": gt, ">=": ge}[operator]
    yield from (number for constant, number in list(known.items()) if compare(value, constant))
