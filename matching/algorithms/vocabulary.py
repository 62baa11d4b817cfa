"""Atoms: the elementary predicates that subscriptions use, each numbered once.

An atom is an attribute, an operator and one value, and is true of an event when *some* value of the
attribute satisfies it: `=` also stands for `contains`; the orders of strings, enumerations and
hierarchies are atoms too, so that "is a kind of" is one look-up per ancestor of the event's value. Two
operators of our own: PRESENT, the attribute has a value; SEVERAL, it has more than one. Comparisons of
numbers are not atoms, since there may be as many constants as subscriptions (see `literals`).

Everything is worked out from the event's side. So a value added to a domain later never makes a stored
subscription stale.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sortedcontainers import SortedDict

from matching.algorithms.arrays import GrowingArray
from schema_registry.core.domains import Domain, FiniteDomain, Value
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

NEVER = 0  # the number of an atom that no event makes true
NO_SPACE = -1
NO_ATTRIBUTE = -1
PRESENT, SEVERAL = "present", "several"
_FROM_BELOW, _FROM_ABOVE = ("<", "<="), (">", ">=")


class Vocabulary:
    """Numbers for atoms, given once and never taken back."""

    def __init__(self) -> None:
        self._attributes: dict[str, _Atoms] = {}
        self._spaces: dict[tuple[str, str], int] = {}
        self._space_of = GrowingArray(np.int32, [NO_SPACE])
        self._attribute_of = GrowingArray(np.int32, [NO_ATTRIBUTE])
        self._point_of = GrowingArray(np.float64, [np.nan])

    def __len__(self) -> int:
        return len(self._space_of)

    @property
    def space_of(self) -> NDArray[np.int32]:
        """For each atom that is an equality, or "is a kind of", the number of its (attribute, operator).

        Of such atoms an event makes few true, so subscriptions are looked up by them. NO_SPACE for others.
        """
        return self._space_of.array

    @property
    def attributes(self) -> list[str]:
        """The attributes that atoms are about."""
        return list(self._attributes)

    @property
    def attribute_of(self) -> NDArray[np.int32]:
        """For each atom the position of its attribute in `attributes`."""
        return self._attribute_of.array

    @property
    def point_of(self) -> NDArray[np.float64]:
        """For each equality a point that stands for its value: a number for itself, a string for the atom.

        NaN for other atoms.
        """
        return self._point_of.array

    def number(self, attribute: str, operator: str, value: Value, *, ordered_by_value: bool = False) -> int:
        """The atom's number; a new one if it is new. O(1), for orders of strings and numbers O(log atoms)."""
        atoms = self._attributes.get(attribute)
        if atoms is None:
            atoms = self._attributes[attribute] = _Atoms(len(self._attributes))
        numbers = atoms.of_operator(operator)
        number = numbers.get(value)
        if number is None:
            number = numbers[value] = len(self._space_of)
            self._space_of.extend([self._space(attribute, operator, ordered_by_value)])
            self._attribute_of.extend([atoms.position])
            point = number if isinstance(value, str) else value
            self._point_of.extend([point if operator == "=" else np.nan])
        return number

    def present(self, attribute: str) -> int:
        return self.number(attribute, PRESENT, "")

    def several(self, attribute: str) -> int:
        return self.number(attribute, SEVERAL, "")

    def true_of(self, event: Event, schema: Schema) -> NDArray[np.int32]:
        """The numbers of the atoms that are true of the event. O(values * ancestors), plus the true ones."""
        found: list[int] = []
        for attribute, values in event.values.items():
            atoms = self._attributes.get(attribute)
            if atoms is not None:
                found.extend(atoms.true_of(values, schema.domain_of[attribute]))
        return np.array(found, np.int32)

    def _space(self, attribute: str, operator: str, ordered_by_value: bool) -> int:
        if operator == "=" or (operator in _FROM_BELOW and not ordered_by_value):
            return self._spaces.setdefault((attribute, operator), len(self._spaces))
        return NO_SPACE


class _Atoms:
    """The atoms of one attribute, by operator."""

    __slots__ = ("_by_operator", "_equal", "position")

    def __init__(self, position: int) -> None:
        self.position = position
        self._equal: dict[Value, int] = {}
        self._by_operator: dict[str, dict[Value, int]] = {"=": self._equal}

    def of_operator(self, operator: str) -> dict[Value, int]:
        numbers = self._by_operator.get(operator)
        if numbers is None:
            sorted_by_value = operator in _FROM_BELOW + _FROM_ABOVE
            numbers = self._by_operator[operator] = SortedDict() if sorted_by_value else {}
        return numbers

    def true_of(self, values: Sequence[Value], domain: Domain) -> Iterator[int]:
        for value in values:
            number = self._equal.get(value)
            if number is not None:
                yield number
        if len(self._by_operator) == 1:
            return
        for operator, numbers in self._by_operator.items():
            if operator == PRESENT or (operator == SEVERAL and len(values) > 1):
                yield from numbers.values()
            elif operator in _FROM_BELOW + _FROM_ABOVE:
                yield from _ordered(operator, numbers, values, domain)


def _ordered(
    operator: str, numbers: dict[Value, int], values: Sequence[Value], domain: Domain
) -> Iterable[int]:
    """The atoms `X operator constant` that hold for some of the values."""
    if domain.totally_ordered:
        return _beyond(operator, numbers, values)
    assert isinstance(domain, FiniteDomain)
    reached: set[Value] = set()
    if operator in _FROM_BELOW:
        for value in values:
            reached.update(domain.above(str(value)))
        if operator == "<=":
            reached.update(values)
        return [numbers[value] for value in reached if value in numbers]
    compare = domain.below if operator == ">" else domain.at_most
    return [
        number for constant, number in numbers.items() if any(compare(constant, value) for value in values)
    ]


def _beyond(operator: str, numbers: dict[Value, int], values: Sequence[Value]) -> Iterable[int]:
    """On a total order: the constants beyond the value that reaches furthest."""
    assert isinstance(numbers, SortedDict)
    if operator in _FROM_BELOW:
        reached = numbers.irange(minimum=min(values), inclusive=(operator == "<=", True))
    else:
        reached = numbers.irange(maximum=max(values), inclusive=(True, operator == ">="))
    return [numbers[constant] for constant in reached]
