"""Matching what waits: take work under a lease, match it, write the matches, and let the work go."""

import time
from collections.abc import Sequence

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError

from matching import failpoints, leases, metrics, stored_reasons
from matching.leases import Leased
from matching.live import LiveMatcher
from matching.models import PublishedEvent
from matching.recording import Found, record
from schema_registry.selectors import schema_at

_log = structlog.get_logger(__name__)


def drain(live: LiveMatcher, *, seconds: float = float("inf")) -> int:
    """Match until nothing waits on its shard, or for about so many seconds; how many events were matched."""
    deadline = time.monotonic() + seconds
    matched = 0
    shard = live.shard
    leases.park_hopeless(shard)
    metrics.LAG.labels(shard.number).set(live.behind())
    live.catch_up()  # a long way to catch up is gone before there is a lease to run out
    while time.monotonic() < deadline and (work := leases.take(shard)):
        live.catch_up()
        metrics.SUBSCRIPTIONS.labels(shard.number).set(len(live))
        for each in work:
            failpoints.reached("match.leased", each.event)
        found = _found(live, work)
        record(found, shard=shard)
        matched += len(found)
    return matched


def _found(live: LiveMatcher, work: Sequence[Leased]) -> list[Found]:
    """Whom the events match. If one cannot be matched, all are left to their leases, and come alone then."""
    try:
        schemas = {version: schema_at(version) for version in {each.schema_version for each in work}}
        events = [(schemas[each.schema_version].validate(each.document), each.accepted_at) for each in work]
        return list(zip(work, live.match_many(events), strict=True))
    except (DatabaseError, MemoryError, SoftTimeLimitExceeded):
        raise  # nothing is wrong with the events
    except Exception as error:
        _log.exception("matching_failed", events=[each.event for each in work])
        if len(work) == 1:
            said = stored_reasons.MATCHING_FAILED(kind=type(error).__name__)
            PublishedEvent.objects.filter(pk=work[0].event).update(reason=said)
        return []
