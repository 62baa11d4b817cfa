"""The values of a domain as people look through them: level by level, or by what they type.

An index is made once per domain, on first use. A tree of 200,000 values is then read a screenful at a time.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, FiniteDomain, HierarchicalDomain
from schema_registry.core.schema import Schema
from schema_registry.name_search import NameSearch


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value and how it is shown.

    `path` has the labels above it, empty at the top; `below` counts all values under it, at any depth.
    """

    identifier: str
    label: str
    path: str = ""
    below: int = 0
    deprecated: bool = False


class ValueIndex:
    """Building costs O(values), and as much again the first time that something is looked for."""

    __slots__ = ("_children", "_labels", "_search")

    def __init__(self, domain: FiniteDomain) -> None:
        self._children: dict[str | None, list[str]] = {}
        for value in domain.identifiers():
            self._children.setdefault(_parent(domain, value), []).append(value)
        self._labels = domain.labels or {}  # the domain itself would be kept alive by its index
        self._search: NameSearch | None = None

    def children(self, value: str | None) -> Sequence[str]:
        """The values right below this one, in the order they were given; the roots below None."""
        return self._children.get(value, ())

    def hits(self, typed: str, *, most: int, without: Collection[str] = ()) -> list[str]:
        """The values with this in their label or identifier; equally good ones from the top of the tree."""
        if self._search is None:
            self._search = NameSearch(self._names())
        return self._search.hits(typed, most=most, without=without)

    def _names(self) -> Iterator[tuple[str, str]]:
        for value in self._by_level():
            for name in dict.fromkeys((self._labels.get(value, value), value)):
                yield name, value

    def _by_level(self) -> Iterator[str]:
        level: Sequence[str] = self.children(None)
        while level:
            yield from level
            level = [child for value in level for child in self.children(value)]


_indexes: WeakKeyDictionary[Domain, ValueIndex] = WeakKeyDictionary()


def index_of(domain: FiniteDomain) -> ValueIndex:
    index = _indexes.get(domain)
    if index is None:
        index = _indexes[domain] = ValueIndex(domain)
    return index


def domain_named(schema: Schema, name: str) -> Domain | None:
    """The domain of this name; the event types are one too, as the domain `event_type`."""
    return schema.domain_of[EVENT_TYPE] if name == EVENT_TYPE else schema.domains.get(name)


def deprecated_values(schema: Schema, domain: str) -> frozenset[str]:
    if domain == EVENT_TYPE:
        return schema.deprecated.event_types
    return schema.deprecated.values.get(domain, frozenset())


def named_values(schema: Schema, domain: str, identifiers: Iterable[str]) -> list[NamedValue]:
    """These values as they are shown: what the tree picker takes. What is no value is shown as it is."""
    found, deprecated = domain_named(schema, domain), deprecated_values(schema, domain)
    named = []
    for value in identifiers:
        if isinstance(found, FiniteDomain) and value in found.identifiers():
            path, below = path_above(found, value), count_below(found, value)
            named.append(NamedValue(value, found.label(value), path, below, value in deprecated))
        else:
            named.append(NamedValue(value, value))
    return named


def path_above(domain: FiniteDomain, value: str) -> str:
    """The labels of what is above a value in a hierarchy, from the root down; empty elsewhere."""
    parent = _parent(domain, value)
    return "" if parent is None else domain.path(parent)


def count_below(domain: FiniteDomain, value: str) -> int:
    """How many values a hierarchy has below this one. O(1)."""
    if not isinstance(domain, HierarchicalDomain):
        return 0
    first, last = domain.forest.span(value)
    return last - first


def _parent(domain: FiniteDomain, value: str) -> str | None:
    return domain.forest.parents[value] if isinstance(domain, HierarchicalDomain) else None
