"""What steps begin with: lots with prices, an auction house, a person who looks for them and is told."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from matching import draining, services
from matching.intake import publish
from matching.live import LiveMatcher
from matching.models import Announcement, Match, MatchWork, NightlyRun, PublishedEvent, Subscription
from matching.readiness import Ready
from matching.shards import WHOLE, Shard
from notifications import claims
from notifications.models import Channel
from schema_registry.accounts.models import Publisher, User
from tests.integration.following import NOW, answer, expected
from tests.integration.lots import make_lots
from tests.integration.nightly.nights import house, lot
from tests.integration.waiting import add_channel, let_time_pass
from tests.sinks import HttpSink

PRICES = (3, 5, 12)
Action = Callable[[], object]
Step = Callable[["World"], Iterator[Action]]
STEPS: dict[str, list[Step]] = {}


def step(name: str) -> Callable[[Step], Step]:
    """Where it is killed: at all failpoints of this name."""

    def remember(made: Step) -> Step:
        STEPS.setdefault(name, []).append(made)
        return made

    return remember


class World:
    def __init__(
        self, place: str, *, folder: Path, settings: Settings, patch: pytest.MonkeyPatch, sink: HttpSink
    ) -> None:
        self.place = place
        self.folder = folder
        self.settings = settings
        self.patch = patch
        self.sink = sink
        self._items = 0

    @cached_property
    def owner(self) -> User:
        make_lots()
        return User.objects.create_user("reader@example.org")

    @property
    def house(self) -> Publisher:
        return house()

    def subscribe(self, text: str = "price exists", **more: Any) -> Subscription:
        return services.subscribe(self.owner, text, now=NOW, **more).subscription

    def lot(self, price: int = 5) -> Ready:
        assert self.owner
        self._items += 1
        return lot(f"lot {self._items}", price)

    def publish(self, price: int = 5) -> PublishedEvent:
        number = publish(self.house, self.lot(price), now=NOW).number
        return PublishedEvent.objects.get(pk=number)

    def drain(self, shard: Shard = WHOLE) -> None:
        draining.drain(LiveMatcher("quarantining", shard=shard))

    def receiver(self, path: str = "/hook", **fields: Any) -> Channel:
        return add_channel(self.owner, self.sink.url(path), verified_at=NOW, **fields)

    def let_leases_run_out(self) -> None:
        """Whoever held them is dead."""
        long_ago = timezone.now() - timedelta(seconds=1)
        for held in (MatchWork, Announcement, NightlyRun):
            held.objects.exclude(leased_until=None).update(leased_until=long_ago)
        let_time_pass()
        self.patch.setattr(claims, "_hints", claims.Hints())  # another process has not looked yet


def matches() -> list[tuple[int, int]]:
    """Each event with a subscription, as often as there are rows."""
    return sorted(Match.objects.values_list("event_id", "subscription_id"))


def states() -> list[str]:
    return list(PublishedEvent.objects.order_by("pk").values_list("state", flat=True))


def assert_knows_all(live: LiveMatcher) -> None:
    """It has followed the log to where the database is."""
    live.catch_up()
    fresh = LiveMatcher("quarantining")
    assert (len(live), live.sequence) == (len(fresh), fresh.sequence)
    for price in PRICES:
        assert answer(live, price, NOW) == answer(fresh, price, NOW) == expected(price, NOW)
