"""Writing matches down: those of several events together, and with the last one of an event its new state.

The unique key of a match makes writing it twice the same as writing it once. A transaction has at most
`ROWS_PER_TRANSACTION`, since publishers wait for their answers meanwhile.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from matching import failpoints, leases, match_rows, metrics
from matching.announcements import announce
from matching.feed_wakeups import wake_feeds
from matching.leases import Leased
from matching.models import Match, MatchWork, PublishedEvent
from matching.signals import matched
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way

RENEW_AFTER_SECONDS = 3.0

Found = tuple[Leased, list[int]]  # an event, and the subscriptions it matches


@dataclass(frozen=True, slots=True)
class Portion:
    """What one transaction writes: matches as (event, subscription), and the work that is done with them."""

    matches: list[tuple[int, int]] = field(default_factory=list)
    finished: list[Leased] = field(default_factory=list)


def record(found: Sequence[Found]) -> None:
    """Write the matches and finish the work; its leases are kept alive meanwhile."""
    renewed_at = time.monotonic()
    for number, portion in enumerate(portions(found)):
        if number:
            failpoints.reached("match.between-commits")
        if time.monotonic() - renewed_at > RENEW_AFTER_SECONDS:
            leases.renew([work for work, _ in found])
            renewed_at = time.monotonic()
        _write(portion)
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


def _write(portion: Portion) -> None:
    with transaction.atomic():
        owners = match_rows.insert(portion.matches, now=timezone.now())
        _finish(portion.finished)
        failpoints.reached("match.before-commit")
    failpoints.reached("match.after-commit")
    wake_feeds(owners)
    if portion.finished:
        matched.send(sender=Match)
    now = timezone.now()
    metrics.MATCHES.inc(len(owners))
    metrics.MATCHED.inc(len(portion.finished))
    for work in portion.finished:
        metrics.LATENCY.observe((now - work.accepted_at).total_seconds())


def _finish(work: Sequence[Leased]) -> None:
    """Let the work go; events without any left, on whichever shard, are matched now.

    Also those that others have finished or parked meanwhile, since they took us for dead.
    """
    events = PublishedEvent.objects.filter(pk__in=[each.event for each in work])
    # Two shards that finish the same event at once must see each other's work go.
    list(events.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    MatchWork.objects.filter(pk__in=[each.number for each in work]).delete()
    matches = Match.objects.filter(event=OuterRef("pk")).order_by().values("event")
    done = events.exclude(Exists(MatchWork.objects.filter(event=OuterRef("pk"))))
    done.exclude(state=PublishedEvent.State.WITHDRAWN).update(
        state=PublishedEvent.State.MATCHED,
        matched_at=timezone.now(),
        match_count=Coalesce(Subquery(matches.annotate(count=Count("pk")).values("count")), 0),
        reason="",
    )
    announce([each.event for each in work])
