"""Sending again what a webhook was sent in a span of time, for a receiver that has lost it.

A replay is a row that knows how far it is. Some deliveries at a time go back to those that wait to be sent,
under the ids they have, and only while little else waits for the channel: what is new never stands behind
thousands of old ones. Both change in one transaction, so it may be stopped anywhere, and whoever looks next
goes on.

Deliveries are found by their numbers, which grow with the time they were planned at; an index by time would
make planning slower, for something that is rarely asked.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Max, Min, QuerySet

from matching import failpoints
from notifications import wakeups
from notifications.channels import NotActive
from notifications.deliveries import AGAIN, CannotReplay
from notifications.models import Channel, Delivery, Replay
from notifications.turns import short_transaction
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

MOST = 10_000
MOST_WAITING = 20
KINDS = (Delivery.Kind.MATCH, Delivery.Kind.DIGEST, Delivery.Kind.NOTICE)
# Two who plan at the same time may take their numbers in another order than their moments.
_OUT_OF_ORDER = timedelta(minutes=10)
_EARLIEST, _LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
_REPLAYS_AT_ONCE = 100


class InvalidSpan(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "invalid_span"


class UnderWay(InputError):  # noqa: N818 - named for what happened
    """Another replay of this channel has not ended yet."""

    code = "replay_under_way"


@dataclass(frozen=True, slots=True)
class Span:
    """From one moment to another, which is not part of it."""

    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """How many deliveries, `MOST` and one more if there are too many; their numbers lie between these."""

    total: int
    first: int
    last: int


def span_of(since: datetime, until: datetime) -> Span:
    """Raises InvalidSpan."""
    if since >= until:
        raise InvalidSpan(_("The end must come after the beginning."))
    return Span(min(max(since, _EARLIEST), _LATEST), min(max(until, _EARLIEST), _LATEST))


def find(channel: Channel, span: Span) -> Found:
    """What would be sent again. Some 50 small queries, however much was sent. Raises CannotReplay,
    InvalidSpan.
    """
    _refuse_unless_possible(channel)
    first = _first_number(channel.pk, planned_at=span.since - _OUT_OF_ORDER)
    last = _first_number(channel.pk, planned_at=span.until + _OUT_OF_ORDER) - 1
    numbers = _sent(channel.pk, span, first=first, last=last).values_list("pk", flat=True)[: MOST + 1]
    found = list(numbers)
    return Found(len(found), found[0], found[-1]) if found else Found(0, 0, 0)


def begin(channel: Channel, span: Span, *, now: datetime) -> Replay:
    """To ask for the same again while it is under way is to ask once.

    Raises CannotReplay, InvalidSpan, NotActive, UnderWay, Channel.DoesNotExist.
    """
    found = find(channel, span)
    with transaction.atomic():
        locked = Channel.objects.select_for_update(no_key=True).get(pk=channel.pk)
        there = Replay.objects.filter(channel=locked, finished_at__isnull=True).first()
        if there is not None:
            return _the_same(there, span)
        _refuse_unless_possible(locked)
        if locked.state != Channel.State.ACTIVE:
            raise NotActive(
                _("This channel is {state}, so nothing is sent to it.", state=locked.get_state_display())
            )
        if not found.total:
            raise CannotReplay(_("Nothing was sent to it in this time."))
        if found.total > MOST:
            raise InvalidSpan(_("These are more than {most:,} messages. Choose a shorter time.", most=MOST))
        transaction.on_commit(wakeups.SENDERS.send)
        begun = Replay.objects.create(
            channel=locked,
            since=span.since,
            until=span.until,
            up_to=found.first - 1,
            last=found.last,
            total=found.total,
            asked_at=now,
        )
        failpoints.at_commit("replay")
    return begun


def stop(channel: Channel, *, now: datetime) -> bool:
    """What is on its way again goes on, the rest stays as it is. Whether there was one."""
    under_way = Replay.objects.filter(channel=channel, finished_at__isnull=True)
    return bool(under_way.update(finished_at=now, is_stopped=True))


def latest(channel: Channel) -> Replay | None:
    return Replay.objects.filter(channel=channel).order_by("-pk").first()


def advance(*, now: datetime) -> int:
    """Let the next ones of every replay wait to be sent, where there is room; how many. May be done by many
    at once, and costs one query when there is no replay.
    """
    under_way = Replay.objects.filter(finished_at__isnull=True, channel__state=Channel.State.ACTIVE)
    rows = list(under_way.values_list("pk", "channel_id")[:_REPLAYS_AT_ONCE])
    begun = sum(_advance(number, now=now) for number, channel in rows if _waiting(channel) < MOST_WAITING)
    if begun:
        wakeups.SENDERS.send()
    return begun


def _advance(number: int, *, now: datetime) -> int:
    with short_transaction():
        open_ones = Replay.objects.select_for_update(no_key=True, skip_locked=True)
        replay = open_ones.filter(pk=number, finished_at__isnull=True).first()
        if replay is None or (room := MOST_WAITING - _waiting(replay.channel_id)) <= 0:
            return 0
        rest = _sent(
            replay.channel_id, Span(replay.since, replay.until), first=replay.up_to + 1, last=replay.last
        )
        portion = list(rest.values_list("pk", flat=True)[:room])
        sent = Delivery.objects.filter(pk__in=portion).exclude(state=Delivery.State.WAITING)
        begun: int = sent.update(next_attempt_at=now, **AGAIN)
        replay.begun += begun
        replay.up_to = portion[-1] if portion else replay.last
        replay.finished_at = now if len(portion) < room or replay.up_to >= replay.last else None
        replay.save(update_fields=["begun", "up_to", "finished_at"])
        failpoints.at_commit("replay-on")
    return begun


def _refuse_unless_possible(channel: Channel) -> None:
    if channel.kind != Channel.Kind.WEBHOOK:
        raise CannotReplay(_("Only what a webhook was sent can be sent again by the span of time."))
    if channel.wants == Channel.Wants.NOTHING:
        raise CannotReplay(_("This channel wants nothing, so nothing is sent to it again."))


def _the_same(there: Replay, span: Span) -> Replay:
    if Span(there.since, there.until) != span:
        raise UnderWay(_("Another time is being sent again. Wait until it is done, or stop it."))
    return there


def _waiting(channel: int) -> int:
    waiting = Delivery.objects.filter(channel=channel, state=Delivery.State.WAITING)
    return len(waiting.values_list("pk", flat=True)[:MOST_WAITING])


def _sent(channel: int, span: Span, *, first: int, last: int) -> QuerySet[Delivery]:
    """Those that ended in some way, by number."""
    planned = Delivery.objects.filter(
        channel=channel,
        pk__gte=first,
        pk__lte=last,
        planned_at__gte=span.since,
        planned_at__lt=span.until,
        kind__in=KINDS,
    )
    return planned.exclude(state=Delivery.State.WAITING).order_by("pk")


def _first_number(channel: int, *, planned_at: datetime) -> int:
    """From which number on deliveries of this channel were planned then or later; halves what is left each
    time.
    """
    mine = Delivery.objects.filter(channel=channel)
    ends = mine.aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is None:
        return 0
    low, high = ends["first"], ends["last"] + 1
    while low < high:
        middle = (low + high) // 2
        number, planned = mine.filter(pk__gte=middle).order_by("pk").values_list("pk", "planned_at")[0]
        if planned >= planned_at:
            high = middle
        else:
            low = number + 1
    return int(low)
