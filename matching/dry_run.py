"""How many subscriptions an event would match, without publishing it.

Only workers have a matcher. So the question is laid down in the cache under a random token, a message with
the token goes to the match queue, and the answer comes back through the cache. Nobody has to tidy up: all of
it expires with the patience of whoever asked.
"""

import json
import secrets
import time
from datetime import datetime
from threading import BoundedSemaphore

import structlog
from celery import current_app
from django.core.cache import cache
from django.db import connection
from kombu.exceptions import KombuError
from redis import RedisError
from rest_framework import status
from rest_framework.exceptions import APIException

from matching.live import LiveMatcher
from matching.revisions import Ready
from schema_registry.selectors import schema_at

COUNT_MATCHES = "matching.tasks.count_matches"
PATIENCE_SECONDS = 10.0
MOST_AT_ONCE = 32  # of a process; each keeps a thread waiting
_SECONDS_BETWEEN_LOOKS = 0.015
_places = BoundedSemaphore(MOST_AT_ONCE)
_log = structlog.get_logger(__name__)


class NoCount(APIException):
    """The event is fine, but nobody can say now how many subscriptions it matches."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "no_count"
    wait = 5


def match_count(ready: Ready, *, now: datetime) -> int:
    """How many subscriptions the event matches if it is accepted now. May take seconds; raises NoCount."""
    if not _places.acquire(blocking=False):
        raise NoCount("Too many dry runs are going on; nothing was stored. Try again in a moment.")
    if not connection.in_atomic_block:
        connection.close()  # others can use it while we wait
    try:
        return _asked(ready, now)
    except (RedisError, KombuError) as error:
        _log.warning("dry_run_failed", error=str(error))
        raise NoCount("The matches cannot be counted now; nothing was stored. Try again.") from None
    finally:
        _places.release()


def answer(token: str, live: LiveMatcher) -> None:
    """Count for whoever asked under this token, if he still waits."""
    question = cache.get(_question(token))
    if question is None:
        return
    document, schema_version, accepted_at = json.loads(question)
    live.catch_up()
    event = schema_at(schema_version).validate(document)
    found = live.match(event, accepted_at=datetime.fromisoformat(accepted_at))
    cache.set(_answer(token), len(found), timeout=PATIENCE_SECONDS)


def _asked(ready: Ready, now: datetime) -> int:
    token = secrets.token_urlsafe(16)
    question = f'[{ready.document}, {ready.schema_version}, "{now.isoformat()}"]'
    cache.set(_question(token), question, timeout=PATIENCE_SECONDS)
    current_app.send_task(COUNT_MATCHES, [token], expires=PATIENCE_SECONDS)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (count := cache.get(_answer(token))) is None:
        if time.monotonic() >= deadline:
            raise NoCount("No worker counted the matches in time; nothing was stored. Try again.")
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return int(count)


def _question(token: str) -> str:
    return f"dry-run:{token}:question"


def _answer(token: str) -> str:
    return f"dry-run:{token}:answer"
