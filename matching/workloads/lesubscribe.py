"""`lesubscribe`: the simulated load of paper 002, section 4.

Six optional attributes: three strings with 200 values, in equality predicates only, and three numbers with
5,000 values. An attribute occurs in a subscription with probability 0.5, and in an event with probability
0.5. A predicate on a number is an equality with probability `p`, else `<=` or `>=`, either as likely; all
values are uniform. Subscriptions without any predicate are dropped, so all 63 sets of attributes are
equally likely.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from matching.algorithms.columns import SubscriptionColumns
from matching.workloads.assembly import AT_LEAST, AT_MOST, EQUAL, Names, Numbers, Predicates, Values, assemble
from matching.workloads.base import EVENT, Stream, Workload, numbered, one_event_type, require
from matching.workloads.draws import Codes
from schema_registry.core.schema import Schema

OF_A_KIND = 3
STRINGS, NUMBERS = 200, 5_000
NUMERIC = numbered("number_", OF_A_KIND)
STRING = numbered("string_", OF_A_KIND)
VALUES: dict[str, Values] = {
    **dict.fromkeys(NUMERIC, Numbers(NUMBERS, first=1)),
    **dict.fromkeys(STRING, Names(numbered("value", STRINGS))),
}


@dataclass(frozen=True, kw_only=True)
class LeSubscribe(Workload):
    """`p`: the probability that a predicate on a number is an equality."""

    p: float = 0.5

    def __post_init__(self) -> None:
        require(0 <= self.p <= 1, "p is a probability.")

    @cached_property
    def schema(self) -> Schema:
        return one_event_type(
            {"number": {"kind": "numeric", "min": 1, "max": NUMBERS}, "string": {"kind": "string"}},
            {**dict.fromkeys(NUMERIC, "number"), **dict.fromkeys(STRING, "string")},
        )

    def subscriptions(self, count: int) -> SubscriptionColumns:
        random = self._random(Stream.SUBSCRIPTIONS)
        attribute_sets = random.integers(1, 1 << len(VALUES), count)
        present = (attribute_sets[:, None] >> np.arange(len(VALUES)) & 1).astype(np.bool_)
        shape = (count, OF_A_KIND)
        inequality = np.where(random.random(shape) < 0.5, AT_MOST, AT_LEAST)
        operator = np.full((count, len(VALUES)), EQUAL, np.int8)
        operator[:, :OF_A_KIND] = np.where(random.random(shape) < self.p, EQUAL, inequality)
        predicates = Predicates(
            present=present,
            attribute=np.broadcast_to(np.arange(len(VALUES)), present.shape),
            operator=operator,
            values=self._values(random, count)[:, :, None],
        )
        return assemble(predicates, VALUES)

    def _documents(self, random: np.random.Generator, count: int) -> Iterator[dict[str, Any]]:
        present = random.random((count, len(VALUES))) < 0.5
        codes = self._values(random, count)
        columns = [values.of(codes[:, place]) for place, values in enumerate(VALUES.values())]
        for row, values in enumerate(zip(*columns, strict=True)):
            carried = zip(VALUES, values, present[row].tolist(), strict=True)
            yield {"event_type": [EVENT], **{name: value for name, value, there in carried if there}}

    def _values(self, random: np.random.Generator, count: int) -> Codes:
        sizes = [values.size for values in VALUES.values()]
        return random.integers(0, sizes, (count, len(sizes)), dtype=np.int32)
