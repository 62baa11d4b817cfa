"""Channels as their owners make them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from notifications import channels
from notifications.models import Channel, Delivery
from schema_registry.accounts.models import User

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
HOOK = "https://shop.example.org/hook"
Kind, State = Channel.Kind, Channel.State


def webhook(owner: User, address: str = HOOK, *, active: bool = True) -> Channel:
    made = channels.add(owner, kind=Kind.WEBHOOK, address=address, now=NOW)
    if active:
        channels.activate(made.pk, now=NOW)
    return again(made)


def mailbox(owner: User, address: str = "box@example.org", *, now: datetime = NOW) -> Channel:
    return channels.add(owner, kind=Kind.EMAIL, address=address, now=now)


def again(channel: Channel) -> Channel:
    return Channel.objects.get(pk=channel.pk)


def verifications(channel: Channel, **only: Any) -> list[Delivery]:
    return list(channel.deliveries.filter(kind="verify", **only).order_by("pk"))
