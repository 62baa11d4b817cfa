"""`debs07`: overlapping subscriptions over expensive predicates, paper 001, section 5.2 and table 1.

There are N_p predicates with popularity weights, uniform in [0, 1] or Zipf. A subscription has from 3 to 5
(up to 11 in the paper) different predicates, drawn one after the other by weight. On average an event matches
0.2% of the subscriptions. The paper has 2,000 to 80,000 subscriptions, 1,000 to 40,000 predicates, 1,000
events, and Zipf exponents 0.8, 1 and 1.2.

The predicates are abstract: what counts is which are true of an event. The paper does not say how its
events come to match 0.2%; here a predicate t is true with probability s_t, its selectivity, independently
of the others, and s_t = u_t ** g with u_t uniform in (0, 1) and g such that the mean over subscriptions of
the product of their selectivities is 0.2%.

Two forms of the same data:

- `predicate_sets` and `outcomes`: plain arrays, for matchers of expensive operators, which ask for one
  predicate after the other;
- `subscriptions` and `events`, as every workload has them: an event lists its true predicates in multi-valued
  attributes, and a subscription is a conjunction of `contains`. Since an attribute takes at most 1,000
  values, the first thousand predicates share one attribute, the next thousand another.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.columns import SubscriptionColumns
from matching.workloads.assembly import CONTAINS, Names, Predicates, Values, assemble, starts
from matching.workloads.base import EVENT, Stream, Workload, numbered, require
from matching.workloads.draws import Codes, Distribution, ascending_choice, by_weight, zipf
from schema_registry.core.events import MAX_VALUES
from schema_registry.core.schema import Schema

CALIBRATION = 200_000  # subscriptions; enough to fix the matching rate to about 2%
STEPS = 40  # of halving: far below the error of the sample


@dataclass(frozen=True, slots=True)
class PredicateSets:
    """Subscriptions as sets of predicate numbers: number i has `predicate[start[i]:start[i + 1]]`, ascending.

    `selectivity[t]` is the probability that predicate t is true of an event.
    """

    start: NDArray[np.int64]
    predicate: NDArray[np.int32]
    selectivity: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.start) - 1

    def matching_probability(self) -> NDArray[np.float64]:
        """For each subscription the probability that an event matches it."""
        return np.exp(np.add.reduceat(np.log(self.selectivity)[self.predicate], self.start[:-1]))


@dataclass(frozen=True, kw_only=True)
class Debs07(Workload):
    """`predicates` is N_p; `zipf` the exponent of popularity, None for weights that are uniform in [0, 1];
    `min_length` and `max_length` bound the predicates of a subscription; `matching_rate` is ratio_match."""

    predicates: int = 40_000
    zipf: float | None = None
    min_length: int = 3
    max_length: int = 5
    matching_rate: float = 0.002

    def __post_init__(self) -> None:
        in_order = 0 < self.min_length <= self.max_length <= self.predicates
        require(in_order, "A subscription has at least one predicate, and no more than there are.")
        require(0 < self.matching_rate < 1, "matching_rate is between 0 and 1.")

    @cached_property
    def schema(self) -> Schema:
        domains = {
            name: {"kind": "enumerated", "values": list(values.names)}
            for name, values in self._values_of.items()
        }
        marks = {name: ["optional", "multiple"] for name in domains}
        attributes = {name: name for name in domains}
        return Schema.from_dict({"domains": domains, "attributes": attributes, "event_types": {EVENT: marks}})

    def predicate_sets(self, count: int) -> PredicateSets:
        """So many subscriptions, the same as those of `subscriptions`."""
        chosen, present = self._chosen(self._random(Stream.SUBSCRIPTIONS), count)
        return PredicateSets(starts(present.sum(axis=1)), chosen[present], self.selectivity)

    def outcomes(self, count: int) -> NDArray[np.bool_]:
        """For each event, the same as those of `events`, a row that says which predicates are true of it."""
        return self._outcomes(self._random(Stream.EVENTS), count)

    def subscriptions(self, count: int) -> SubscriptionColumns:
        chosen, present = self._chosen(self._random(Stream.SUBSCRIPTIONS), count)
        attribute, value = np.divmod(chosen, MAX_VALUES)
        predicates = Predicates(
            present=present,
            attribute=attribute,
            operator=np.full(chosen.shape, CONTAINS, np.int8),
            values=value[:, :, None],
        )
        values_of: dict[str, Values] = {**self._values_of}
        return assemble(predicates, values_of)

    def _documents(self, random: np.random.Generator, count: int) -> Iterator[dict[str, Any]]:
        for _ in range(count):  # a row at a time draws the same numbers as all rows at once
            true = self._outcomes(random, 1)[0]
            document: dict[str, Any] = {"event_type": [EVENT]}
            for place, (name, values) in enumerate(self._values_of.items()):
                block = true[place * MAX_VALUES : (place + 1) * MAX_VALUES]
                document[name] = values.of(np.flatnonzero(block))
            yield document

    def _outcomes(self, random: np.random.Generator, count: int) -> NDArray[np.bool_]:
        return random.random((count, self.predicates)) < self.selectivity

    def _chosen(self, random: np.random.Generator, count: int) -> tuple[Codes, NDArray[np.bool_]]:
        lengths = random.integers(self.min_length, self.max_length, count, endpoint=True)
        return ascending_choice(random, self._popularity, lengths)

    @property
    def _popularity(self) -> Distribution:
        return self._setting[0]

    @property
    def selectivity(self) -> NDArray[np.float64]:
        """The probability of each predicate to be true of an event."""
        return self._setting[1]

    @cached_property
    def _setting(self) -> tuple[Distribution, NDArray[np.float64]]:
        """Popularity and selectivity of the predicates."""
        random = self._random(Stream.SETTING)
        uniform = by_weight(random.random(self.predicates))
        popularity = uniform if self.zipf is None else zipf(self.predicates, self.zipf)
        logarithm = np.log1p(-random.random(self.predicates))  # of 1 - u, which is never 0
        lengths = random.integers(self.min_length, self.max_length, CALIBRATION, endpoint=True)
        chosen, present = ascending_choice(random, popularity, lengths)
        of_subscriptions = np.where(present, logarithm[chosen], 0).sum(axis=1)
        return popularity, np.exp(logarithm * _exponent(of_subscriptions, self.matching_rate))

    @cached_property
    def _values_of(self) -> dict[str, Names]:
        """The names of the predicates, a thousand to an attribute."""
        all_names = numbered("p", self.predicates, first=0)
        blocks = [all_names[first : first + MAX_VALUES] for first in range(0, self.predicates, MAX_VALUES)]
        attributes = numbered("true_", len(blocks), first=0)
        return {name: Names(block) for name, block in zip(attributes, blocks, strict=True)}


def _exponent(logarithms: NDArray[np.float64], mean: float) -> float:
    """The g for which the mean of exp(g * logarithm) is this one; the logarithms are negative."""
    low, high = 0.0, 1.0
    while np.exp(high * logarithms).mean() > mean:
        high *= 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        if np.exp(middle * logarithms).mean() > mean:
            low = middle
        else:
            high = middle
    return (low + high) / 2
