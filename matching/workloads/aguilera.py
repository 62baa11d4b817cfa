"""`aguilera`: the simulation of paper 000 (Gryphon), equality tests only.

The paper's scheme: attributes of falling popularity, where popularity is the probability that a
subscription tests the attribute rather than not caring; test values by a Zipf distribution; events with
uniform values. Its numbers are lost in our copy, so **these are ours**: 10 attributes, 5 values, the i-th
attribute (from 0) tested with probability 0.98 * 0.85 ** i, Zipf exponent 1, 3 index attributes (for
matchers that factor by them). A subscription that would test nothing is drawn again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.columns import SubscriptionColumns
from matching.workloads.assembly import EQUAL, Names, Predicates, assemble
from matching.workloads.base import EVENT, Stream, Workload, numbered, one_event_type, require
from matching.workloads.draws import draw, zipf
from schema_registry.core.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Aguilera(Workload):
    """`attributes` is the paper's K, `values` its V; `popularity` is that of the first attribute,
    `degradation` the factor from one attribute to the next; `zipf` is the exponent for test values."""

    attributes: int = 10
    values: int = 5
    popularity: float = 0.98
    degradation: float = 0.85
    zipf: float = 1.0
    index_attributes: int = 3

    def __post_init__(self) -> None:
        require(self.attributes > 0 and self.values > 0, "There is at least one attribute and one value.")
        require(0 < self.popularity <= 1, "popularity is a probability, and not 0.")
        require(0 <= self.degradation <= 1, "degradation is between 0 and 1.")
        require(0 <= self.index_attributes <= self.attributes, "Index attributes are some of the attributes.")

    @cached_property
    def schema(self) -> Schema:
        domains = {"value": {"kind": "enumerated", "values": list(self._values.names)}}
        return one_event_type(domains, dict.fromkeys(self._names, "value"), mandatory=True)

    @property
    def index_names(self) -> tuple[str, ...]:
        """The attributes to factor by: the most popular ones."""
        return self._names[: self.index_attributes]

    @property
    def popularities(self) -> NDArray[np.float64]:
        """The probability of each attribute to be tested."""
        return self.popularity * np.power(self.degradation, np.arange(self.attributes, dtype=np.float64))

    def subscriptions(self, count: int) -> SubscriptionColumns:
        random = self._random(Stream.SUBSCRIPTIONS)
        shape = (count, self.attributes)
        predicates = Predicates(
            present=self._tested(random, count),
            attribute=np.broadcast_to(np.arange(self.attributes), shape),
            operator=np.full(shape, EQUAL, np.int8),
            values=draw(random, zipf(self.values, self.zipf), shape)[:, :, None],
        )
        return assemble(predicates, dict.fromkeys(self._names, self._values))

    def _tested(self, random: np.random.Generator, count: int) -> NDArray[np.bool_]:
        tested = np.zeros((count, self.attributes), np.bool_)
        empty = np.arange(count)
        while len(empty):
            tested[empty] = random.random((len(empty), self.attributes)) < self.popularities
            empty = empty[~tested[empty].any(axis=1)]
        return tested

    def _documents(self, random: np.random.Generator, count: int) -> Iterator[dict[str, Any]]:
        for codes in random.integers(0, self.values, (count, self.attributes)):
            yield {"event_type": [EVENT], **dict(zip(self._names, self._values.of(codes), strict=True))}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return numbered("a", self.attributes)

    @cached_property
    def _values(self) -> Names:
        return Names(numbered("v", self.values))
