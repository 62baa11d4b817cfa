"""Lots, those who look for them, and the shards that match them, for tests of shards."""

from matching import draining, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.live import LiveMatcher
from matching.models import Match, PublishedEvent
from matching.shards import Shard, split
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema
from tests.integration.following import NOW

PRICES = (3, 5, 12, 25)
FIRST, SECOND = split(2)


def publish_lot(price: int) -> int:
    publisher = publisher_named("House", state=Publisher.State.APPROVED)
    name = str(PublishedEvent.objects.count())
    envelope = read_envelope({"external_id": name, "event": {"event_type": ["lot"], "price": price}})
    return publish(publisher, checked(publisher, envelope, current_schema()), now=NOW).number


def subscribed(owner: User, count: int = 6) -> list[int]:
    """So many who look for the same."""
    return [services.subscribe(owner, "price exists", now=NOW).subscription.pk for _ in range(count)]


def matcher(shard: Shard, name: str = "quarantining") -> LiveMatcher:
    return LiveMatcher(name, shard=shard)


def drained(*shards: Shard) -> None:
    for shard in shards:
        draining.drain(matcher(shard))


def pairs() -> set[tuple[int, int]]:
    """All matches; each is there once."""
    rows = list(Match.objects.values_list("event_id", "subscription_id"))
    assert len(rows) == len(set(rows))
    return set(rows)


def state_of(event: int) -> tuple[str, int]:
    row = PublishedEvent.objects.get(pk=event)
    return row.state, row.match_count
