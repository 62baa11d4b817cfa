"""What the `peers-*` workloads share: the load on which other projects' matchers were compared with ours.

Attributes by popularity Zipf(0.8): a subscription constrains a few different ones, drawn one after the
other. Events carry all attributes, with values by Zipf(0.7); the k-th value in order is the k-th most
frequent.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.columns import SubscriptionColumns
from matching.workloads.assembly import Numbers, Predicates, assemble
from matching.workloads.base import EVENT, Stream, Workload, numbered, one_event_type, require
from matching.workloads.draws import Codes, Distribution, ascending_choice, draw, zipf
from schema_registry.core.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Peers(Workload):
    """`popularity` and `zipf` are the exponents for attributes and values; `values` the size of the domain,
    `predicates` the number of constrained attributes."""

    attributes: int = 20
    popularity: float = 0.8
    values: int = 200
    zipf: float = 0.7
    predicates: int = 3

    def __post_init__(self) -> None:
        require(self.values > 0, "There is at least one value.")
        require(0 < self.predicates <= self.attributes, "Each predicate has an attribute of its own.")

    @cached_property
    def schema(self) -> Schema:
        domains = {"number": {"kind": "numeric", "min": 1, "max": self.values}}
        return one_event_type(domains, dict.fromkeys(self._names, "number"), mandatory=True)

    def subscriptions(self, count: int) -> SubscriptionColumns:
        random = self._random(Stream.SUBSCRIPTIONS)
        lengths = np.full(count, self.predicates)
        attribute, present = ascending_choice(random, zipf(self.attributes, self.popularity), lengths)
        operator, values = self._constraints(random, attribute.shape)
        return assemble(
            Predicates(present=present, attribute=attribute, operator=operator, values=values),
            dict.fromkeys(self._names, self._values),
        )

    @abstractmethod
    def _constraints(
        self, random: np.random.Generator, shape: tuple[int, ...]
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Operators, and values with one more axis, whatever the attributes."""

    def _documents(self, random: np.random.Generator, count: int) -> Iterator[dict[str, Any]]:
        for codes in self._skewed(random, (count, self.attributes)):
            yield {"event_type": [EVENT], **dict(zip(self._names, self._values.of(codes), strict=True))}

    def _skewed(self, random: np.random.Generator, shape: tuple[int, ...]) -> Codes:
        return draw(random, self._distribution, shape)

    @cached_property
    def _distribution(self) -> Distribution:
        return zipf(self.values, self.zipf)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return numbered("a", self.attributes)

    @property
    def _values(self) -> Numbers:
        return Numbers(self.values, first=1)
