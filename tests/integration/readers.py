"""People with channels and subscriptions, items that match them, and what was planned to tell them."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from matching import announcements
from matching.models import Announcement, Match, PublishedEvent, Subscription
from notifications import planning
from notifications.models import Channel, Delivery, Entry, Preferences, Terms
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named

NOW = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)


class World:
    """People with channels and subscriptions, and items that match them."""

    def __init__(self) -> None:
        self._publisher = publisher_named("House", state=Publisher.State.APPROVED)

    def person(self, **hours: Any) -> User:
        person = User.objects.create_user(f"{User.objects.count()}@example.org")
        if hours:
            Preferences.objects.create(owner=person, **hours)
        return person

    def channel(self, owner: User, **fields: Any) -> Channel:
        count = Channel.objects.count()
        given = {"kind": "email", "address": f"c{count}@example.org", "state": "active", "created_at": NOW}
        return Channel.objects.create(owner=owner, **{**given, **fields})

    def search(
        self, owner: User, *, on: Collection[Channel] = (), state: str = "active", **terms: Any
    ) -> Subscription:
        search = Subscription.objects.create(
            owner=owner,
            text="price exists",
            canonical="price exists",
            compiled=[],
            schema_version=1,
            state=state,
            created_at=NOW,
            ticket_digest=str(Subscription.objects.count()),
        )
        if terms or on:
            row = Terms.objects.create(subscription=search, every_channel=not on, **terms)
            row.channels.set(on)
        return search

    def item(
        self, *searches: Subscription, of: str = "", revision: int = 1, price: float | None = None
    ) -> int:
        """Published, matched and announced."""
        event = PublishedEvent.objects.create(
            publisher=self._publisher,
            external_id=of or f"item {PublishedEvent.objects.count()}",
            revision=revision,
            digest="0" * 64,
            schema_version=1,
            document={} if price is None else {"price": price},
            accepted_at=NOW - timedelta(seconds=1),
            state="matched",
        )
        self.match(event.pk, *searches)
        return event.pk

    def match(self, event: int, *searches: Subscription) -> None:
        Match.objects.bulk_create(
            Match(event_id=event, subscription=search, owner_id=search.owner_id, matched_at=NOW)
            for search in searches
        )
        PublishedEvent.objects.filter(pk=event).update(match_count=Match.objects.filter(event=event).count())
        announcements.announce([event])


def plan(now: datetime = NOW) -> int:
    planned = planning.plan(clock=lambda: now)
    assert not Announcement.objects.exists()
    return planned


def told() -> dict[tuple[int, str], set[tuple[int, int]]]:
    """By channel and key: event and subscription of each entry."""
    deliveries: dict[tuple[int, str], set[tuple[int, int]]] = {
        (channel, key): set() for channel, key in Delivery.objects.values_list("channel", "key")
    }
    fields = ("delivery__channel", "delivery__key", "match__event", "match__subscription")
    for channel, key, event, subscription in Entry.objects.values_list(*fields):
        deliveries[channel, key].add((event, subscription))
    return deliveries


def assert_everything_is_told_once(events: Collection[int]) -> None:
    """Every match of these, on every channel of its owner; and no delivery is empty."""
    channels: dict[int, list[int]] = {}
    for owner, channel in Channel.objects.values_list("owner", "pk"):
        channels.setdefault(owner, []).append(channel)
    expected = {
        (match, channel)
        for match, owner in Match.objects.filter(event__in=events).values_list("pk", "owner")
        for channel in channels.get(owner, [])
    }
    assert set(Entry.objects.values_list("match", "channel")) == expected
    assert all(told().values())
    told_items = [
        (channel, event)
        for (channel, _), entries in told().items()
        for event in {event for event, _ in entries}
    ]
    assert len(told_items) == len(set(told_items))
