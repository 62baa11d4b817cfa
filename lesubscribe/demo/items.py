"""A month of auction items, invented: the same for the same seed and moment.

Houses send consignments of a few items, mostly on weekdays and in office hours. Some items come again
cheaper, a few are withdrawn, and one is parked.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from math import log
from random import Random
from typing import Any

from lesubscribe.demo.catalogue import CONDITIONS, HOUSES, PERIODS, House
from lesubscribe.demo.pictures import picture_of
from lesubscribe.demo.stock import Family, Kind, stock
from matching.envelopes import Envelope

ITEMS = 2_400
SPAN = timedelta(days=30)
FIRST_LOT = 4_001
CONSIGNMENT_SIZES = (2, 3, 5, 8, 12, 18)
YEARS_OF_AN_ANTIQUE = 100
CHEAPER_SHARE = 0.07
WITHDRAWN_EVERY, WITHDRAWN_FIRST, PARKED = 200, 90, ITEMS - 60

# How busy the houses are at each hour (UTC) and on each weekday from Monday on, compared with their best.
HOURS = (*(0.03,) * 6, 0.1, 0.3, 0.7, 1, 1, 0.9, 0.5, 0.8, 1, 0.9, 0.7, 0.4, 0.25, 0.2, 0.15, *(0.05,) * 3)
WEEKDAYS = (0.9, 1, 1, 1, 0.85, 0.4, 0.2)


class Fate(Enum):
    KEPT = auto()
    WITHDRAWN = auto()
    PARKED = auto()


@dataclass(frozen=True, slots=True)
class Publication:
    """What a house sends, and when it is accepted."""

    house: House
    accepted_at: datetime
    envelope: Envelope
    fate: Fate = Fate.KEPT


def publications(*, seed: int, now: datetime) -> list[Publication]:
    """All of the month before `now`, oldest first. Items that come again have explicit revisions."""
    random = Random(seed)  # noqa: S311 - nothing here is secret
    sent = list(_first_publications(random, now))
    cheaper = (_cheaper(random, each) for each in sent if each.fate is Fate.KEPT)
    sent += [again for again in cheaper if again is not None and again.accepted_at < now]
    return sorted(sent, key=lambda publication: publication.accepted_at)


def newly_listed(random: Random, *, lot: int, now: datetime) -> Publication:
    """One more item of any house, as if it came this moment."""
    (house,) = random.choices(HOUSES, [house.share for house in HOUSES])
    return Publication(house, now, _envelope(random, house, lot, now))


def _first_publications(random: Random, now: datetime) -> Iterator[Publication]:
    lots = dict.fromkeys(HOUSES, FIRST_LOT)
    for number, (house, moment) in enumerate(_arrivals(random, now)):
        envelope = _envelope(random, house, lots[house], moment)
        yield Publication(house, moment, envelope, _fate(number))
        lots[house] += 1


def _arrivals(random: Random, now: datetime) -> list[tuple[House, datetime]]:
    """The house and the moment of each item; those of a consignment have the same."""
    arrivals: list[tuple[House, datetime]] = []
    while len(arrivals) < ITEMS:
        (house,) = random.choices(HOUSES, [house.share for house in HOUSES])
        consignment = [(house, _busy_moment(random, now))] * random.choice(CONSIGNMENT_SIZES)
        arrivals += consignment[: ITEMS - len(arrivals)]
    return sorted(arrivals, key=lambda arrival: arrival[1])


def _busy_moment(random: Random, now: datetime) -> datetime:
    while True:
        moment = now - SPAN * random.random()
        if random.random() < HOURS[moment.hour] * WEEKDAYS[moment.weekday()]:
            return moment


def _fate(number: int) -> Fate:
    if number == PARKED:
        return Fate.PARKED
    return Fate.WITHDRAWN if number % WITHDRAWN_EVERY == WITHDRAWN_FIRST else Fate.KEPT


def _envelope(random: Random, house: House, lot: int, moment: datetime) -> Envelope:
    event = _event(random, house, moment)
    evening = moment.replace(hour=random.randint(17, 20), minute=random.choice((0, 15, 30, 45)), second=0)
    return Envelope(
        external_id=f"lot-{lot}",
        revision=1,
        title=event["title"],
        url=f"{house.address}/lots/{lot}",
        image_url=picture_of(event["category"]),
        ends_at=evening.replace(microsecond=0) + timedelta(days=random.randint(3, 21)),
        event=event,
    )


def _event(random: Random, house: House, moment: datetime) -> dict[str, Any]:
    families = [family for family in stock().families if family.event_type in house.event_types]
    (family,) = random.choices(families, [family.share for family in families])
    (kind,) = random.choices(family.kinds, [kind.share for kind in family.kinds])
    year = random.randint(kind.first_year, kind.last_year)
    period = random.choice([period for period in PERIODS if period.first <= year <= period.last])
    materials = random.choice(kind.materials)
    further = {name: random.choice(values) for name, values in family.further.items()}
    price = _rounded(random.lognormvariate(log(kind.median_price), 0.75))
    is_antique = moment.year - year >= YEARS_OF_AN_ANTIQUE

    event = {
        "event_type": [*(["antiques"] if is_antique else []), family.event_type],
        "category": kind.category,
        "price": price,
        "title": _title(
            random,
            family,
            kind,
            style=random.choice(period.styles),
            material=materials[0] if materials else "",
            year=_year_in_words(year),
            **further,
        ),
        **further,
    }
    perhaps: dict[str, tuple[float, Any]] = {
        "material": (1.0 if materials else 0.0, list(materials)),
        "period": (1.0 if is_antique else 0.85 if family.has_periods else 0.0, period.value),
        "year": (0.9, year),
        "condition": (0.95, random.choices(list(CONDITIONS), list(CONDITIONS.values()))[0]),
        "location": (0.97, random.choice(house.towns)),
        "seller": (0.8, random.choice(house.sellers)),
        "estimate": (0.35, sorted({_rounded(price * 0.9), _rounded(price * 1.5)})),
    }
    return event | {name: value for name, (share, value) in perhaps.items() if random.random() < share}


def _title(random: Random, family: Family, kind: Kind, **own: object) -> str:
    words = _Words(random, own)
    title = (random.choice(kind.phrases) + family.ending).format_map(words)
    return title[0].upper() + title[1:]


class _Words(dict[str, object]):
    """What fills the braces of a phrase: the item's own, or else any of the words for it."""

    def __init__(self, random: Random, own: dict[str, object]) -> None:
        super().__init__(own)
        self._random = random

    def __missing__(self, name: str) -> str:
        return self._random.choice(stock().words[name])


def _year_in_words(year: int) -> str:
    if year < 0:
        return f"{-year} BC"
    return f"AD {year}" if year < 500 else str(year)


def _rounded(price: float) -> int:
    """A price as houses set it: in steps that grow with it."""
    step = 5 if price < 100 else 10 if price < 1_000 else 50
    return max(step, round(price / step) * step)


def _cheaper(random: Random, first: Publication) -> Publication | None:
    """The item again some days later with a lower price, if it is one of those and its auction still runs."""
    after = timedelta(days=random.uniform(1, 9))
    price = _rounded(first.envelope.event["price"] * random.uniform(0.65, 0.9))
    moment, ends_at = first.accepted_at + after, first.envelope.ends_at
    if random.random() >= CHEAPER_SHARE or (ends_at is not None and moment >= ends_at):
        return None
    envelope = replace(first.envelope, revision=2, event={**first.envelope.event, "price": price})
    return replace(first, accepted_at=moment, envelope=envelope)
