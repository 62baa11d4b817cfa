"""From matches to messages: what is told on which channel, together with what, and when. Pure.

What an item matched on a channel is told there once, in one message, at the quickest frequency that one of
its subscriptions asks for: a *telling*. Tellings at once are deliveries of their own; those of one digest
share one. Nothing is lost on the way: each candidate is in exactly one telling, unless its item was told
before and none of its subscriptions wants to hear of the change.

A plan costs some 6 us for each candidate.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from notifications.core.policy import (
    Frequency,
    Hours,
    Revisions,
    is_told_again,
    next_slot,
    not_quiet,
    quickest,
)

Day = tuple[str, date]  # an address, and a day of its owner's
Key = tuple[int, str]  # a channel, and what makes a delivery of it that delivery
_CAPPED = (Frequency.AT_ONCE, Frequency.HOURLY)  # more of the others than one a day there cannot be


@dataclass(frozen=True, slots=True)
class Recipient:
    """A channel, and its owner's wishes. Daily and weekly digests do not count as messages of the day."""

    channel: int
    address: str
    most_per_day: int | None
    hours: Hours


@dataclass(frozen=True, slots=True)
class Candidate:
    """A match that may be told on a channel, and on which terms."""

    match: int
    event: int
    recipient: Recipient
    frequency: Frequency = Frequency.AT_ONCE
    revisions: Revisions = Revisions.ONCE


@dataclass(frozen=True, slots=True)
class Late:
    """A match that may be told on a channel on which this delivery tells of its item already."""

    match: int
    channel: int
    delivery: int


@dataclass(frozen=True, slots=True)
class ToldBefore:
    """An earlier revision of the item was told on this channel: what it costs now, and what it did then."""

    price: float | None
    price_told: float | None


@dataclass(frozen=True, slots=True)
class Telling:
    """What an item matched, told on a channel at this moment."""

    event: int
    recipient: Recipient
    matches: tuple[int, ...]
    frequency: Frequency
    due: datetime
    is_overflow: bool = False  # in a digest only because the address had its most of the day

    @property
    def is_digest(self) -> bool:
        return self.frequency is not Frequency.AT_ONCE

    @property
    def key(self) -> Key:
        if self.frequency is Frequency.AT_ONCE:
            return self.recipient.channel, f"event:{self.event}"
        return self.recipient.channel, f"{self.frequency}:{self.due.isoformat()}"

    @property
    def day(self) -> Day | None:
        """Whose allowance it takes from; None if nothing limits it."""
        if self.recipient.most_per_day is None or self.frequency not in _CAPPED:
            return None
        return self.recipient.address, self.recipient.hours.day_of(self.due)

    def in_the_next_digest(self) -> "Telling":
        """As this, when its own digest is closed."""
        return replace(self, due=next_slot(self.frequency, after=self.due, hours=self.recipient.hours))


@dataclass(frozen=True, slots=True)
class Planned:
    """A delivery to be, with what it tells of."""

    key: Key
    tellings: tuple[Telling, ...]

    @property
    def due(self) -> datetime:
        return self.tellings[0].due

    @property
    def is_digest(self) -> bool:
        return self.tellings[0].is_digest

    @property
    def day(self) -> Day | None:
        return self.tellings[0].day


def plan(
    candidates: Iterable[Candidate],
    *,
    now: datetime,
    told: Mapping[tuple[int, int], ToldBefore],
    used: Mapping[Day, int],
) -> list[Planned]:
    """The whole way, for somebody who has no digests yet. `told` goes by (event, channel)."""
    return deliveries(within_caps(tellings(candidates, now=now, told=told), now=now, used=used))


def tellings(
    candidates: Iterable[Candidate], *, now: datetime, told: Mapping[tuple[int, int], ToldBefore]
) -> list[Telling]:
    """One for each event and channel, in the order of the candidates, without those told before."""
    together: dict[tuple[int, int], list[Candidate]] = {}
    for candidate in candidates:
        together.setdefault((candidate.event, candidate.recipient.channel), []).append(candidate)
    when = _Moments(now)
    return [
        Telling(
            event,
            of_the_item[0].recipient,
            tuple(each.match for each in of_the_item),
            frequency := quickest(each.frequency for each in wanted),
            when.due(frequency, of_the_item[0].recipient.hours),
        )
        for (event, channel), of_the_item in together.items()
        if (wanted := _wanted(of_the_item, told.get((event, channel))))
    ]


def within_caps(
    wanted: Sequence[Telling], *, now: datetime, used: Mapping[Day, int], there: Collection[Key] = ()
) -> list[Telling]:
    """Those that find room in their day as they are, the others in the next daily digest.

    `used` is what each day has given already. A delivery that is already there takes no more of it.
    """
    when = _Moments(now)
    given, spent = set(there), Counter(used)
    allowed = []
    for telling in wanted:
        day = telling.day
        if day is not None and telling.key not in given:
            most = telling.recipient.most_per_day
            if most is not None and spent[day] >= most:
                due = when.due(Frequency.DAILY, telling.recipient.hours)
                telling = replace(telling, frequency=Frequency.DAILY, due=due, is_overflow=True)
            else:
                spent[day] += 1
                given.add(telling.key)
        allowed.append(telling)
    return allowed


def needs(wanted: Iterable[Telling], *, there: Collection[Key]) -> Counter[Day]:
    """How much of each day's allowance they would take if there were room for all."""
    new = {telling.key: day for telling in wanted if (day := telling.day) is not None}
    return Counter(day for key, day in new.items() if key not in there)


def deliveries(allowed: Iterable[Telling]) -> list[Planned]:
    """Those of one digest together; in the order of their keys, in which everybody locks rows."""
    together: dict[Key, list[Telling]] = {}
    for telling in allowed:
        together.setdefault(telling.key, []).append(telling)
    return [Planned(key, tuple(together[key])) for key in sorted(together)]


def portions(wanted: Iterable[Telling], *, rows: int) -> Iterator[list[Telling]]:
    """Cut so that a portion has about so many rows to write. A telling is never cut, however long it is."""
    portion: list[Telling] = []
    size = 0
    for telling in wanted:
        weight = 1 + len(telling.matches)
        if portion and size + weight > rows:
            yield portion
            portion, size = [], 0
        portion.append(telling)
        size += weight
    if portion:
        yield portion


def _wanted(of_the_item: Sequence[Candidate], before: ToldBefore | None) -> Sequence[Candidate]:
    """Those that ask for it to be told; if there is one, all are."""
    if before is None:
        return of_the_item
    price, price_told = before.price, before.price_told
    return [each for each in of_the_item if is_told_again(each.revisions, price=price, price_told=price_told)]


class _Moments:
    """When something is due from now on; the same for all with the same hours."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._known: dict[tuple[Frequency, Hours], datetime] = {}

    def due(self, frequency: Frequency, hours: Hours) -> datetime:
        if (moment := self._known.get((frequency, hours))) is None:
            if frequency is Frequency.AT_ONCE:
                moment = not_quiet(self._now, hours)
            else:
                moment = next_slot(frequency, after=self._now, hours=hours)
            self._known[frequency, hours] = moment
        return moment
