"""Forgetting what was sent long ago, with its log, and how many messages an address had on a day.

What still waits stays, but no longer than what it tells of: matches go with their event, and so does a
delivery that was to tell of it.
"""

import time
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from notifications.models import Allowance, Delivery, MailEvent, Replay

_DELIVERIES_AT_ONCE = ROWS_PER_TRANSACTION // 5  # each brings attempts and entries along


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many; and whether there is more, for which there was no time."""

    deliveries: int
    allowances: int
    is_more: bool = False


def forget_before(moment: datetime, *, seconds: float = float("inf")) -> Forgotten:
    """Delete what was finished before this moment, in small transactions, for about so many seconds.

    It goes by number and ends where they were planned later, so it reads little more than it deletes. It may
    be stopped anywhere.
    """
    deadline = time.monotonic() + seconds
    allowances = _forget_allowances(moment)
    _forget_what_is_rare(moment)
    deliveries = last = 0
    while portion := _after(last, moment):
        last = portion[-1]
        with transaction.atomic():
            old = Delivery.objects.filter(pk__in=portion, finished_at__lt=moment)
            finished = list(old.exclude(state=Delivery.State.WAITING).values_list("pk", flat=True))
            Delivery.objects.filter(pk__in=finished).delete()
        deliveries += len(finished)
        if time.monotonic() > deadline:
            return Forgotten(deliveries, allowances, is_more=True)
        give_way()
    return Forgotten(deliveries, allowances)


def _after(last: int, moment: datetime) -> list[int]:
    """The next few by number, as far as they were planned before this moment."""
    following = Delivery.objects.filter(pk__gt=last).order_by("pk").values_list("pk", "planned_at")
    return [number for number, planned in following[:_DELIVERIES_AT_ONCE] if planned < moment]


def _forget_what_is_rare(moment: datetime) -> None:
    """Replays, and mails that came back. A complaint stays: it says that nothing is to be sent there."""
    Replay.objects.filter(finished_at__lt=moment).delete()
    MailEvent.objects.filter(happened_at__lt=moment).exclude(kind=MailEvent.Kind.COMPLAINT).delete()


def _forget_allowances(moment: datetime) -> int:
    """Those of earlier days; one row for an address and day, so there are few."""
    forgotten = 0
    old = Allowance.objects.filter(day__lt=moment.date()).order_by("pk").values_list("pk", flat=True)
    while numbers := list(old[:ROWS_PER_TRANSACTION]):
        forgotten += Allowance.objects.filter(pk__in=numbers).delete()[0]
        give_way()
    return forgotten
