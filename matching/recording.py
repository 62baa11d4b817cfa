"""Writing matches down: those of several events together, and with the last one of an event its new state.

The unique key of a match makes writing it twice the same as writing it once. A transaction has at most
`ROWS_PER_TRANSACTION`, since publishers wait for their answers meanwhile.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.db import connection, transaction
from django.utils import timezone

from matching import failpoints, leases, match_rows, metrics
from matching.announcements import announce
from matching.feed_wakeups import wake_feeds
from matching.leases import Leased
from matching.models import Match, MatchWork, PublishedEvent
from matching.shards import WHOLE, Shard
from matching.signals import matched
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way

State = PublishedEvent.State
RENEW_AFTER_SECONDS = 3.0
# It says which they were: of several shards one is the last, and only that one tells of the event.
_MARK_AS_MATCHED = """
    UPDATE matching_publishedevent AS event SET state = %s, matched_at = %s, reason = '', match_count = (
        SELECT count(*) FROM matching_match WHERE matching_match.event_id = event.id
    )
    WHERE id IN ({events}) AND state IN ({states})
    AND NOT EXISTS (SELECT 1 FROM matching_matchwork AS work WHERE work.event_id = event.id)
    RETURNING id"""

Found = tuple[Leased, list[int]]  # an event, and the subscriptions it matches


@dataclass(frozen=True, slots=True)
class Portion:
    """What one transaction writes: matches as (event, subscription), and the work that is done with them."""

    matches: list[tuple[int, int]] = field(default_factory=list)
    finished: list[Leased] = field(default_factory=list)


def record(found: Sequence[Found], *, shard: Shard = WHOLE) -> None:
    """Write the matches on this shard and finish the work; its leases are kept alive meanwhile."""
    renewed_at = time.monotonic()
    for number, portion in enumerate(portions(found)):
        if number:
            failpoints.reached("match.between-commits")
        if time.monotonic() - renewed_at > RENEW_AFTER_SECONDS:
            leases.renew([work for work, _ in found])
            renewed_at = time.monotonic()
        _write(portion, shard)
        give_way()


def portions(found: Iterable[Found]) -> Iterator[Portion]:
    """An event is finished with the last of its matches."""
    portion = Portion()
    for work, subscriptions in found:
        for subscription in subscriptions:
            if len(portion.matches) == ROWS_PER_TRANSACTION:
                yield portion
                portion = Portion()
            portion.matches.append((work.event, subscription))
        portion.finished.append(work)
    if portion.finished:
        yield portion


def _write(portion: Portion, shard: Shard) -> None:
    with transaction.atomic():
        owners = match_rows.insert(portion.matches, now=timezone.now())
        done = _finish(portion.finished, shard)
        failpoints.reached("match.before-commit")
    failpoints.reached("match.after-commit")
    wake_feeds(owners)
    if done:
        matched.send(sender=Match)
    now = timezone.now()
    metrics.MATCHES.inc(len(owners))
    metrics.MATCHED.inc(len(done))
    for work in portion.finished:
        if work.event in done:
            metrics.LATENCY.observe((now - work.accepted_at).total_seconds())


def _finish(work: Sequence[Leased], shard: Shard) -> set[int]:
    """Let the work go; events without any left, on whichever shard, are matched now. Which these are.

    Also those that others have finished meanwhile, since they took us for dead. One that they have parked is
    matched after all if we know all subscriptions; else the other shards' work went with ours, undone.
    """
    if not work:
        return set()
    events = [each.event for each in work]
    leases.lock(events)  # two shards that finish the same event at once must see each other's work go
    MatchWork.objects.filter(pk__in=[each.number for each in work]).delete()
    states = [State.ACCEPTED, State.MATCHED, *([State.PARKED] if shard.is_whole else [])]
    statement = _MARK_AS_MATCHED.format(events=_places(events), states=_places(states))
    with connection.cursor() as cursor:
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        cursor.execute(statement, [State.MATCHED, now, *events, *states])
        done = {event for (event,) in cursor.fetchall()}
    announce(sorted(done))
    return done


def _places(parameters: Sequence[object]) -> str:
    return ", ".join(["%s"] * len(parameters))
