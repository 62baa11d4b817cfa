"""Channels and deliveries that wait, made by hand, for tests of what becomes of them."""

from datetime import timedelta

from django.utils import timezone

from notifications.models import Channel, Delivery
from schema_registry.accounts.models import User

SECRET = "whsec_bGUgc3Vic2NyaWJlIHNpZ25zIHdpdGggdGhpcyBvbmU="


def add_channel(owner: User, address: str, **fields: object) -> Channel:
    given = {"kind": "webhook", "state": "active", "secret": SECRET, "challenge": "c", **fields}
    return Channel.objects.create(owner=owner, address=address, created_at=timezone.now(), **given)


A_MOMENT_AGO = -0.001  # SQLite's clock has milliseconds: what is due now is so in the next one


def plan(
    channel: Channel, *, count: int = 1, due_in: float = A_MOMENT_AGO, kind: str = "test"
) -> list[Delivery]:
    now = timezone.now()
    already = Delivery.objects.filter(channel=channel).count()
    return Delivery.objects.bulk_create(
        Delivery(
            channel=channel,
            key=f"{kind}:{already + number}",
            kind=kind,
            planned_at=now,
            next_attempt_at=now + timedelta(seconds=due_in),
        )
        for number in range(count)
    )


def let_time_pass() -> None:
    """All gaps, leases and waits are over."""
    long_ago = timezone.now() - timedelta(seconds=1)
    Delivery.objects.filter(state="waiting").update(next_attempt_at=long_ago)
    Delivery.objects.exclude(leased_until=None).update(leased_until=long_ago)
    Channel.objects.exclude(resume_at=None).update(resume_at=long_ago)
