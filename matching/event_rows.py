"""Events and the work they bring, as rows: thousands a second, in statements of our own.

Through the ORM an event and its work take some 110 us of our time, nearly all of it in Python; here it is 15
on SQLite and 50 on PostgreSQL.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.db import connection

from matching.shards import split

_MOST_PARAMETERS = 900  # of a statement; some builds of SQLite take 999
_EVENT = "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'accepted', 0, '')"
_INSERT_EVENTS = """
    INSERT INTO matching_publishedevent (
        publisher_id, external_id, revision, digest, schema_version, document, title, url, image_url,
        ends_at, accepted_at, state, match_count, reason
    ) VALUES {} RETURNING id, external_id, revision"""
_INSERT_WORK = "INSERT INTO matching_matchwork (event_id, shard, shards, attempts) VALUES {}"
_SELECT_NEWEST = """
    SELECT external_id, revision, digest, id FROM matching_publishedevent AS event
    WHERE publisher_id = %s AND external_id IN ({}) AND revision = (
        SELECT MAX(revision) FROM matching_publishedevent AS other
        WHERE other.publisher_id = event.publisher_id AND other.external_id = event.external_id
    )"""
_SELECT_NAMED = """
    SELECT external_id, revision, digest, id FROM matching_publishedevent
    WHERE publisher_id = %s AND (external_id, revision) IN (VALUES {})"""
Item = TypeVar("Item")
Revision = tuple[str, int, str, int]  # external id, revision, digest, number


class EventRow(NamedTuple):
    """An event about to be accepted; `document` is JSON."""

    publisher: int
    external_id: str
    revision: int
    digest: str
    schema_version: int
    document: str
    title: str
    url: str
    image_url: str
    ends_at: datetime | None


def insert(rows: Sequence[EventRow], *, accepted_at: datetime, shards: int) -> dict[tuple[str, int], int]:
    """Insert events of one publisher and the work they bring; their numbers by external id and revision.

    Raises IntegrityError when one of them is there already.
    """
    moment = connection.ops.adapt_datetimefield_value
    accepted = moment(accepted_at)
    numbers = {}
    with connection.cursor() as cursor:
        for some in _portions(rows, _MOST_PARAMETERS // _EVENT.count("%s")):
            parameters: list[Any] = []
            for row in some:
                parameters += row[:-1]
                parameters += (row.ends_at and moment(row.ends_at), accepted)
            cursor.execute(_statement(_INSERT_EVENTS, _EVENT, len(some)), parameters)
            numbers.update({(name, revision): number for number, name, revision in cursor.fetchall()})
    insert_work(numbers.values(), shards=shards)
    return numbers


def insert_work(events: Collection[int], *, shards: int) -> None:
    """What these events need that have none: one piece for each shard."""
    pieces = ", ".join(f"(%s, {shard.number}, {shard.of}, 0)" for shard in split(shards))
    with connection.cursor() as cursor:
        for some in _portions(events, _MOST_PARAMETERS // shards):
            parameters = [event for event in some for _ in range(shards)]
            cursor.execute(_statement(_INSERT_WORK, pieces, len(some)), parameters)


def newest(publisher: int, external_ids: Collection[str]) -> Iterator[Revision]:
    """The newest revision of each of these items that is stored; an item may have very many."""
    with connection.cursor() as cursor:
        for some in _portions(external_ids, _MOST_PARAMETERS):
            cursor.execute(_statement(_SELECT_NEWEST, "%s", len(some)), [publisher, *some])
            yield from cursor.fetchall()


def named(publisher: int, pairs: Collection[tuple[str, int]]) -> Iterator[Revision]:
    """Of these external ids and revisions those that are stored."""
    with connection.cursor() as cursor:
        for some in _portions(pairs, _MOST_PARAMETERS // 2):
            parameters = [publisher, *(each for pair in some for each in pair)]
            cursor.execute(_statement(_SELECT_NAMED, "(%s, %s)", len(some)), parameters)
            yield from cursor.fetchall()


@cache
def _statement(statement: str, part: str, count: int) -> str:
    return statement.format(", ".join([part] * count))


def _portions(items: Collection[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
