"""Which deliveries may be sent now: those that are due, of channels that can take one more.

When few are due, all of them are looked at. When many are, those of one channel may stand before all others:
a hundred thousand for a receiver that is down, or slow. So then the channels are also gone through in turn,
by an index that leads from one to the next, and each gives its first. However many wait for a channel, that
is one step.

A channel that waits for its verification gets nothing but that.

A look costs at most `MOST_LOOKED_AT` rows and `MOST_STEPS` channels. What it finds may be gone a moment
later: `claims` decides.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from notifications.models import Channel, SendingSwitch
from notifications.turns import database_time

MOST_LOOKED_AT = 500
MOST_STEPS = 1_000
# At a time, for a channel; `claims` knows mailboxes and all others.
MOST_UNDER_WAY = {Channel.Kind.WEBHOOK: 2, Channel.Kind.CHAT: 2, Channel.Kind.EMAIL: 8}
MOST_UNDER_WAY_TO_FAILING = 1

_MAY_RESUME = "(channel.resume_at IS NULL OR channel.resume_at <= {now})"
_FIRST = f"""
    SELECT delivery.id, channel.id, channel.kind, channel.failures,
        (channel.state = 'active' OR channel.state = 'pending' AND delivery.kind = 'verify') AND {_MAY_RESUME}
    FROM (SELECT id, channel_id, kind, next_attempt_at FROM notifications_delivery
          WHERE state = 'waiting' AND next_attempt_at <= {{now}}
          ORDER BY next_attempt_at LIMIT {MOST_LOOKED_AT}) AS delivery
    JOIN notifications_channel AS channel ON channel.id = delivery.channel_id
    ORDER BY delivery.next_attempt_at, delivery.id"""  # nosec B608  # noqa: S608 - only texts of ours
_FIRST_OF_CHANNEL = """
    SELECT delivery.id FROM notifications_delivery AS delivery
    WHERE delivery.channel_id = channel.id AND delivery.state = 'waiting'
      AND delivery.next_attempt_at <= {now}"""
_NEXT_CHANNEL = """
    SELECT min(channel_id) FROM notifications_delivery WHERE state = 'waiting' AND channel_id > """
_IN_TURN = f"""
    WITH RECURSIVE step (channel, number) AS (
        SELECT ({_NEXT_CHANNEL} %(after)s), 1
        UNION ALL
        SELECT ({_NEXT_CHANNEL} step.channel), number + 1 FROM step
        WHERE step.channel IS NOT NULL AND number < {MOST_STEPS})
    SELECT CASE WHEN channel.state = 'active' AND {_MAY_RESUME}
                THEN ({_FIRST_OF_CHANNEL} ORDER BY delivery.next_attempt_at LIMIT 1)
                WHEN channel.state = 'pending' AND {_MAY_RESUME}
                THEN ({_FIRST_OF_CHANNEL} AND delivery.kind = 'verify' LIMIT 1) END,
        channel.id, channel.kind, channel.failures
    FROM step JOIN notifications_channel AS channel ON channel.id = step.channel
    ORDER BY channel.id"""  # nosec B608  # noqa: S608 - only texts of ours
_UNDER_WAY = """
    SELECT delivery.channel_id, channel.kind, channel.failures
    FROM notifications_delivery AS delivery
    JOIN notifications_channel AS channel ON channel.id = delivery.channel_id
    WHERE delivery.leased_until > {now} AND delivery.state = 'waiting'"""

Row = tuple[int, int, str, int]  # a delivery; its channel, that one's kind and failures


@dataclass(frozen=True, slots=True)
class Hint:
    """A delivery that could be sent when we looked."""

    delivery: int
    channel: int


@dataclass(frozen=True, slots=True)
class Look:
    """What was found; `up_to` is the channel with which to go on, 0 when all had their turn."""

    hints: list[Hint]
    up_to: int = 0


def look(*, after: int = 0, in_turn: bool = True) -> Look:
    """The first that are due. If those are many, also the first of each channel after this one, `in_turn`."""
    if SendingSwitch.objects.filter(is_halted=True).exists():
        return Look([])
    first = _rows(_FIRST)
    usable = [(delivery, *channel) for delivery, *channel, is_usable in first if is_usable]
    if len(first) < MOST_LOOKED_AT or not in_turn:
        return Look(_with_room(usable))
    channels = _rows(_IN_TURN, after=after)
    usable += [row for row in channels if row[0] is not None]
    return Look(_with_room(usable), channels[-1][1] if len(channels) == MOST_STEPS else 0)


def most_under_way_to_all_failing() -> int:
    """So that receivers which are down, and slow to say so, leave most threads to the others."""
    return max(1, settings.DELIVERY_THREADS // 4)


def most_under_way_to_all_mailboxes() -> int:
    """They share one mail server: should it hang, webhooks have the other threads."""
    return max(1, settings.DELIVERY_THREADS // 2)


def _with_room(rows: Iterable[Row]) -> list[Hint]:
    """No more for a channel than it may have under way, nor for all that fail, nor for all mailboxes."""
    under_way: Counter[int] = Counter()
    to_failing = to_mailboxes = 0
    for channel, kind, failures in _rows(_UNDER_WAY):
        under_way[channel] += 1
        to_failing += failures > 0
        to_mailboxes += kind == Channel.Kind.EMAIL
    hints: dict[int, Hint] = {}
    for delivery, channel, kind, failures in rows:
        is_failing, is_mailbox = failures > 0, kind == Channel.Kind.EMAIL
        most = MOST_UNDER_WAY_TO_FAILING if is_failing else MOST_UNDER_WAY[Channel.Kind(kind)]
        if delivery in hints or under_way[channel] >= most:
            continue
        if is_failing and to_failing >= most_under_way_to_all_failing():
            continue
        if is_mailbox and to_mailboxes >= most_under_way_to_all_mailboxes():
            continue
        under_way[channel] += 1
        to_failing += is_failing
        to_mailboxes += is_mailbox
        hints[delivery] = Hint(delivery, channel)
    return list(hints.values())


def _rows(statement: str, **parameters: int) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement.format(now=database_time()), parameters)
        return list(cursor.fetchall())
