"""Live keys by their digests, with their users and publishers, for every request of a program.

Asking the ORM takes a third of the time of a small request, nearly all of it to write the query and to build
the objects. So the query is written once, and the objects of a row are kept for as long as the row stays
exactly as it was: a key that is revoked is refused at once.
"""

from functools import cache
from threading import Lock
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from schema_registry.accounts.models import ApiKey

_MOST_KEPT = 1_000
_kept: dict[str, tuple[tuple[Any, ...], ApiKey]] = {}
_keeping = Lock()


def live_key(digest: str) -> ApiKey | None:
    """The key with this digest, unless it was revoked or its user switched off. Treat it as read-only."""
    row = _row(digest)
    if row is None:
        with _keeping:
            _kept.pop(digest, None)
        return None
    kept = _kept.get(digest)
    if kept is not None and kept[0] == row:
        return kept[1]
    key = _live(digest).first()
    if key is not None:
        with _keeping:
            while len(_kept) >= _MOST_KEPT:
                del _kept[next(iter(_kept))]
            _kept[digest] = row, key
    return key


def _row(digest: str) -> tuple[Any, ...] | None:
    """All columns of the key, its user and its publisher, as the database gives them."""
    statement, parameters = _statement(connection.alias, connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(statement, [digest if each == "" else each for each in parameters])
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row


@cache
def _statement(alias: str, vendor: str) -> tuple[str, tuple[Any, ...]]:
    """The SQL for `_live`; the digest's place among the parameters is the empty string."""
    statement, parameters = _live("").query.get_compiler(alias).as_sql()
    return statement, tuple(parameters)


def _live(digest: str) -> QuerySet[ApiKey]:
    keys = ApiKey.objects.select_related("user", "user__publisher")
    return keys.filter(digest=digest, revoked_at=None, user__is_active=True)
