"""Who sends: people and publishers with a key of each kind, and something of everything that is there."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from matching import services
from matching.models import Match, PublishedEvent, Subscription
from notifications import switch
from notifications.models import Attempt, Channel, Delivery
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import (
    issue_key,
    publisher_named,
    revoke_key,
    set_extensions_per_day,
)
from tests.integration.collector import item, make_schema

# What is created stays in the schema for good, and every version of it costs; then 429 is the answer.
EXTENSIONS_PER_DAY = 300
HOUSE = "Maison Belleroche"


@dataclass(frozen=True, slots=True)
class Keys:
    """Of whom the operations are for, and of others; all are secrets."""

    publisher: str
    subscriber: str
    others: tuple[str, ...]


def set_stage() -> Keys:
    """Two people and two publishers; the first of each own what can be owned. Nothing is sent to anybody."""
    now = timezone.now()
    make_schema()
    switch.halt(
        User.objects.create_superuser("staff@example.org"), reason="Hostile requests are sent.", now=now
    )
    house = publisher_named(HOUSE, state=Publisher.State.APPROVED)
    set_extensions_per_day(house, EXTENSIONS_PER_DAY)
    schema_services.create_view(house, "lots", ["lot"], ["price", "title"])
    owner = User.objects.create_user("collector@example.org")
    _belongings(owner, now)
    return Keys(
        publisher=issue_key(house.user, [Scope.EVENTS, Scope.SCHEMA])[1],
        subscriber=issue_key(owner, [Scope.SUBSCRIPTIONS])[1],
        others=tuple(_keys_of_others(house, now)),
    )


def _belongings(owner: User, now: datetime) -> None:
    searches = [
        services.subscribe(owner, text, name=text, now=now, valid_days=30).subscription
        for text in ("price <= 200", "category <= table", 'title contains "oak"')
    ]
    items = [item(f"lot {number}", price=100 + number, house=HOUSE) for number in range(3)]
    item("lot 9", house=HOUSE, state=PublishedEvent.State.PARKED)
    for number, event in enumerate(items, start=1):
        _found(event, searches[0], number, now)
    for kind, address in ((Channel.Kind.EMAIL, owner.email), (Channel.Kind.WEBHOOK, "https://example.org/")):
        channel = Channel.objects.create(
            owner=owner,
            kind=kind,
            address=address,
            state=Channel.State.ACTIVE,
            secret="whsec_c2VjcmV0",
            challenge="challenge",
            created_at=now,
            verified_at=now,
        )
        for state in (Delivery.State.DELIVERED, Delivery.State.DEAD, Delivery.State.WAITING):
            _sent(channel, items[0], state, now)


def _found(event: PublishedEvent, search: Subscription, number: int, now: datetime) -> None:
    Match.objects.create(
        event=event, subscription=search, owner_id=search.owner_id, number=number, matched_at=now
    )


def _sent(channel: Channel, event: PublishedEvent, state: Delivery.State, now: datetime) -> None:
    delivery = Delivery.objects.create(
        channel=channel,
        key=f"match:{event.pk}:{state}",
        kind=Delivery.Kind.MATCH,
        event=event,
        state=state,
        planned_at=now,
        next_attempt_at=now,
        finished_at=None if state == Delivery.State.WAITING else now,
        attempts=1,
    )
    Attempt.objects.create(
        delivery=delivery, number=1, began_at=now, milliseconds=12, is_success=False, status=500
    )


def _keys_of_others(house: Publisher, now: datetime) -> Iterator[str]:
    """Without a scope, of another person, of a publisher that is not approved, and one that was revoked."""
    yield issue_key(house.user, [Scope.EVENTS])[1]
    yield issue_key(User.objects.create_user("stranger@example.org"), [Scope.SUBSCRIPTIONS])[1]
    applicant = publisher_named("Galerie Sans Nom", state=Publisher.State.PENDING)
    yield issue_key(applicant.user, [Scope.EVENTS, Scope.SCHEMA])[1]
    revoked, secret = issue_key(house.user, [Scope.SCHEMA])
    revoke_key(revoked, now=now)
    yield secret
