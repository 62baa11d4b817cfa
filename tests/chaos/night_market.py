"""The market of a night that is killed again and again: its feed, its searches, which change meanwhile, and
publishers who publish the same items live. And what must be stored at the end, found in the plainest way.
"""

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import TypeVar

from matching.feeds.judging import Judge, Judged
from schema_registry.core.events import Event
from schema_registry.language import Subscription, parse

SITE, DAY = "market", "2026-11-16"
NEW_AT_ONCE, GONE_AT_ONCE = 3, 2
Key = tuple[str, str]  # an item's id and the digest of what it says
Thing = TypeVar("Thing", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Wish:
    """A search, from when to when it was there."""

    text: str
    since: datetime
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`wrong` are rows that must not be there, and those of which one would do."""

    lost: int
    wrong: int
    events: int
    matches: int


class Market:
    """In a database of its own, which is migrated and filled here. `items` are events by their keys."""

    def __init__(self, directory: Path, *, rows: int, subscriptions: int, seed: int) -> None:
        from django.core.management import call_command
        from django.utils import timezone

        from lesubscribe.loadtest.setting import prepare
        from matching.nightly import mappings
        from spark_jobs.feeds import generator

        call_command("migrate", interactive=False, verbosity=0)
        now = timezone.now()
        setting = prepare(subscriptions=subscriptions, seed=seed, now=now)
        self._random = Random(seed)
        self._setting = setting
        self._mapping = mappings.save(SITE, generator.mapping(), publisher=setting.publisher, now=now)
        self.feeds = directory / "feeds"
        feed = generator.Feed(rows=rows, seed=seed, world=seed, files=4)
        for _ in feed.write(self.feeds / SITE / DAY):
            pass
        self._wishes = {number: Wish(text, now) for number, text in _texts().items()}
        shown = list(self._of_the_feed().values())
        self.items: dict[Key, Event] = {(item.external_id, item.digest): item.event for item in shown}
        self._not_live_yet = self._random.sample(shown, len(shown))
        _give_everybody_a_channel(now)

    def go_on(self) -> None:
        """Life between two kills: searches come and go, and items are published live."""
        from django.utils import timezone

        from matching import models, services
        from schema_registry.accounts.models import User

        owner = User.objects.filter(publisher__isnull=True).order_by("pk")[0]  # publishers are users, too
        for text in self._random.sample(sorted(set(_texts().values())), NEW_AT_ONCE):
            made = services.subscribe(owner, text, now=timezone.now()).subscription
            self._wishes[made.pk] = Wish(made.text, timezone.now())
        there = [number for number, wish in self._wishes.items() if wish.until is None]
        for number in self._random.sample(there, GONE_AT_ONCE):
            wish, until = self._wishes[number], timezone.now()
            services.unsubscribe(models.Subscription.objects.get(pk=number))
            self._wishes[number] = Wish(wish.text, wish.since, until)
        for how in ("as it is", "with another price", "of another name")[: len(self._not_live_yet)]:
            self._publish(self._not_live_yet.pop(), how)

    def verdict(self) -> Verdict:
        """What is stored, held against what must be and what may be; and who is told, once it is planned."""
        from matching.models import Match, PublishedEvent

        parsed = {text: parse(text, self._setting.schema) for text in {w.text for w in self._wishes.values()}}
        stored = list(PublishedEvent.objects.values_list("pk", "external_id", "digest", "accepted_at"))
        must: set[tuple[int, int]] = set()
        may: set[tuple[int, int]] = set()
        for number, name, digest, accepted_at in stored:
            if (event := self.items.get((name, digest))) is not None:
                musts, mays = self._matching(event, accepted_at, parsed)
                must |= {(number, subscription) for subscription in musts}
                may |= {(number, subscription) for subscription in mays}
        keys = Counter((name, digest) for _, name, digest, _ in stored)
        matches = Counter(Match.objects.values_list("event_id", "subscription_id"))
        faults = (
            compared(keys, must=self.items.keys()),
            compared(matches, must=must, may=may),
            _compared_tellings(),
        )
        lost, wrong = map(sum, zip(*faults, strict=True))
        return Verdict(lost, wrong, len(self.items), matches.total())

    def _matching(
        self, event: Event, accepted_at: datetime, parsed: Mapping[str, Subscription]
    ) -> tuple[set[int], set[int]]:
        """Those that must match, and those that may: what changes before it is matched may count."""
        may = {
            number: wish
            for number, wish in self._wishes.items()
            if (wish.until is None or wish.until > accepted_at) and parsed[wish.text].matches(event)
        }
        return {n for n, wish in may.items() if wish.since < accepted_at and wish.until is None}, set(may)

    def _publish(self, item: Judged, how: str) -> None:
        """An item of the feed as it is there, or with other content, or one that the feed does not have."""
        from django.utils import timezone

        from matching.envelopes import read_envelope
        from matching.intake import checked, publish

        name = f"live {item.external_id}" if how == "of another name" else item.external_id
        document = json.loads(item.document)
        if how == "with another price":
            document["price"] = round(document["price"] + 1, 2)
        people_see = {"title": item.title, "url": item.url, "image_url": item.image_url}
        envelope = read_envelope(
            {"external_id": name, "event": document, "ends_at": item.ends_at, **people_see}
        )
        ready = checked(self._setting.publisher, envelope, self._setting.schema)
        assert (ready.digest == item.digest) == (how != "with another price")
        publish(self._setting.publisher, ready, now=timezone.now())
        self.items[name, ready.digest] = self._setting.schema.validate(document)

    def _of_the_feed(self) -> dict[str, Judged]:
        from matching.feeds.mapping import FeedMapping
        from matching.feeds.reading import rows_of

        mapping = FeedMapping.from_dict(self._mapping.document)
        judge = Judge(mapping, self._setting.schema)
        items: dict[str, Judged] = {}
        for path in sorted((self.feeds / SITE / DAY).iterdir()):
            for row in rows_of(path, mapping.format):
                if isinstance(verdict := judge.judge(row), Judged):
                    items[verdict.external_id] = verdict
        return items


def compared(
    found: Counter[Thing], *, must: AbstractSet[Thing], may: AbstractSet[Thing] | None = None
) -> tuple[int, int]:
    """How many are lost, and how many rows are wrong or doubled. What must be there may be."""
    allowed = must if may is None else may
    return len(must - found.keys()), sum(count - (each in allowed) for each, count in found.items())


def tellings(
    matches: Iterable[tuple[int, int, int]],
    entries: Iterable[tuple[int, int, int, int]],
    deliveries: Iterable[tuple[int, int, int]],
) -> tuple[int, int]:
    """How much is lost, and how much wrong or doubled: of an event a channel has one delivery, its own or
    that of a digest, with one entry for each match.

    Matches are (match, event, channel), entries (match, event, channel, delivery), deliveries of one event
    (event, channel, delivery).
    """
    expected, told = list(matches), list(entries)
    rows = {(event, channel, delivery) for _, event, channel, delivery in told} | set(deliveries)
    in_entries = compared(
        Counter((match, channel) for match, _, channel, _ in told),
        must={(match, channel) for match, _, channel in expected},
    )
    in_deliveries = compared(
        Counter((event, channel) for event, channel, _ in rows),
        must={(event, channel) for _, event, channel in expected},
    )
    return in_entries[0] + in_deliveries[0], in_entries[1] + in_deliveries[1]


def _compared_tellings() -> tuple[int, int]:
    """As the database has them; everybody here has one channel, and hears of everything."""
    from matching.models import Match
    from notifications.models import Channel, Delivery, Entry

    channels = dict(Channel.objects.values_list("owner_id", "pk"))
    matches = Match.objects.values_list("pk", "event_id", "owner_id")
    return tellings(
        ((match, event, channels.get(owner, 0)) for match, event, owner in matches),  # 0 is no channel
        Entry.objects.values_list("match_id", "match__event_id", "delivery__channel_id", "delivery_id"),
        Delivery.objects.filter(kind=Delivery.Kind.MATCH).values_list("event_id", "channel_id", "pk"),
    )


def _texts() -> dict[int, str]:
    from matching import models

    return dict(models.Subscription.objects.values_list("pk", "text"))


def _give_everybody_a_channel(now: datetime) -> None:
    from notifications.models import Channel
    from schema_registry.accounts.models import User

    for owner in User.objects.filter(publisher__isnull=True):
        Channel.objects.create(owner=owner, kind="email", address=owner.email, state="active", created_at=now)
