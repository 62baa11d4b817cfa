"""`topss`: the workloads of paper 003, section 5.1.

W0 to W3 are for matching predicates: 120 attributes, 1 to 20 predicates in a subscription, all 120
attributes in an event, and values from 1-250, 250-10,000 and 10,000-100,000. W4 is for matching
subscriptions: 10 attributes, 1 to 5 predicates, values from 1-10. The number of predicates, the attributes,
the four operators of the paper's predicate table (`=`, `!=`, `<`, `>`) and the values are uniform.

Our reading where the text leaves room: the predicates of a subscription are on different attributes (else
many would contradict each other); in W3, "a unified mixture", one attribute in three has each of the three
ranges. The schema names no bounds, since our language refuses `x < 1` where 1 is the least value, and the
paper does not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.columns import SubscriptionColumns
from matching.workloads.assembly import ABOVE, BELOW, EQUAL, UNEQUAL, Numbers, Predicates, Values, assemble
from matching.workloads.base import EVENT, Stream, Workload, numbered, one_event_type, require
from matching.workloads.draws import ascending_choice, draw_below, zipf
from schema_registry.core.schema import Schema

OPERATORS = np.array([EQUAL, UNEQUAL, BELOW, ABOVE], np.int8)


@dataclass(frozen=True, slots=True)
class Variant:
    """Number of attributes, most predicates in a subscription, the ranges that attributes take in turn."""

    attributes: int
    most_predicates: int
    ranges: tuple[tuple[int, int], ...]


SMALL, MEDIUM, BIG = (1, 250), (250, 10_000), (10_000, 100_000)
VARIANTS = {
    "W0": Variant(120, 20, (SMALL,)),
    "W1": Variant(120, 20, (MEDIUM,)),
    "W2": Variant(120, 20, (BIG,)),
    "W3": Variant(120, 20, (SMALL, MEDIUM, BIG)),
    "W4": Variant(10, 5, ((1, 10),)),
}


@dataclass(frozen=True, kw_only=True)
class Topss(Workload):
    """`variant`: W0, W1, W2, W3 or W4."""

    variant: str = "W4"

    def __post_init__(self) -> None:
        require(self.variant in VARIANTS, f"The variants are {', '.join(VARIANTS)}.")

    @cached_property
    def schema(self) -> Schema:
        attributes = dict.fromkeys(self._values_of, "number")
        return one_event_type({"number": {"kind": "numeric"}}, attributes, mandatory=True)

    def subscriptions(self, count: int) -> SubscriptionColumns:
        random = self._random(Stream.SUBSCRIPTIONS)
        variant = VARIANTS[self.variant]
        lengths = random.integers(1, variant.most_predicates + 1, count)
        attribute, present = ascending_choice(random, zipf(variant.attributes, 0), lengths)
        predicates = Predicates(
            present=present,
            attribute=attribute,
            operator=OPERATORS[random.integers(0, len(OPERATORS), attribute.shape, dtype=np.int8)],
            values=draw_below(random, self._sizes[attribute])[:, :, None],
        )
        return assemble(predicates, self._values_of)

    def _documents(self, random: np.random.Generator, count: int) -> Iterator[dict[str, Any]]:
        codes = random.integers(0, self._sizes, (count, len(self._sizes)))
        columns = [values.of(codes[:, place]) for place, values in enumerate(self._values_of.values())]
        for values in zip(*columns, strict=True):
            yield {"event_type": [EVENT], **dict(zip(self._values_of, values, strict=True))}

    @cached_property
    def _values_of(self) -> dict[str, Values]:
        variant = VARIANTS[self.variant]
        ranges = [variant.ranges[place % len(variant.ranges)] for place in range(variant.attributes)]
        names = numbered("a", variant.attributes)
        return {
            name: Numbers(last - first + 1, first) for name, (first, last) in zip(names, ranges, strict=True)
        }

    @cached_property
    def _sizes(self) -> NDArray[np.int32]:
        return np.array([values.size for values in self._values_of.values()], np.int32)
