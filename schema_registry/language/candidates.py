"""Values that come into question for an attribute, as bit sets: a predicate is one mask over them.

The alternatives of a subscription share most of their predicates, so each mask is made once and then only
combined. What differs between the kinds of domain is how the values below and above a constant are found;
everywhere that takes O(values / 64), or about that.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from schema_registry.core.domains import EnumeratedDomain, HierarchicalDomain, Value
from schema_registry.core.predicates import Predicate


class Candidates:
    """Some values of a domain; a set of them is an int with one bit for each."""

    everything = -1

    def __init__(self) -> None:
        self._masks: dict[int, tuple[int, Predicate]] = {}

    def bit(self, value: Value) -> int:
        """The value, or nothing if it is no candidate."""
        raise NotImplementedError

    def bits(self, values: Iterable[Value]) -> int:
        """Those of the values that are candidates."""
        found = 0
        for value in values:
            found |= self.bit(value)
        return found

    def below(self, value: Value) -> int:
        """The candidates strictly below the value, which need not be one itself."""
        raise NotImplementedError

    def above(self, value: Value) -> int:
        """The candidates strictly above the value, which need not be one itself."""
        raise NotImplementedError

    def at_most(self, value: Value) -> int:
        return self.below(value) | self.bit(value)

    def at_least(self, value: Value) -> int:
        return self.above(value) | self.bit(value)

    def any_fits(self, predicates: Iterable[Predicate]) -> bool:
        """Whether a candidate satisfies all the binding predicates."""
        left = self.everything
        for predicate in predicates:
            known = self._masks.get(id(predicate))  # hashing predicates would take longer than all the rest
            if known is None:
                known = self._masks[id(predicate)] = self._mask(predicate), predicate
            left &= known[0]
            if not left:
                return False
        return True

    def _mask(self, predicate: Predicate) -> int:
        mask = self._positive_mask(predicate.operator, predicate.values)
        return ~mask if predicate.negated else mask

    def _positive_mask(self, operator: str, values: Sequence[Value]) -> int:
        match operator:
            case "=" | "in":
                return self.bits(values)
            case "!=":
                return ~self.bits(values)
            case "<":
                return self.below(values[0])
            case "<=":
                return self.at_most(values[0])
            case ">":
                return self.above(values[0])
            case ">=":
                return self.at_least(values[0])
            case "between":
                return self.at_least(values[0]) & self.at_most(values[1])
        raise AssertionError(f"{operator} is not about one value")


class _Listed(Candidates):
    """Candidates that are listed, each with its number."""

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__()
        self.everything = (1 << len(values)) - 1
        self._numbers = {value: number for number, value in enumerate(values)}

    def bit(self, value: Value) -> int:
        number = self._numbers.get(value)
        return 0 if number is None else 1 << number


class InTotalOrder(_Listed):
    """Numbers or strings, in ascending order."""

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__(values)
        self._values = values

    def below(self, value: Value) -> int:
        return (1 << bisect_left(self._values, value)) - 1

    def above(self, value: Value) -> int:
        return self.everything & -1 << bisect_right(self._values, value)


class InHierarchy(_Listed):
    """Any values of a hierarchy, by their numbers in preorder."""

    def __init__(self, values: Iterable[Value], domain: HierarchicalDomain) -> None:
        self._span = domain.forest.span
        by_number = sorted(values, key=lambda value: self._span(str(value)))
        super().__init__(by_number)
        self._spans = [self._span(str(value)) for value in by_number]

    def below(self, value: Value) -> int:
        first, last = self._span(str(value))
        start, end = bisect_right(self._spans, (first, last)), bisect_left(self._spans, (last + 1, 0))
        return (1 << end) - (1 << start)

    def above(self, value: Value) -> int:
        number, _ = self._span(str(value))
        spans = enumerate(self._spans[: bisect_left(self._spans, (number, 0))])
        return sum(1 << place for place, (_, last) in spans if last >= number)


class OnPath(Candidates):
    """A value of a hierarchy and all that are above it: a line, on which bounds are found by bisection."""

    def __init__(self, end: Value, domain: HierarchicalDomain) -> None:
        super().__init__()
        self._span = domain.forest.span
        self._numbers, self._ends = domain.forest.spans_to(str(end))
        self.everything = (1 << len(self._numbers)) - 1

    def bit(self, value: Value) -> int:
        number, _ = self._span(str(value))
        place = bisect_left(self._numbers, number)
        return 1 << place if place < len(self._numbers) and self._numbers[place] == number else 0

    def below(self, value: Value) -> int:
        return self.everything & -2 * self.bit(value)

    def above(self, value: Value) -> int:
        number, _ = self._span(str(value))
        return (1 << min(bisect_left(self._numbers, number), bisect_right(self._ends, -number))) - 1

    def at_least(self, value: Value) -> int:
        number, _ = self._span(str(value))
        return (1 << min(bisect_right(self._numbers, number), bisect_right(self._ends, -number))) - 1


class InEnumeration(Candidates):
    """All values of an enumerated domain that are in its order or are mentioned, and those yet to come."""

    def __init__(self, domain: EnumeratedDomain) -> None:
        super().__init__()
        self._order = domain.order
        self._numbers: dict[Value, int] = {}

    def bit(self, value: Value) -> int:
        index = self._order.index
        number = index.get(str(value))
        if number is None:
            number = self._numbers.setdefault(value, len(index) + len(self._numbers))
        return 1 << number

    def below(self, value: Value) -> int:
        return self._order.bits_below(str(value))

    def above(self, value: Value) -> int:
        return self._order.bits_above(str(value))
