"""How many messages an address was given on a day: taken before they are written, so that two planners never
give the same one."""

import json
from collections.abc import Mapping

from django.db import connection

from notifications.core.planning import Day
from notifications.json_rows import table

_TAKE = """
    INSERT INTO notifications_allowance (address, day, used)
    SELECT taken.address, taken.day, taken.count FROM {taken} AS taken
    WHERE true
    ON CONFLICT (address, day) DO UPDATE SET used = notifications_allowance.used + excluded.used
    RETURNING address, day, used"""
_GIVE_BACK = """
    UPDATE notifications_allowance SET used = used - given.count
    FROM {given} AS given
    WHERE notifications_allowance.address = given.address AND notifications_allowance.day = given.day"""
_COLUMNS = {"address": "text", "day": "date", "count": "bigint"}


def take(counts: Mapping[Day, int]) -> dict[Day, int]:
    """Take so many of each day; how many were used before. The rows stay locked until the commit."""
    if not counts:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_TAKE.format(taken=table(**_COLUMNS)), [_rows(counts)])
        known = {(address, str(day)): used for address, day, used in cursor.fetchall()}
    return {day: known[day[0], day[1].isoformat()] - count for day, count in counts.items()}


def give_back(counts: Mapping[Day, int]) -> None:
    """What was taken for messages that did not come to be."""
    if not counts:
        return
    with connection.cursor() as cursor:
        cursor.execute(_GIVE_BACK.format(given=table(**_COLUMNS)), [_rows(counts)])


def _rows(counts: Mapping[Day, int]) -> str:
    return json.dumps(sorted((address, day.isoformat(), count) for (address, day), count in counts.items()))
