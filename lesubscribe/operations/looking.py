"""Reading how things stand.

Nothing is counted further than `MOST_COUNTED`, and each count follows an index, so a look costs the same,
however much was ever published or sent.
"""

import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import redis
from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet
from django.template.defaultfilters import filesizeformat

from lesubscribe import health
from lesubscribe.operations import disk, matchers
from lesubscribe.operations.figures import (
    Count,
    Disk,
    Failing,
    Figures,
    Halt,
    Night,
    Operator,
    Queue,
    Worker,
)
from lesubscribe.operations.models import Sample
from matching import leases, stored_reasons
from matching.change_log import last_change
from matching.models import Announcement, MatchWork, NightlyRun, PublishedEvent
from matching.operators import plugins
from matching.operators.circuit import OperatorState
from matching.shards import split
from notifications import channels, switch
from notifications.models import Channel, Delivery, SendingSwitch

MOST_COUNTED = 10_000
MOST_READ = 1_000  # rows that are counted by what stands in them
MOST_LOOKED_AT = 500  # due deliveries, to find one that could be sent
NIGHTS_LOOKED_AT = 200
DAY, LATELY = timedelta(days=1), timedelta(minutes=10)
LONG_AGO = timedelta(days=30)  # what is asked for by hand is due as if it were older, so that it comes first


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits on one shard."""

    name: str
    queue: str
    waiting: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The figures, and what the page shows beside them."""

    figures: Figures
    shards: tuple[Backlog, ...]
    told: tuple[matchers.Told, ...]
    redis: str
    parts: tuple[disk.Part, ...]
    database: str
    latest: Sample | None


def look(*, now: datetime) -> Look:
    waiting, limit = _waiting(), settings.BACKLOG_LIMIT
    latest = Sample.objects.order_by("-minute").first()
    in_redis = _in_redis()
    told = in_redis.told
    halted = SendingSwitch.objects.filter(pk=switch.THE_ROW, is_halted=True).select_related("changed_by")
    behind = last_change() - min((each.description.sequence for each in told), default=last_change())
    return Look(
        figures=Figures(
            waiting=waiting,
            # Counting so many takes long; that is done once a minute, see `sampling`.
            is_shedding=latest is not None and waiting.count.is_more and latest.waiting > limit,
            planning=_planning(),
            due=_due(now=now),
            deliveries=_counted(waiting_deliveries()),
            workers=tuple(_workers()),
            parked=_parked(),
            failing=_failing(),
            given_up=_given_up(since=now - DAY),
            halt=next((Halt(row.changed_at, row.reason, str(row.changed_by or "")) for row in halted), None),
            nights=tuple(_bad_nights(last_nights(NIGHTS_LOOKED_AT))),
            redis_problem=in_redis.problem,
            disk=_disk(),
            changes_behind=max(0, behind),
            sampled_at=None if latest is None else datetime.fromtimestamp(latest.minute * 60, UTC),
            operators=_operators(told),
            left_out=plugins.installed().problems,
        ),
        shards=tuple(_backlogs()),
        told=tuple(told),
        redis=in_redis.said,
        parts=tuple(in_redis.parts),
        database=_database(),
        latest=latest,
    )


def waiting_work() -> QuerySet[MatchWork]:
    """Of all shards, the oldest first."""
    return MatchWork.objects.order_by("pk")


def waiting_deliveries() -> QuerySet[Delivery]:
    """In the order in which they are due."""
    return Delivery.objects.filter(state=Delivery.State.WAITING).order_by("next_attempt_at")


def parked_events() -> QuerySet[PublishedEvent]:
    """The newest first."""
    return PublishedEvent.objects.filter(state=PublishedEvent.State.PARKED).order_by("-state_changed_at")


def failing_channels() -> QuerySet[Channel]:
    """Those that are still tried, and those that we switched off for it; the longest first."""
    wanted = Channel.objects.filter(failures__gt=0, removed_at__isnull=True)
    by_owner = Q(state=Channel.State.DISABLED, reason__in=[channels.BY_OWNER, channels.LEFT_THE_ACCOUNT])
    return wanted.exclude(by_owner).order_by("failing_since")


def given_up_deliveries() -> QuerySet[Delivery]:
    """The newest first."""
    return Delivery.objects.filter(state=Delivery.State.DEAD).order_by("-finished_at")


def last_nights(most: int) -> list[NightlyRun]:
    """The newest first."""
    runs = NightlyRun.objects.order_by("-pk").defer("stages", "rejects", "quarantined", "top_matches")
    return list(runs[:most])


def waits_since(event: PublishedEvent) -> datetime:
    """Since it was accepted; one that is tried again, since that."""
    return max(event.accepted_at, event.state_changed_at or event.accepted_at)


def _waiting() -> Queue:
    first = waiting_work().select_related("event").defer("event__document").first()
    most = min(MOST_COUNTED, settings.BACKLOG_LIMIT)
    since = None if first is None else waits_since(first.event)
    return Queue(Count.up_to(most, leases.waiting(most=most + 1)), since)


def _backlogs() -> list[Backlog]:
    shards = split(settings.MATCHING_SHARDS)
    return [
        Backlog(
            str(shard.number + 1),
            shard.queue,
            _counted(MatchWork.objects.filter(shards=shard.of, shard=shard.number)),
        )
        for shard in shards
    ]


def _planning() -> Queue:
    waiting = Announcement.objects.order_by("pk")
    first = waiting.values_list("event__matched_at", flat=True).first()
    return Queue(_counted(waiting), first)


def _due(*, now: datetime) -> Queue:
    """Those that could be sent, among the first of all.

    If so many, say of a channel that is switched off, have none, then among the first of the last minutes.
    """
    for since in (now - LONG_AGO, now - LATELY):
        due = waiting_deliveries().filter(next_attempt_at__gt=since, next_attempt_at__lte=now)
        rows = list(
            due.values_list("next_attempt_at", "kind", "channel__state", "channel__failures")[:MOST_LOOKED_AT]
        )
        usable = [at for at, kind, state, failures in rows if _can_be_sent(kind, state, failures)]
        if usable or len(rows) < MOST_LOOKED_AT:
            break
    return Queue(Count(len(usable), len(rows) == MOST_LOOKED_AT), next(iter(usable), None))


def _can_be_sent(kind: str, state: str, failures: int) -> bool:
    """At a channel that fails it waits for that, and that is said elsewhere."""
    is_verification = state == Channel.State.PENDING and kind == Delivery.Kind.VERIFY
    return failures == 0 and (state == Channel.State.ACTIVE or is_verification)


def _workers() -> list[Worker]:
    return [
        Worker(queue, None if at is None else datetime.fromtimestamp(at, UTC))
        for queue, at in health.last_probes().items()
    ]


def _parked() -> Queue:
    first = parked_events().reverse().values_list("state_changed_at", flat=True).first()
    return Queue(_counted(parked_events()), first)


def _failing() -> tuple[Failing, ...]:
    """By kind, and those that are switched off apart."""
    groups: dict[tuple[str, bool], list[datetime | None]] = defaultdict(list)
    rows = list(failing_channels().values_list("kind", "state", "failing_since")[: MOST_READ + 1])
    for kind, state, since in rows:
        is_off = state == Channel.State.DISABLED
        groups["" if is_off else kind, is_off].append(since)
    return tuple(
        Failing(kind, is_off, Queue(Count(len(moments), is_more=len(rows) > MOST_READ), moments[0]))
        for (kind, is_off), moments in sorted(groups.items())
    )


def _given_up(*, since: datetime) -> Queue:
    lately = given_up_deliveries().filter(finished_at__gt=since)
    return Queue(_counted(lately), lately.reverse().values_list("finished_at", flat=True).first())


def _bad_nights(runs: Sequence[NightlyRun]) -> list[Night]:
    """Of each site the last one that ended, if it was not as usual."""
    last: dict[str, NightlyRun] = {}
    for run in runs:
        if run.state in (NightlyRun.State.LOADED, NightlyRun.State.FAILED):
            last.setdefault(run.site, run)
    return [
        Night(str(run), run.state == NightlyRun.State.FAILED, _what_a_night_said(run), run.ended_at)
        for run in last.values()
        if run.state == NightlyRun.State.FAILED or run.alerts
    ]


def _what_a_night_said(run: NightlyRun) -> str:
    failed = run.state == NightlyRun.State.FAILED
    said = " ".join(map(stored_reasons.again, [run.problem] if failed else run.alerts))
    return said.strip().splitlines()[-1] if said.strip() else ""


@dataclass(frozen=True, slots=True)
class _InRedis:
    """What Redis says of itself, what is wrong with it, and what was laid down there."""

    said: str = ""
    problem: str = ""
    told: Sequence[matchers.Told] = ()
    parts: Sequence[disk.Part] = ()


def _in_redis() -> _InRedis:
    try:
        client = redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2)
        about = client.info("memory") | client.info("server")
        return _InRedis(
            f"{about['redis_version']}, {filesizeformat(about['used_memory'])}",
            "",
            matchers.told(),
            disk.parts(),
        )
    except redis.RedisError as error:
        return _InRedis(problem=str(error).strip() or type(error).__name__)


def _database() -> str:
    """Which, and how large."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
        else:
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        (size,) = cursor.fetchone() or (0,)
    return f"{connection.display_name}, {filesizeformat(size)}"


def _operators(told: Sequence[matchers.Told]) -> tuple[Operator, ...]:
    """By name, as the worker tells of each where it has failed most."""
    states = [OperatorState(**state) for each in told for state in each.description.operators]
    worst = {state.name: state for state in sorted(states, key=lambda state: state.failures_since)}
    return tuple(
        Operator(
            name=name,
            evaluations=state.evaluations,
            skipped=state.skipped,
            mean_seconds=state.mean_seconds,
            failures=state.failures_since,
            since=_moment(state.failing_since),
            disabled_until=_moment(state.disabled_until),
            error=state.last_error,
        )
        for name, state in sorted(worst.items())
    )


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _disk() -> Disk:
    usage = shutil.disk_usage(settings.VAR)
    return Disk(usage.free, usage.total)


def _counted(rows: QuerySet) -> Count:
    return Count.up_to(MOST_COUNTED, rows.order_by()[: MOST_COUNTED + 1].count())
