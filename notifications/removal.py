"""Removing a channel so that it can be had back: it is set aside at once, and erased a minute later."""

from datetime import datetime, timedelta

from django.db import transaction

from notifications import channels
from notifications.models import Channel

KEPT_FOR = timedelta(minutes=1)
MOST_AT_ONCE = 20


def set_aside(channel_id: int, *, now: datetime) -> None:
    """Nothing is sent to it from now on. Whatever its owner does with it next takes this back."""
    with transaction.atomic():
        is_used = Channel.objects.filter(pk=channel_id, state=Channel.State.ACTIVE).exists()
        channels.change(channel_id, now=now, state=Channel.State.DISABLED if is_used else None)
        Channel.objects.filter(pk=channel_id).update(removed_at=now)


def erase_set_aside(*, now: datetime) -> int:
    """Remove some of those that were set aside long enough ago, with their logs; how many. By index."""
    due = Channel.objects.filter(removed_at__lte=now - KEPT_FOR).values_list("pk", flat=True)
    numbers = list(due[:MOST_AT_ONCE])
    for number in numbers:
        channels.remove(number)
    return len(numbers)
