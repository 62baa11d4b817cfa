"""Operator predicates by number, as strategies know them; a number that nothing uses is given away again."""

from collections import Counter
from collections.abc import Iterable

from schema_registry.core.operators import OperatorPredicate


class PredicateNumbers:
    """Everything is O(1) for a predicate. Equal predicates, up to the names of variables, are one."""

    def __init__(self) -> None:
        self._predicates: list[OperatorPredicate | None] = []
        self._numbers: dict[OperatorPredicate, int] = {}
        self._uses: list[int] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, number: int) -> OperatorPredicate:
        predicate = self._predicates[number]
        assert predicate is not None, number
        return predicate

    def operators(self) -> set[str]:
        """The names of those that are called. O(predicates)."""
        return {predicate.operator for predicate in self._numbers}

    def of(self, predicate: OperatorPredicate) -> int:
        """Raises KeyError."""
        return self._numbers[predicate]

    def take(self, predicate: OperatorPredicate) -> tuple[int, bool]:
        """The number of a predicate that is used once more, and whether it is new."""
        number = self._numbers.get(predicate)
        if number is not None:
            self._uses[number] += 1
            return number, False
        if self._free:
            number = self._free.pop()
            self._predicates[number], self._uses[number] = predicate, 1
        else:
            number = len(self._predicates)
            self._predicates.append(predicate)
            self._uses.append(1)
        self._numbers[predicate] = number
        return number, True

    def release(self, literals: Iterable[int]) -> None:
        """The predicates of these literals, t or ~t, are used once less."""
        for literal in literals:
            number = max(literal, ~literal)
            self._uses[number] -= 1
            if not self._uses[number]:
                del self._numbers[self[number]]
                self._predicates[number] = None
                self._free.append(number)

    def check_invariants(self, used: Iterable[Iterable[int]]) -> None:
        """Assert that these literals, conjunction by conjunction, are all that is used."""
        uses = Counter(max(literal, ~literal) for literals in used for literal in literals)
        assert {number: count for number, count in enumerate(self._uses) if count} == dict(uses)
        assert {number: each for each, number in self._numbers.items()} == {
            number: each for number, each in enumerate(self._predicates) if each is not None
        }
        assert sorted([*self._free, *self._numbers.values()]) == list(range(len(self._predicates)))
