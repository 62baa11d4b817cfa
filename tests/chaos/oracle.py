"""Which subscriptions an event must match, must not match, or may match (SEMANTICS, section 5).

A subscription that was acknowledged before the event's request began is matched against it as it was then.
A change that overlaps the time from there until the event was seen to be matched may count or not; one that
began later cannot. So a subscription has a few possible texts at that time, usually one: when all of them
match the event it must be matched, when none does it must not, else it may.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from math import inf

import numpy as np

from schema_registry.core.schema import Schema
from schema_registry.language import parse
from tests.chaos.history import Change, Publication

FRESH_SECONDS = 1.0


class Duty(Enum):
    MUST = "must"
    MUST_NOT = "must not"
    MAY = "may"


@dataclass(frozen=True, slots=True)
class Decision:
    """`is_sharp`: it would be the opposite without a change acknowledged just before the event was sent."""

    subscription: int
    duty: Duty
    is_sharp: bool


class Oracle:
    """Deciding an event costs one look at each subscription that is alive then."""

    def __init__(self, schema: Schema, changes: Iterable[Change]) -> None:
        self._schema = schema
        texts = {change.text for change in changes if change.text is not None}
        self._parsed = {text: parse(text, schema) for text in texts}
        self._lives = [_Life(number, each) for number, each in _by_subscription(changes).items()]
        self._births = np.array([life.begins for life in self._lives])
        self._deaths = np.array([life.ends for life in self._lives])

    def decisions(self, publication: Publication, *, matched_by: float = inf) -> Iterator[Decision]:
        """For the subscriptions that were alive or died just before; no other must or may be matched.

        `matched_by` is when the event was first seen to be matched.
        """
        sent = publication.began
        holds = self._holds_for(publication)
        for place in np.flatnonzero((self._births < matched_by) & (self._deaths + FRESH_SECONDS >= sent)):
            life = self._lives[place]
            duty = _duty({holds(text) for text in life.possible(sent, matched_by)})
            is_sharp = duty is not Duty.MAY and any(
                holds(text) == (duty is Duty.MUST_NOT) for text in life.replaced_just_before(sent)
            )
            yield Decision(life.subscription, duty, is_sharp)

    def _holds_for(self, publication: Publication) -> Callable[[str | None], bool]:
        event = self._schema.validate(publication.document)
        return cache(lambda text: text is not None and self._parsed[text].matches(event))


class _Life:
    """The changes of one subscription in order; its client made them one after another."""

    def __init__(self, subscription: int, changes: Iterable[Change]) -> None:
        self.subscription = subscription
        self._changes = sorted(changes, key=lambda change: change.began)
        self._ends = [change.ended for change in self._changes]
        assert self._ends == sorted(self._ends), "the changes of a subscription do not overlap"
        self.begins = self._changes[0].began
        self.ends = self._ends[-1] if self._changes[-1].text is None else inf

    def possible(self, since: float, until: float) -> Iterator[str | None]:
        """The texts it may have had from one time to the other; None when it was not matched."""
        place = bisect_right(self._ends, since)
        yield self._text_before(place)
        for change in self._changes[place:]:
            if change.began >= until:
                break
            yield change.text

    def replaced_just_before(self, moment: float) -> Iterator[str | None]:
        """What it was before its last change, if that was acknowledged in the second before."""
        place = bisect_right(self._ends, moment) - 1
        if place >= 0 and moment - self._ends[place] <= FRESH_SECONDS:
            yield self._text_before(place)

    def _text_before(self, place: int) -> str | None:
        return self._changes[place - 1].text if place else None


def _duty(answers: set[bool]) -> Duty:
    if len(answers) == 2:
        return Duty.MAY
    return Duty.MUST if answers == {True} else Duty.MUST_NOT


def _by_subscription(changes: Iterable[Change]) -> Mapping[int, list[Change]]:
    found: defaultdict[int, list[Change]] = defaultdict(list)
    for change in changes:
        found[change.subscription].append(change)
    return found
