"""How many subscriptions an event would match, without publishing it.

Only workers have a matcher. So the question is laid down in the cache under a random token, a message with
the token goes to the queue of each shard, and the answers come back through the cache. Nobody has to tidy up:
all of it expires with the patience of whoever asked.
"""

import json
import secrets
import time
from datetime import datetime
from threading import BoundedSemaphore

import structlog
from celery import current_app
from django.conf import settings
from django.core.cache import BaseCache, caches
from django.db import connection
from kombu.exceptions import KombuError
from redis import RedisError
from rest_framework import status
from rest_framework.exceptions import APIException

from matching.live import LiveMatcher
from matching.revisions import Ready
from matching.shards import Shard, split
from schema_registry.core.sentences import gettext as _
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
        raise NoCount(_("Too many dry runs are going on; nothing was stored. Try again in a moment."))
    if not connection.in_atomic_block:
        connection.close()  # others can use it while we wait
    try:
        return _asked(ready, now)
    except (RedisError, KombuError) as error:
        _log.warning("dry_run_failed", error=str(error))
        raise NoCount(_("The matches cannot be counted now; nothing was stored. Try again.")) from None
    finally:
        _places.release()


def answer(token: str, live: LiveMatcher) -> None:
    """Count on this shard for whoever asked under this token, if he still waits."""
    question = _shared().get(_question(token))
    if question is None:
        return
    document, schema_version, accepted_at = json.loads(question)
    live.catch_up()
    event = schema_at(schema_version).validate(document)
    found = live.match(event, accepted_at=datetime.fromisoformat(accepted_at))
    _shared().set(_answer(token, live.shard), len(found), timeout=PATIENCE_SECONDS)


def _asked(ready: Ready, now: datetime) -> int:
    token = secrets.token_urlsafe(16)
    question = f'[{ready.document}, {ready.schema_version}, "{now.isoformat()}"]'
    _shared().set(_question(token), question, timeout=PATIENCE_SECONDS)
    shards = split(settings.MATCHING_SHARDS)
    for shard in shards:
        arguments = [token, shard.number]
        current_app.send_task(COUNT_MATCHES, arguments, queue=shard.queue, expires=PATIENCE_SECONDS)
    deadline = time.monotonic() + PATIENCE_SECONDS
    answers = [_answer(token, shard) for shard in shards]
    while len(counts := _shared().get_many(answers)) < len(answers):
        if time.monotonic() >= deadline:
            raise NoCount(_("No worker counted the matches in time; nothing was stored. Try again."))
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return sum(map(int, counts.values()))


def _question(token: str) -> str:
    return f"dry-run:{token}:question"


def _answer(token: str, shard: Shard) -> str:
    return f"dry-run:{token}:answer:{shard.number}/{shard.of}"


def _shared() -> BaseCache:
    return caches["between_processes"]
