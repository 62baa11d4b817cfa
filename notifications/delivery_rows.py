"""Writing deliveries and their entries, thousands a second: one statement for many.

The keys make writing something twice the same as writing it once. Callers are in a transaction, and give what
they have in the order of its keys, so that no two of them wait for each other.
"""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from notifications.core.planning import Key, Late, Planned
from notifications.json_rows import table
from notifications.models import Delivery

# `WHERE true` tells SQLite that ON CONFLICT is not a condition of the join. Since it was planned for, a
# channel or a match may be gone for good.
_INSERT = """
    INSERT INTO notifications_delivery
      (uid, channel_id, key, kind, event_id, about, state, planned_at, next_attempt_at, attempts, reason)
    SELECT new.uid, channel.id, new.key, new.kind, new.event, '{{}}', 'waiting', %s, new.due, 0, ''
    FROM {new} AS new
    JOIN notifications_channel AS channel ON channel.id = new.channel
    WHERE true
    ON CONFLICT DO NOTHING
    RETURNING channel_id, key, id"""
_FIND = """
    SELECT delivery.channel_id, delivery.key, delivery.id, delivery.state, delivery.attempts
    FROM {wanted} AS wanted
    JOIN notifications_delivery AS delivery
      ON delivery.channel_id = wanted.channel AND delivery.key = wanted.key
    ORDER BY delivery.channel_id, delivery.key"""
_INSERT_ENTRIES = """
    INSERT INTO notifications_entry (delivery_id, channel_id, match_id, is_overflow, is_told)
    SELECT new.delivery, new.channel, match.id, new.is_overflow, false
    FROM {new} AS new
    JOIN matching_match AS match ON match.id = new.match
    WHERE true
    ON CONFLICT DO NOTHING"""
_STILL_THERE = """
    SELECT delivery.id
    FROM {wanted} AS wanted
    JOIN notifications_delivery AS delivery ON delivery.id = wanted.number
    ORDER BY delivery.id"""
_DELETE_EMPTY = """
    DELETE FROM notifications_delivery
    WHERE id IN (SELECT number FROM {new} AS new)
      AND NOT EXISTS (
        SELECT 1 FROM notifications_entry AS entry WHERE entry.delivery_id = notifications_delivery.id)
    RETURNING channel_id, key"""
_62_BITS = (1 << 62) - 1


@dataclass(frozen=True, slots=True)
class Row:
    """A delivery that is there. An open one has not been begun, so it may still tell of more."""

    number: int
    is_open: bool


def find(keys: Collection[Key], *, lock: bool) -> dict[Key, Row]:
    """Those of the deliveries that are there; with their locks nobody begins to send them."""
    if not keys:
        return {}
    statement = _FIND.format(wanted=table(channel="bigint", key="text"))
    if lock and connection.features.has_select_for_update:
        statement += " FOR NO KEY UPDATE OF delivery"
    with connection.cursor() as cursor:
        cursor.execute(statement, [json.dumps(sorted(keys))])
        return {
            (channel, key): Row(number, is_open=state == Delivery.State.WAITING and attempts == 0)
            for channel, key, number, state, attempts in cursor.fetchall()
        }


def insert(planned: Sequence[Planned], *, now: datetime) -> dict[Key, int]:
    """Insert those that are not there yet; the numbers of the new ones."""
    if not planned:
        return {}
    columns = {"uid": "uuid", "channel": "bigint", "key": "text", "kind": "text", "event": "bigint"}
    statement = _INSERT.format(new=table(**columns, due="timestamptz"))
    due = {moment: str(_stored(moment)) for moment in {each.due for each in planned}}
    rows = [
        (
            _new_uid(now),
            *each.key,
            Delivery.Kind.DIGEST if each.is_digest else Delivery.Kind.MATCH,
            None if each.is_digest else each.tellings[0].event,
            due[each.due],
        )
        for each in planned
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, [_stored(now), json.dumps(rows)])
        return {(channel, key): number for channel, key, number in cursor.fetchall()}


def insert_entries(planned: Sequence[Planned], numbers: dict[Key, int]) -> bool:
    """What the deliveries of these numbers tell of, unless another tells it; whether none was left out."""
    rows = [
        (numbers[each.key], each.key[0], match, telling.is_overflow)
        for each in planned
        if each.key in numbers
        for telling in each.tellings
        for match in telling.matches
    ]
    return _insert_entries(rows) == len(rows)


def join(late: Sequence[Late]) -> None:
    """They belong to what is told already; if that was sent, or is gone, nothing more comes of it."""
    there = _still_there({each.delivery for each in late}) if late else set()
    if rows := [(each.delivery, each.channel, each.match, False) for each in late if each.delivery in there]:
        _insert_entries(rows)


def _still_there(numbers: Collection[int]) -> set[int]:
    """Those that are, and nobody deletes before our commit."""
    statement = _STILL_THERE.format(wanted=table(number="bigint"))
    if connection.features.has_select_for_update:
        statement += " FOR KEY SHARE OF delivery"
    with connection.cursor() as cursor:
        cursor.execute(statement, [json.dumps([[number] for number in sorted(numbers)])])
        return {number for (number,) in cursor.fetchall()}


def _insert_entries(rows: Sequence[tuple[int, int, int, bool]]) -> int:
    columns = {"delivery": "bigint", "channel": "bigint", "match": "bigint", "is_overflow": "boolean"}
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_ENTRIES.format(new=table(**columns)), [json.dumps(rows)])
        inserted: int = cursor.rowcount
    return inserted


def delete_empty(numbers: Collection[int]) -> set[Key]:
    """Delete those of the deliveries that tell of nothing."""
    with connection.cursor() as cursor:
        statement = _DELETE_EMPTY.format(new=table(number="bigint"))
        cursor.execute(statement, [json.dumps([[number] for number in numbers])])
        return {(channel, key) for channel, key in cursor.fetchall()}


def _new_uid(now: datetime) -> str:
    """A UUID of version 7 (RFC 9562): one after another, so that their index grows at its end.

    With random ones planning takes longer, the more so the more deliveries there are.
    """
    by_chance = secrets.randbits(74)
    return f"{int(now.timestamp() * 1000):012x}7{by_chance >> 62:03x}{1 << 63 | by_chance & _62_BITS:016x}"


def _stored(moment: datetime) -> datetime | str | None:
    return connection.ops.adapt_datetimefield_value(moment)
