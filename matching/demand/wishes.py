"""What a person's searches ask for, read from their compiled conjunctions (see `matching.stored`).

Only what is asked for counts: what somebody wants left out is no demand. `not price > 100` is stored as
`price <= 100`, and counts as that.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from matching.demand import price_steps
from matching.stored import Compiled, predicates_of
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, HierarchicalDomain, NumericDomain, TextDomain
from schema_registry.core.schema import Schema

Place = tuple[str, str]  # an attribute over a tree, or `event_type`, and one of its values
Ranged = tuple[Place | None, str]  # the attribute of a number, within a category or in all of them

# Those by which somebody asks for a value or what is below it. The others ask for what is above it.
_NAMES_VALUES = frozenset({"=", "in", "contains", "<", "<="})
# One person's searches are read up to here: far beyond what people have, and a bound for what we keep.
MOST_WISHES = 2_000


@dataclass(slots=True)
class Wishes:
    """Of one person: the categories and words they ask for, and the ranges of numbers, as bits."""

    places: set[Place] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    ranges: defaultdict[Ranged, int] = field(default_factory=lambda: defaultdict(int))

    def are_enough(self) -> bool:
        return len(self.places) + len(self.words) + len(self.ranges) > MOST_WISHES


class WishReader:
    """Reads conjunctions under one version of the schema. Values it does not know are passed over."""

    def __init__(self, schema: Schema) -> None:
        domains = schema.domain_of
        self._texts = {name for name, domain in domains.items() if isinstance(domain, TextDomain)}
        self._numbers = {
            name: price_steps.between(domain.low, domain.high)
            for name, domain in domains.items()
            if isinstance(domain, NumericDomain)
        }
        self._trees: dict[str, Domain] = {
            name: domain
            for name, domain in domains.items()
            if isinstance(domain, HierarchicalDomain) or name == EVENT_TYPE
        }
        self._lines: dict[Place, tuple[Place, ...]] = {}

    def read(self, compiled: Compiled, wishes: Wishes) -> None:
        """Add what one subscription asks for by plain predicates. O(predicates)."""
        for conjunction in compiled:
            if wishes.are_enough():
                return
            places: list[Place] = []
            limits: dict[str, int] = {}
            for attribute, operator, values, negated in predicates_of(conjunction):
                if negated:
                    continue
                if attribute in self._texts:
                    if operator == "contains":
                        wishes.words.update(values)
                elif attribute in self._trees:
                    if operator in _NAMES_VALUES:
                        places += ((attribute, value) for value in values if self.line((attribute, value)))
                elif attribute in self._numbers:
                    before = limits.get(attribute, price_steps.EVERYTHING)
                    limits[attribute] = before & price_steps.asked_for(operator, values)
            wishes.places.update(places)
            for attribute, ranges in self._limited(limits):
                for place in (None, *places):
                    wishes.ranges[place, attribute] |= ranges

    def _limited(self, limits: dict[str, int]) -> Iterator[tuple[str, int]]:
        """Those who name no limit, as by `!=`, say nothing about numbers."""
        for attribute, asked in limits.items():
            if asked != price_steps.EVERYTHING and (ranges := asked & self._numbers[attribute]):
                yield attribute, ranges

    def line(self, place: Place) -> tuple[Place, ...]:
        """The category itself and all above it; empty if there is no such value. O(1) the second time."""
        known = self._lines.get(place)
        if known is None:
            known = self._lines[place] = tuple(self._upwards(place))
        return known

    def _upwards(self, place: Place) -> Iterator[Place]:
        attribute, value = place
        domain = self._trees[attribute]
        if isinstance(domain, HierarchicalDomain):
            if value in domain.identifiers():
                yield place
                yield from ((attribute, above) for above in domain.above(value))
        elif value in domain.identifiers():  # type: ignore[attr-defined] # event types are a list
            yield place
