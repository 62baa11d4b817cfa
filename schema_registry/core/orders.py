"""The two orders a finite domain may have: a partial order from pairs, and a forest from parents.

Both are checked and prepared once, without recursion, and never change. A partial order keeps its
transitive closure as one bit set per value; a forest numbers its values in preorder, so that the
values below one are a range of numbers.
"""

from collections.abc import Iterable, Mapping

from schema_registry.core.errors import SchemaError

MAX_ORDERED_VALUES = 2_000  # the closure takes n * n bits, comparing two closures n * n steps
MAX_DEPTH = 1_000  # an event's value is compared through all its ancestors


class PartialOrder:
    """The transitive closure of pairs (lower, higher).

    Building costs O(pairs * values / 64) and raises SchemaError on a cycle; `below` costs O(values / 64).
    """

    __slots__ = ("_above", "_index")

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        higher: dict[str, set[str]] = {}
        lower: dict[str, set[str]] = {}
        for low, high in pairs:
            higher.setdefault(low, set()).add(high)
            higher.setdefault(high, set())
            lower.setdefault(high, set()).add(low)
        if len(higher) > MAX_ORDERED_VALUES:
            raise SchemaError(f"At most {MAX_ORDERED_VALUES:,} values may be put in order.")
        self._index = {value: number for number, value in enumerate(higher)}
        self._above: dict[str, int] = {}
        waiting = {value: len(above) for value, above in higher.items()}
        ready = [value for value, count in waiting.items() if count == 0]
        while ready:
            value = ready.pop()
            closure = 0
            for above in higher[value]:
                closure |= self._above[above] | 1 << self._index[above]
            self._above[value] = closure
            for below in lower.get(value, ()):
                waiting[below] -= 1
                if waiting[below] == 0:
                    ready.append(below)
        if len(self._above) < len(higher):
            stuck = next(value for value in higher if value not in self._above)
            raise SchemaError(f"The order has a cycle at or above '{stuck}'.")

    def __bool__(self) -> bool:
        return bool(self._index)

    def below(self, low: str, high: str) -> bool:
        """Whether `low` lies strictly below `high`."""
        if low not in self._index or high not in self._index:
            return False
        return self._above[low] >> self._index[high] & 1 == 1

    def above(self, value: str) -> tuple[str, ...]:
        """All values strictly above this one. O(values)."""
        bits = reversed(f"{self._above.get(value, 0):b}")
        return tuple(other for other, bit in zip(self._index, bits, strict=False) if bit == "1")

    def disagreement(self, other: "PartialOrder", values: Iterable[str]) -> tuple[str, str] | None:
        """A pair of these values that the two orders relate differently, or None. O(values squared)."""
        kept = set(values)
        for low in sorted(kept & (self._index.keys() | other._index.keys())):
            changed = kept & (set(self.above(low)) ^ set(other.above(low)))
            if changed:
                return low, min(changed)
        return None


class Forest:
    """Values under their parents; None is the parent of a root.

    Building costs O(values) and raises SchemaError on a cycle, on a parent that is no value and on a
    depth over the cap; `below` costs O(1), `above` O(depth).
    """

    __slots__ = ("_first", "_last", "parents")

    def __init__(self, parents: Mapping[str, str | None]) -> None:
        self.parents = parents
        children: dict[str | None, list[str]] = {}
        for value, parent in parents.items():
            if parent is not None and parent not in parents:
                raise SchemaError(f"The parent of '{value}', '{parent}', is not a value of the domain.")
            children.setdefault(parent, []).append(value)
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        path: list[str] = []
        open_levels = [iter(children.get(None, ()))]
        while open_levels:
            child = next(open_levels[-1], None)
            if child is None:
                open_levels.pop()
                if path:
                    self._last[path.pop()] = len(self._first) - 1
                continue
            self._first[child] = len(self._first)
            path.append(child)
            open_levels.append(iter(children.get(child, ())))
            if len(path) > MAX_DEPTH:
                raise SchemaError(f"The hierarchy is more than {MAX_DEPTH:,} levels deep at '{child}'.")
        if len(self._first) < len(parents):
            stuck = next(value for value in parents if value not in self._first)
            raise SchemaError(f"The hierarchy has a cycle at or above '{stuck}'.")

    def below(self, low: str, high: str) -> bool:
        """Whether `low` lies strictly below `high`."""
        return self._first[high] < self._first[low] <= self._last[high]

    def above(self, value: str) -> tuple[str, ...]:
        """The ancestors, the parent first."""
        found = []
        parent = self.parents[value]
        while parent is not None:
            found.append(parent)
            parent = self.parents[parent]
        return tuple(found)
