"""Items for the pages of matching: published, matched, parked."""

from datetime import UTC, datetime

from django.utils import timezone

from matching import draining, leases
from matching.envelopes import Envelope
from matching.intake import checked, publish
from matching.live import LiveMatcher
from matching.models import MatchWork, PublishedEvent
from schema_registry import selectors
from schema_registry.accounts.models import Publisher


def published(house: Publisher, external_id: str, *, title: str = "") -> PublishedEvent:
    document = {"event_type": ["furniture"], "price": 140, "category": "dining table"}
    envelope = Envelope(external_id=external_id, event=document, title=title)
    ready = checked(house, envelope, selectors.current_schema())
    return PublishedEvent.objects.get(pk=publish(house, ready, now=timezone.now()).number)


def match_all() -> None:
    draining.drain(LiveMatcher("quarantining"))


def parked(event: PublishedEvent) -> PublishedEvent:
    """The event after workers have died of it too often."""
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    MatchWork.objects.filter(event=event).update(attempts=leases.MOST_ATTEMPTS, leased_until=long_ago)
    assert leases.park_hopeless() == 1
    event.refresh_from_db()
    return event
