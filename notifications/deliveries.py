"""Deliveries that somebody asks for by hand: one planned for now, and one sent again."""

from datetime import datetime
from typing import Any

from django.db import transaction

from notifications import wakeups
from notifications.models import Channel, Delivery
from schema_registry.core.errors import InputError

State, Kind = Delivery.State, Delivery.Kind


class CannotReplay(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "cannot_replay"


def plan_now(
    channel: Channel, *, kind: Delivery.Kind, key: str, now: datetime, about: dict[str, Any] | None = None
) -> Delivery:
    """To be sent as soon as a worker has time."""
    planned = Delivery.objects.create(
        channel=channel, kind=kind, key=key, about=about or {}, planned_at=now, next_attempt_at=now
    )
    transaction.on_commit(wakeups.SENDERS.send)
    return planned


def replay(delivery: Delivery, *, now: datetime) -> None:
    """Send it again, under the same id, with all attempts before it. Raises CannotReplay."""
    if delivery.kind == Kind.VERIFY:
        raise CannotReplay("A verification is not sent again; ask for a new one at its channel.")
    finished = Delivery.objects.filter(pk=delivery.pk).exclude(state=State.WAITING)
    with transaction.atomic():
        is_finished = finished.update(
            state=State.WAITING,
            attempts=0,
            next_attempt_at=now,
            leased_until=None,
            finished_at=None,
            reason="",
        )
        if not is_finished:
            raise CannotReplay("This delivery is still on its way.")
        transaction.on_commit(wakeups.SENDERS.send)
