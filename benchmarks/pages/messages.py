"""A log of messages: what the newest finds of a person were told by, on two channels, arrived or given up."""

from datetime import datetime

from matching.models import Match
from notifications.models import Attempt, Channel, Delivery
from schema_registry.accounts.models import User

MOST = 20_000  # messages, half of them on each channel
ONE_IN = 1_000  # so many is given up, so that those are far between
ADDRESSES = {
    Channel.Kind.EMAIL: "collector@example.org",
    Channel.Kind.WEBHOOK: "https://hooks.example.org/",
}


def fill(person: User, *, now: datetime) -> None:
    """Put there what is missing: nothing where the person has a channel."""
    if Channel.objects.filter(owner=person).exists():
        return
    newest = Match.objects.filter(owner=person).order_by("-pk").values_list("event", flat=True)
    events = sorted(dict.fromkeys(newest[: MOST // len(ADDRESSES)]))
    for kind, address in ADDRESSES.items():
        channel = Channel.objects.create(
            owner=person, kind=kind, address=address, state="active", created_at=now, verified_at=now
        )
        written = Delivery.objects.bulk_create(
            [_delivery(channel, event, place, now) for place, event in enumerate(events)], batch_size=500
        )
        Attempt.objects.bulk_create([_attempt(delivery) for delivery in written], batch_size=500)


def _delivery(channel: Channel, event: int, place: int, now: datetime) -> Delivery:
    state = Delivery.State.DELIVERED if place % ONE_IN else Delivery.State.DEAD
    return Delivery(
        channel=channel,
        key=f"event:{event}",
        kind=Delivery.Kind.MATCH,
        event_id=event,
        state=state,
        planned_at=now,
        next_attempt_at=now,
        finished_at=now,
        attempts=1,
    )


def _attempt(delivery: Delivery) -> Attempt:
    return Attempt(
        delivery=delivery,
        number=1,
        began_at=delivery.planned_at,
        milliseconds=20,
        is_success=delivery.state == Delivery.State.DELIVERED,
        request="x" * 500,
        response="y" * 500,
    )
