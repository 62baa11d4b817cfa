"""`auction`: our own workload, what a site for auction items would see.

An event has one of 12 event types and 8 attributes: a category (a Zipf leaf of a tree of 5,000), a price, a
title of 8 different words, a seller, a location, a condition, one material or several, a period. A
subscription asks, each with its own probability, for a category or what lies below it, a price up to a
limit or between two, one or two title words, some locations, a condition, a seller, an event type; 5% also
say what they do not want; 5% are an `or` of two such wishes, drawn independently; 30% repeat another
subscription exactly, the r-th other with a weight of 1 / r. Subscriptions that would ask for nothing are
drawn again.

Our reading where the definition leaves room: prices are in euros with whole cents; limits are distributed
as prices are; a category is any of those at depth 2 or more on the way to the leaf, equally likely; `not`
is about a material, a period (and those before it) or a title word, equally likely; one or two words and
one to three locations are equally likely; words, of ranks 100 to 50,000, are asked for with the weight
rank ** -0.8; the shares hold for each branch of an `or`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.columns import OPERATOR_CODE, SubscriptionColumns
from matching.workloads import auction_setting as setting
from matching.workloads.assembly import (
    AT_MOST,
    BETWEEN,
    CONTAINS,
    EQUAL,
    IN,
    NO_VALUE,
    Predicates,
    assemble,
    starts,
    take,
)
from matching.workloads.base import Stream, Workload, require
from matching.workloads.draws import Codes, draw, draw_distinct, zipf
from schema_registry.core.schema import Schema

# The knob: the definition starts from 60% and asks for 20 +- 5 matches an event at a million subscriptions.
# Measured over four seeds, a million subscriptions that all have words give 13.0 matches an event, a million
# without any 28,000; at 60% the latter alone make 11,000. So nearly all have to have words:
# 0.9997 * 13.0 + 0.0003 * 28,000 = 21. With it the seeds 0 to 4 give 19.2, 22.0, 17.4, 18.6 and 18.4, with
# a standard error of about 1: `python -m matching.workloads.measuring auction --events 300 --seed 0` etc.
WORDS_SHARE = 0.9997

CATEGORY_SHARE, EVENT_TYPE_SHARE, SELLER_SHARE = 0.9, 0.3, 0.05
PRICE_LIMIT_SHARE, PRICE_BETWEEN_SHARE = 0.7, 0.1
LOCATION_SHARE, CONDITION_SHARE = 0.2, 0.15
NOT_SHARE, OR_SHARE, REPEAT_SHARE = 0.05, 0.05, 0.3
TITLE_WORDS, SEVERAL_MATERIALS_SHARE = 8, 0.2

# The places of a conjunction's predicates, in the order of the normal form.
CATEGORY, CONDITION, EVENT_TYPE, LOCATION, MATERIAL, PERIOD, PRICE, SELLER, TITLE, OTHER_TITLE = PLACES = (
    range(10)
)
ATTRIBUTE = np.array([*range(9), 8])
MOST_VALUES = 3


@dataclass(frozen=True, kw_only=True)
class Auction(Workload):
    """`words` is the share of conjunctions with title words, the one knob; `repeats` the share of repeats."""

    words: float = WORDS_SHARE
    repeats: float = REPEAT_SHARE

    def __post_init__(self) -> None:
        require(0 <= self.words <= 1, "words is a share.")
        require(0 <= self.repeats < 1, "repeats is a share below 1.")

    @cached_property
    def tree(self) -> setting.CategoryTree:
        return setting.category_tree(self._random(Stream.SETTING))

    @cached_property
    def schema(self) -> Schema:
        return setting.schema(self.tree)

    def subscriptions(self, count: int) -> SubscriptionColumns:
        random = self._random(Stream.SUBSCRIPTIONS)
        is_repeat = random.random(count) < self.repeats
        is_repeat[:1] = False
        originals = int(np.count_nonzero(~is_repeat))
        columns = self._originals(random, originals)
        if originals == count:
            return columns
        row = np.cumsum(~is_repeat) - 1
        row[is_repeat] = draw(random, zipf(originals, 1.0), count - originals)
        return take(columns, row)

    def _originals(self, random: np.random.Generator, count: int) -> SubscriptionColumns:
        branches = np.where(random.random(count) < OR_SHARE, 2, 1)
        predicates = self._conjunctions(random, int(branches.sum()))
        first = starts(branches)[:-1][branches == 2]
        same = _put_in_order(predicates, first)
        branches[np.flatnonzero(branches == 2)[same]] = 1
        kept = np.delete(np.arange(len(predicates.present)), first[same] + 1)
        return assemble(_rows(predicates, kept), setting.VALUES, branches)

    def _conjunctions(self, random: np.random.Generator, count: int) -> Predicates:
        """Conjunctions drawn independently. What does not occur is drawn too, and left out at the end."""
        present, between = self._presence(random, count)
        values = np.full((count, len(PLACES), MOST_VALUES), NO_VALUE, np.int32)
        values[:, CATEGORY, 0] = self._asked_categories(random, count)
        for place in (CONDITION, EVENT_TYPE, MATERIAL, PERIOD):
            size = list(setting.VALUES.values())[place].size
            values[:, place, 0] = random.integers(0, size, count)
        values[:, LOCATION] = _asked_locations(random, count)
        values[:, PRICE, :2] = np.sort(setting.prices(random, (count, 2)), axis=1)
        limit = ~between
        values[limit, PRICE, 0] = setting.prices(random, int(np.count_nonzero(limit)))
        values[limit, PRICE, 1] = NO_VALUE
        values[:, SELLER, 0] = draw(random, setting.SELLER_FREQUENCY, count)
        values[:, TITLE, :2], values[:, OTHER_TITLE, 0] = _asked_words(random, count)
        operator = np.full((count, len(PLACES)), EQUAL, np.int8)
        operator[:, [CATEGORY, PERIOD]] = AT_MOST
        operator[:, [EVENT_TYPE, MATERIAL, TITLE, OTHER_TITLE]] = CONTAINS
        operator[:, PRICE] = np.where(between, BETWEEN, AT_MOST)
        operator[:, LOCATION] = np.where(values[:, LOCATION, 1] == NO_VALUE, EQUAL, IN)
        negated = np.zeros((count, len(PLACES)), np.bool_)
        negated[:, [MATERIAL, PERIOD, OTHER_TITLE]] = True
        attribute = np.broadcast_to(ATTRIBUTE, present.shape)
        predicates = Predicates(present, attribute, operator, values, negated)
        _put_title_in_order(predicates)
        return predicates

    def _presence(
        self, random: np.random.Generator, count: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which predicates occur, at least one for each, and whether a price is to be between two."""
        share = np.zeros(len(PLACES))
        share[[CATEGORY, CONDITION, EVENT_TYPE]] = CATEGORY_SHARE, CONDITION_SHARE, EVENT_TYPE_SHARE
        share[[LOCATION, SELLER, TITLE]] = LOCATION_SHARE, SELLER_SHARE, self.words
        share[PRICE] = PRICE_LIMIT_SHARE + PRICE_BETWEEN_SHARE
        present = np.zeros((count, len(PLACES)), np.bool_)
        empty = np.arange(count)
        while len(empty):
            drawn = random.random((len(empty), len(PLACES))) < share
            unwanted = np.array([MATERIAL, PERIOD, OTHER_TITLE])[random.integers(0, 3, len(empty))]
            drawn[np.arange(len(empty)), unwanted] = random.random(len(empty)) < NOT_SHARE
            present[empty] = drawn
            empty = empty[~drawn.any(axis=1)]
        return present, random.random(count) < PRICE_BETWEEN_SHARE / share[PRICE]

    def _asked_categories(self, random: np.random.Generator, count: int) -> Codes:
        tree = self.tree
        category = tree.leaf[draw(random, tree.leaf_frequency, count)]
        steps_up = random.integers(0, tree.depth[category] - 1)
        while steps_up.any():
            category = np.where(steps_up > 0, tree.parent[category], category)
            steps_up = np.maximum(steps_up - 1, 0)
        return category

    def _documents(self, random: np.random.Generator, count: int) -> Iterator[dict[str, Any]]:
        tree, values = self.tree, setting.VALUES
        single: dict[str, NDArray[Any]] = {
            "category": tree.leaf[draw(random, tree.leaf_frequency, count)],
            "condition": random.integers(0, len(setting.CONDITIONS), count),
            "event_type": random.integers(0, len(setting.EVENT_TYPES), count),
            "location": draw(random, setting.LOCATION_FREQUENCY, count),
            "period": random.integers(0, len(setting.PERIODS), count),
            "price": setting.prices(random, count),
            "seller": draw(random, setting.SELLER_FREQUENCY, count),
        }
        words = draw_distinct(random, setting.WORD_FREQUENCY, count, TITLE_WORDS)
        materials = draw_distinct(random, zipf(len(setting.MATERIALS), 0), count, 3)
        several = random.random(count) < SEVERAL_MATERIALS_SHARE
        carried = np.where(several, random.integers(2, 4, count), 1)
        columns = [values[name].of(codes) for name, codes in single.items()]
        for row, of_event in enumerate(zip(*columns, strict=True)):
            document: dict[str, Any] = dict(zip(single, of_event, strict=True))
            document["title"] = " ".join(str(word) for word in values["title"].of(words[row]))
            document["material"] = values["material"].of(materials[row, : carried[row]])
            yield document


def _asked_locations(random: np.random.Generator, count: int) -> Codes:
    """One to three different ones, ascending."""
    asked = np.ascontiguousarray(draw_distinct(random, setting.LOCATION_FREQUENCY, count, MOST_VALUES))
    unused = np.arange(MOST_VALUES) >= random.integers(1, MOST_VALUES + 1, (count, 1))
    asked[unused] = len(setting.LOCATIONS)
    asked.sort(axis=1)
    asked[asked == len(setting.LOCATIONS)] = NO_VALUE
    return asked


def _asked_words(random: np.random.Generator, count: int) -> tuple[Codes, Codes]:
    """One or two words, ascending, and another one, not to occur."""
    drawn = draw_distinct(random, setting.ASKED_WORD_FREQUENCY, count, 3) + np.int32(setting.FIRST_WORD)
    wanted = np.sort(drawn[:, :2], axis=1)
    one = random.random(count) < 0.5
    wanted[one] = np.stack((drawn[one, 0], np.full(np.count_nonzero(one), NO_VALUE)), axis=1)
    return wanted, drawn[:, 2]


def _put_title_in_order(predicates: Predicates) -> None:
    """Where words are wanted and another is not, the predicate with the lower word goes first."""
    present, values, negated = predicates.present, predicates.values, predicates.negated
    assert negated is not None
    wrong = present[:, TITLE] & present[:, OTHER_TITLE]
    wrong &= values[:, OTHER_TITLE, 0] < values[:, TITLE, 0]
    rows, places, exchanged = np.flatnonzero(wrong)[:, None], [TITLE, OTHER_TITLE], [OTHER_TITLE, TITLE]
    values[rows, places] = values[rows, exchanged]
    negated[rows, places] = negated[rows, exchanged]


def _put_in_order(predicates: Predicates, first: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Exchange each of these rows with the next where the normal form asks for it.

    Tells which pairs are equal.
    """
    keys, next_keys = _sort_keys(_rows(predicates, first)), _sort_keys(_rows(predicates, first + 1))
    differs = keys != next_keys
    decisive = np.argmax(differs, axis=1)
    pair = np.arange(len(first))
    wrong = first[keys[pair, decisive] > next_keys[pair, decisive]]
    for array in (predicates.present, predicates.operator, predicates.values, predicates.negated):
        assert array is not None
        array[wrong], array[wrong + 1] = array[wrong + 1], array[wrong]
    same: NDArray[np.bool_] = ~differs.any(axis=1)
    return same


def _sort_keys(predicates: Predicates) -> NDArray[np.int32]:
    """A row of numbers for each conjunction; the language orders alternatives as these rows are ordered.

    A single predicate goes before several; else the first predicate that differs decides, by attribute,
    operator (as text), values, negation; what ends first goes first, for which nothing counts as 0.
    """
    assert predicates.negated is not None
    rank = np.argsort(np.argsort(list(OPERATOR_CODE))).astype(np.int32)
    parts = np.concatenate(
        (
            predicates.attribute[:, :, None] + 1,
            rank[predicates.operator][:, :, None] + 1,
            predicates.values + 1,
            predicates.negated[:, :, None],
        ),
        axis=2,
    )
    parts[~predicates.present] = 0
    packed_first = np.argsort(~predicates.present, axis=1, kind="stable")
    parts = np.take_along_axis(parts, packed_first[:, :, None], axis=1)
    several = np.count_nonzero(predicates.present, axis=1) > 1
    flat = parts.reshape(len(parts), parts.shape[1] * parts.shape[2])
    return np.concatenate((several[:, None], flat), axis=1).astype(np.int32)


def _rows(predicates: Predicates, rows: NDArray[np.int64]) -> Predicates:
    assert predicates.negated is not None
    return Predicates(
        present=predicates.present[rows],
        attribute=predicates.attribute[rows],
        operator=predicates.operator[rows],
        values=predicates.values[rows],
        negated=predicates.negated[rows],
    )
