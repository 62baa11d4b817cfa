"""The market of a night that is killed again and again: its feed, its searches, which change meanwhile, and
publishers who publish the same items live. And what must be stored at the end, found in the plainest way.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

SITE, DAY = "market", "2026-11-16"
NEW_AT_ONCE, GONE_AT_ONCE, LIVE_AT_ONCE = 3, 2, 3
Key = tuple[str, str]  # an item's id and the digest of what it says


@dataclass(frozen=True, slots=True)
class Wish:
    """A search, from when to when it was there."""

    text: Any
    since: datetime
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    lost: int
    wrong: int
    events: int
    matches: int


@dataclass(slots=True)
class Market:
    """In a database of its own, which is migrated and filled here."""

    directory: Path
    rows: int
    subscriptions: int
    seed: int
    feeds: Path = field(init=False)
    items: dict[Key, Any] = field(init=False)
    _live: int = 0

    def __post_init__(self) -> None:
        from django.core.management import call_command
        from django.utils import timezone

        from lesubscribe.loadtest.setting import prepare
        from matching.nightly import mappings
        from spark_jobs.feeds import generator

        call_command("migrate", interactive=False, verbosity=0)
        now = timezone.now()
        setting = prepare(subscriptions=self.subscriptions, seed=self.seed, now=now)
        self._random = Random(self.seed)
        self._setting = setting
        self._mapping = mappings.save(SITE, generator.mapping(), publisher=setting.publisher, now=now)
        self.feeds = self.directory / "feeds"
        feed = generator.Feed(rows=self.rows, seed=self.seed, world=self.seed, files=4)
        for _ in feed.write(self.feeds / SITE / DAY):
            pass
        self._wishes = {number: Wish(text, now) for number, text in _texts().items()}
        self.items = {(item.external_id, item.digest): item.event for item in self._of_the_feed().values()}
        _give_everybody_a_channel(now)

    def go_on(self) -> None:
        """Life between two kills: searches come and go, and items are published live."""
        from django.utils import timezone

        from matching import services
        from matching.models import Subscription
        from schema_registry.accounts.models import User

        owner = User.objects.filter(email__startswith="load-").order_by("pk")[0]
        for text in self._random.sample(sorted(set(_texts().values())), NEW_AT_ONCE):
            made = services.subscribe(owner, f"({text}) or price < 0", now=timezone.now()).subscription
            self._wishes[made.pk] = Wish(made.text, timezone.now())
        there = [number for number, wish in self._wishes.items() if wish.until is None]
        for number in self._random.sample(there, GONE_AT_ONCE):
            wish, until = self._wishes[number], timezone.now()
            services.unsubscribe(Subscription.objects.get(pk=number))
            self._wishes[number] = Wish(wish.text, wish.since, until)
        for _ in range(LIVE_AT_ONCE):
            self._publish()

    def verdict(self) -> Verdict:
        """What is stored, held against what must be and what may be."""
        from matching.models import Match, PublishedEvent
        from schema_registry.language import parse

        parsed = {text: parse(text, self._setting.schema) for text in {w.text for w in self._wishes.values()}}
        matched: dict[int, set[int]] = {}
        for event, subscription in Match.objects.values_list("event_id", "subscription_id"):
            matched.setdefault(event, set()).add(subscription)
        stored = PublishedEvent.objects.values_list("pk", "external_id", "digest", "accepted_at")
        times: dict[Key, int] = {}
        lost = wrong = 0
        for number, name, digest, accepted_at in stored:
            times[name, digest] = times.get((name, digest), 0) + 1
            if (event := self.items.get((name, digest))) is None:
                wrong += 1
                continue
            must, may = self._matching(event, accepted_at, parsed)
            found = matched.get(number, set())
            lost += len(must - found)
            wrong += len(found - may)
        lost += sum(key not in times for key in self.items)
        wrong += sum(count - 1 for count in times.values())
        return Verdict(lost, wrong, len(self.items), sum(map(len, matched.values())))

    def _matching(
        self, event: Any, accepted_at: datetime, parsed: dict[Any, Any]
    ) -> tuple[set[int], set[int]]:
        """Those that must match and those that may: what changes between acceptance and matching may count."""
        may = {
            number: wish
            for number, wish in self._wishes.items()
            if (wish.until is None or wish.until > accepted_at) and parsed[wish.text].matches(event)
        }
        return {n for n, wish in may.items() if wish.since < accepted_at and wish.until is None}, set(may)

    def _publish(self) -> None:
        """An item of the feed as it is there, one with other content, or one that the feed does not have."""
        from django.utils import timezone

        from matching.envelopes import read_envelope
        from matching.intake import checked, publish

        (name, _digest), event = self._random.choice(sorted(self.items.items(), key=lambda each: each[0]))
        document = json.loads(event.document) if hasattr(event, "document") else event.to_dict()
        self._live += 1
        if self._live % 3 == 1:
            name = f"live-{self._live}"
        elif self._live % 3 == 2:
            document["price"] = round(document["price"] + self._live / 100, 2)
        ready = checked(
            self._setting.publisher,
            read_envelope({"external_id": name, "event": document}),
            self._setting.schema,
        )
        publish(self._setting.publisher, ready, now=timezone.now())
        self.items[name, ready.digest] = self._setting.schema.validate(document)

    def _of_the_feed(self) -> dict[str, Any]:
        from matching.feeds.judging import Judge, Judged
        from matching.feeds.mapping import FeedMapping
        from matching.feeds.reading import rows_of

        mapping = FeedMapping.from_dict(self._mapping.document)
        judge = Judge(mapping, self._setting.schema)
        items: dict[str, Any] = {}
        for path in sorted((self.feeds / SITE / DAY).iterdir()):
            for row in rows_of(path, mapping.format):
                if isinstance(verdict := judge.judge(row), Judged):
                    items[verdict.external_id] = verdict
        return items


def _texts() -> dict[int, str]:
    from matching.models import Subscription

    return dict(Subscription.objects.values_list("pk", "text"))


def _give_everybody_a_channel(now: datetime) -> None:
    from notifications.models import Channel
    from schema_registry.accounts.models import User

    for owner in User.objects.filter(publisher=None):
        Channel.objects.create(
            owner=owner, kind="email", address=owner.email, state="active", created_at=now
        )
