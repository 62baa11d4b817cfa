"""Which literals a conjunction has, and which conjunctions a literal: the two hash tables of paper 001, 5.1.

The graph is there twice, so that both directions are looked up in constant time.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Literals = tuple[int, ...]


class ConjunctionGraph:
    """Conjunctions come in the order in which they were added. Adding and removing are O(literals)."""

    def __init__(self) -> None:
        self._literals: dict[int, Literals] = {}
        self._numbers: dict[int, dict[int, None]] = {}

    def __len__(self) -> int:
        return len(self._literals)

    def __iter__(self) -> Iterator[int]:
        return iter(self._literals)

    def __contains__(self, number: int) -> bool:
        return number in self._literals

    def __getitem__(self, number: int) -> Literals:
        return self._literals[number]

    @property
    def literals(self) -> Iterable[int]:
        """Those that some conjunction has."""
        return self._numbers.keys()

    def having(self, literal: int) -> dict[int, None]:
        """The conjunctions that have this literal, as the keys."""
        return self._numbers.get(literal, {})

    def add(self, number: int, literals: Iterable[int]) -> Literals:
        """Each literal counts once. A known number must be removed before."""
        assert number not in self._literals
        distinct = tuple(dict.fromkeys(literals))
        self._literals[number] = distinct
        for literal in distinct:
            self._numbers.setdefault(literal, {})[number] = None
        return distinct

    def remove(self, number: int) -> Literals:
        """Raises KeyError."""
        literals = self._literals.pop(number)
        for literal in literals:
            numbers = self._numbers[literal]
            del numbers[number]
            if not numbers:
                del self._numbers[literal]
        return literals

    def load(self, numbers: NDArray[np.int64], start: NDArray[np.int64], literals: NDArray[np.int64]) -> None:
        """Number k, which must be new, has literals[start[k]:start[k + 1]]."""
        flat, bounds = literals.tolist(), start.tolist()
        for place, number in enumerate(numbers.tolist()):
            self.add(number, flat[bounds[place] : bounds[place + 1]])

    def part(self, numbers: Iterable[int]) -> "ConjunctionGraph":
        """The graph of these alone, in their order. O(their literals). Raises KeyError."""
        part = ConjunctionGraph()
        for number in numbers:
            part.add(number, self._literals[number])
        return part

    def check_invariants(self) -> None:
        ways = {(number, literal) for number, literals in self._literals.items() for literal in literals}
        back = {(number, literal) for literal, numbers in self._numbers.items() for number in numbers}
        assert ways == back, ways ^ back
        assert all(self._numbers.values()), "a literal that nothing has"
