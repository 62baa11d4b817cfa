"""Inserting matches, thousands a second: one statement for many, which finds each one's owner itself.

Through the ORM a row costs some 70 us, most of it in Python; here it is a fifth of that. Both databases take
the pairs as one JSON parameter.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from django.db import connection

_PAIRS = {
    "sqlite": """
        SELECT json_extract(value, '$[0]') AS event, json_extract(value, '$[1]') AS subscription, key AS place
        FROM json_each(%s)""",
    "postgresql": """
        SELECT (value ->> 0)::bigint AS event, (value ->> 1)::bigint AS subscription, place
        FROM jsonb_array_elements(%s::jsonb) WITH ORDINALITY AS pairs (value, place)""",
}
# Subscriptions deleted for good since they were matched are not there to be joined. Rows are numbered in the
# order of the pairs, which is a feed's; left alone, PostgreSQL may join from either side. `WHERE true` tells
# SQLite that ON CONFLICT is not a condition of the join.
_INSERT = """
    INSERT INTO matching_match (event_id, subscription_id, owner_id, matched_at, seen, hidden)
    SELECT found.event, subscription.id, subscription.owner_id, %s, false, false
    FROM ({pairs}) AS found
    JOIN matching_subscription AS subscription ON subscription.id = found.subscription
    WHERE true
    ORDER BY found.place
    ON CONFLICT DO NOTHING
    RETURNING owner_id"""


def insert(matches: Sequence[tuple[int, int]], *, now: datetime) -> list[int]:
    """Insert the (event, subscription) pairs that are not there yet, in their order; the owners of these."""
    if not matches:
        return []
    statement = _INSERT.format(pairs=_PAIRS[connection.vendor])
    with connection.cursor() as cursor:
        cursor.execute(statement, [connection.ops.adapt_datetimefield_value(now), json.dumps(matches)])
        return [owner for (owner,) in cursor.fetchall()]
