"""The two orders a finite domain may have: a partial order from pairs, and a forest from parents.

Both are checked and prepared once, without recursion, and never change. A partial order keeps its
transitive closure as two bit sets per value; a forest numbers its values in preorder, so that the
values below one are a range of numbers.
"""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from schema_registry.core.errors import SchemaError
from schema_registry.core.sentences import gettext as _

MAX_ORDERED_VALUES = 2_000  # the closure takes n * n bits
MAX_DEPTH = 1_000  # an event's value is compared through all its ancestors


class PartialOrder:
    """The transitive closure of pairs (lower, higher).

    `index` numbers the values that are in some pair: the bits of `bits_above` and `bits_below`. Building
    costs O(pairs * values / 64) and raises SchemaError on a cycle; `below` costs O(values / 64).
    """

    __slots__ = ("_above", "_below", "_pairs", "index")

    def __init__(self, pairs: Collection[tuple[str, str]], index: Mapping[str, int] | None = None) -> None:
        higher: dict[str, set[str]] = {}
        lower: dict[str, set[str]] = {}
        for low, high in pairs:
            higher.setdefault(low, set()).add(high)
            higher.setdefault(high, set())
            lower.setdefault(high, set()).add(low)
        if len(higher) > MAX_ORDERED_VALUES:
            raise SchemaError(_("At most {most:,} values may be put in order.", most=MAX_ORDERED_VALUES))
        self._pairs = pairs
        self.index = index or MappingProxyType({value: number for number, value in enumerate(higher)})
        self._above: dict[str, int] = {}
        waiting = {value: len(above) for value, above in higher.items()}
        ready = [value for value, count in waiting.items() if count == 0]
        while ready:
            value = ready.pop()
            self._above[value] = _union(higher[value], self._above, self.index)
            for below in lower.get(value, ()):
                waiting[below] -= 1
                if waiting[below] == 0:
                    ready.append(below)
        if len(self._above) < len(higher):
            stuck = next(value for value in higher if value not in self._above)
            raise SchemaError(_("The order has a cycle at or above '{value}'.", value=stuck))
        self._below: dict[str, int] = {}
        for value in reversed(self._above):
            self._below[value] = _union(lower.get(value, ()), self._below, self.index)

    def __bool__(self) -> bool:
        return bool(self._above)

    def below(self, low: str, high: str) -> bool:
        """Whether `low` lies strictly below `high`."""
        return high in self._above and self.bits_above(low) >> self.index[high] & 1 == 1

    def bits_above(self, value: str) -> int:
        """The values strictly above this one, as bits numbered by `index`."""
        return self._above.get(value, 0)

    def bits_below(self, value: str) -> int:
        """The values strictly below this one, as bits numbered by `index`."""
        return self._below.get(value, 0)

    def above(self, value: str) -> tuple[str, ...]:
        """All values strictly above this one. O(values)."""
        bits = reversed(f"{self.bits_above(value):b}")
        return tuple(other for other, bit in zip(self.index, bits, strict=False) if bit == "1")

    def disagreement(self, other: "PartialOrder", values: Collection[str]) -> tuple[str, str] | None:
        """A pair of these values that the two orders relate differently, or None. Costs as building one."""
        common = {value: number for number, value in enumerate({**self.index, **other.index})}
        renumbered = PartialOrder(other._pairs, common)  # the numbers of `self` come first in `common`
        kept = sorted(value for value in common if value in values)
        mask = sum(1 << common[value] for value in kept)
        for low in kept:
            if changed := (self.bits_above(low) ^ renumbered.bits_above(low)) & mask:
                return low, next(high for high in kept if changed >> common[high] & 1)
        return None


def _union(values: Iterable[str], closures: Mapping[str, int], index: Mapping[str, int]) -> int:
    """The values and everything in their closures, as bits."""
    bits = 0
    for value in values:
        bits |= closures[value] | 1 << index[value]
    return bits


class Forest:
    """Values under their parents; None is the parent of a root.

    Building costs O(values) and raises SchemaError on a cycle, on a parent that is no value and on a
    depth over the cap; `below` costs O(1), `above` O(depth).
    """

    __slots__ = ("_last", "_number", "_parents", "_upper", "parents")

    def __init__(self, parents: Mapping[str, str | None]) -> None:
        self._parents = parents
        self.parents = MappingProxyType(parents)
        children: dict[str | None, list[str]] = {}
        for value, parent in parents.items():
            if parent is not None and parent not in parents:
                message = _(
                    "The parent of '{value}', '{parent}', is not a value of the domain.",
                    value=value,
                    parent=parent,
                )
                raise SchemaError(message)
            children.setdefault(parent, []).append(value)
        self._number: dict[str, int] = {}  # in preorder
        self._upper: list[int] = []  # by number, the number of the parent; -1 for a root
        self._last: list[int] = []  # by number, the last number below it
        path: list[int] = []
        open_levels = [iter(children.get(None, ()))]
        while open_levels:
            child = next(open_levels[-1], None)
            if child is None:
                open_levels.pop()
                if path:
                    self._last[path.pop()] = len(self._number) - 1
                continue
            number = self._number[child] = len(self._number)
            self._upper.append(path[-1] if path else -1)
            self._last.append(number)
            path.append(number)
            open_levels.append(iter(children.get(child, ())))
            if len(path) > MAX_DEPTH:
                message = _(
                    "The hierarchy is more than {most:,} levels deep at '{value}'.",
                    most=MAX_DEPTH,
                    value=child,
                )
                raise SchemaError(message)
        if len(self._number) < len(parents):
            stuck = next(value for value in parents if value not in self._number)
            raise SchemaError(_("The hierarchy has a cycle at or above '{value}'.", value=stuck))

    def below(self, low: str, high: str) -> bool:
        """Whether `low` lies strictly below `high`."""
        upper = self._number[high]
        return upper < self._number[low] <= self._last[upper]

    def span(self, value: str) -> tuple[int, int]:
        """The number of the value in preorder, and the last number below it."""
        number = self._number[value]
        return number, self._last[number]

    def spans_to(self, value: str) -> tuple[list[int], list[int]]:
        """The spans on the path from the root to the value: the numbers, and the last ones with a minus.

        Both lists are ascending, so that they can be searched by bisection.
        """
        numbers = []
        number = self._number[value]
        while number >= 0:
            numbers.append(number)
            number = self._upper[number]
        numbers.reverse()
        return numbers, [-self._last[number] for number in numbers]

    def above(self, value: str) -> tuple[str, ...]:
        """The ancestors, the parent first."""
        found = []
        parent = self._parents[value]
        while parent is not None:
            found.append(parent)
            parent = self._parents[parent]
        return tuple(found)
