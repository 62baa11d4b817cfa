"""`dexin`: the workload of paper 004, section 4 and table 1.

Every subscription constrains all M attributes, every event carries them. Values lie on `cardinality` (eta)
points of [0, 1). A constraint is a point (`=`) with probability `point_share` (lambda), else a range of the
width theta: its low value is drawn from [0, 1 - theta], its high value is theta above. N is the number
asked for. The defaults are those of most experiments: M = 10, eta = 10,000, lambda = 10%, theta random in
[0.2, 0.8].

With a matching rate xi (section 4.1.7), 1 / xi events are drawn first, and subscriptions are made for each of
them in turn: on one attribute, chosen at random, the constraint covers the value of that event alone, on
the others at least that value. So each of these events, of which `events` then draws, matches xi of all.

Our reading where the text leaves room: lambda and theta are drawn anew for every constraint; in a Zipf
distribution the low values are the frequent ones, so that skew crowds subscriptions and events into one
area of the index; "covers the value alone" means that no other of the events drawn first has a value in it,
for which these have different values on every attribute.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import log10
from typing import Any

import numpy as np

from matching.algorithms.columns import SubscriptionColumns
from matching.workloads.assembly import BETWEEN, EQUAL, NO_VALUE, Numbers, Predicates, assemble
from matching.workloads.base import EVENT, Stream, Workload, numbered, one_event_type, require
from matching.workloads.draws import Codes, Distribution, draw, draw_below, draw_up_to, zipf
from schema_registry.core.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Dexin(Workload):
    """`attributes` is M, `cardinality` eta, `point_share` lambda, `matching_rate` xi (1 / xi is rounded);
    `min_width` and `max_width` bound theta; `zipf` is the exponent, 0 for the uniform distribution."""

    attributes: int = 10
    cardinality: int = 10_000
    point_share: float = 0.1
    min_width: float = 0.2
    max_width: float = 0.8
    zipf: float = 0.0
    matching_rate: float | None = None

    def __post_init__(self) -> None:
        require(self.attributes > 0, "There is at least one attribute.")
        power = log10(self.cardinality) if self.cardinality > 1 else 0.5
        require(power.is_integer(), "cardinality is a power of 10, so that the values are decimals.")
        require(0 <= self.point_share <= 1, "point_share is between 0 and 1.")
        require(
            0 <= self.min_width <= self.max_width < 1, "Widths are at least 0 and below 1, the less first."
        )
        if self.matching_rate is not None:
            require(0 < self.matching_rate <= 1, "matching_rate is above 0 and at most 1.")
            require(
                self._patterns <= self.cardinality,
                f"The {self._patterns:,} events that a matching rate of {self.matching_rate} needs"
                f" cannot all differ with {self.cardinality:,} values.",
            )

    @cached_property
    def schema(self) -> Schema:
        domains = {"unit": {"kind": "numeric", "min": 0, "max": 1}}
        return one_event_type(domains, dict.fromkeys(self._names, "unit"), mandatory=True)

    def subscriptions(self, count: int) -> SubscriptionColumns:
        random = self._random(Stream.SUBSCRIPTIONS)
        width = self._widths(random, (count, self.attributes))
        low, high = self._free(random, width) if self.matching_rate is None else self._fitted(random, width)
        point = low == high
        high[point] = NO_VALUE
        predicates = Predicates(
            present=np.ones(point.shape, np.bool_),
            attribute=np.broadcast_to(np.arange(self.attributes), point.shape),
            operator=np.where(point, EQUAL, BETWEEN).astype(np.int8),
            values=np.stack((low, high), axis=2),
        )
        return assemble(predicates, dict.fromkeys(self._names, self._values))

    def _widths(self, random: np.random.Generator, shape: tuple[int, int]) -> Codes:
        """Widths in steps from one value to the next; a point has none."""
        widths = np.rint(random.uniform(self.min_width, self.max_width, shape) * self.cardinality)
        widths = np.clip(widths, 1, self.cardinality - 1)
        return np.where(random.random(shape) < self.point_share, 0, widths).astype(np.int32)

    def _free(self, random: np.random.Generator, width: Codes) -> tuple[Codes, Codes]:
        """The bounds of constraints wherever they fall."""
        low = draw_up_to(random, self._distribution, self.cardinality - 1 - width)
        return low, low + width

    def _fitted(self, random: np.random.Generator, width: Codes) -> tuple[Codes, Codes]:
        """The bounds of constraints round the values of an event; on one attribute round that value alone."""
        row = np.arange(len(width))
        pattern = row % self._patterns
        value = self._pattern_events[pattern]
        least, most = np.maximum(value - width, 0), np.minimum(value, self.cardinality - 1 - width)
        low = least + draw_below(random, most - least + 1)
        high = low + width
        alone = random.integers(0, self.attributes, len(width))
        own, is_range = value[row, alone], width[row, alone] > 0
        before, after = (neighbour[pattern, alone] for neighbour in self._neighbours)
        low[row, alone] = own - is_range * draw_below(random, own - before)
        high[row, alone] = own + is_range * draw_below(random, after - own)
        return low, high

    def _documents(self, random: np.random.Generator, count: int) -> Iterator[dict[str, Any]]:
        if self.matching_rate is None:
            codes = draw(random, self._distribution, (count, self.attributes))
        else:
            codes = self._pattern_events[random.integers(0, self._patterns, count)]
        for row in codes:
            yield {"event_type": [EVENT], **dict(zip(self._names, self._values.of(row), strict=True))}

    @property
    def _patterns(self) -> int:
        """How many events are drawn first."""
        assert self.matching_rate is not None
        return round(1 / self.matching_rate)

    @cached_property
    def _pattern_events(self) -> Codes:
        """The events drawn first, a row each; on every attribute they have different values."""
        random = self._random(Stream.SETTING)
        weights = np.diff(self._distribution, prepend=0)
        drawn = [
            random.choice(self.cardinality, self._patterns, replace=False, p=weights)
            for _ in range(self.attributes)
        ]
        return np.stack(drawn, axis=1).astype(np.int32)

    @cached_property
    def _neighbours(self) -> tuple[Codes, Codes]:
        """On each attribute the nearest lower and the nearest higher value of another event drawn first."""
        order = np.argsort(self._pattern_events, axis=0)
        ascending = np.take_along_axis(self._pattern_events, order, axis=0)
        edge = np.ones((1, self.attributes), np.int32)
        before, after = np.empty_like(ascending), np.empty_like(ascending)
        np.put_along_axis(before, order, np.concatenate((-edge, ascending[:-1])), axis=0)
        np.put_along_axis(after, order, np.concatenate((ascending[1:], edge * self.cardinality)), axis=0)
        return before, after

    @cached_property
    def _distribution(self) -> Distribution:
        return zipf(self.cardinality, self.zipf)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return numbered("a", self.attributes)

    @property
    def _values(self) -> Numbers:
        return Numbers(self.cardinality, per_unit=self.cardinality)
