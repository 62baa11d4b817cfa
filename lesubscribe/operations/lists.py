"""What is behind the figures: some rows of each, in words. Each list is cut, and read along an index."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.utils.http import urlencode

from lesubscribe.operations.figures import Count
from lesubscribe.operations.looking import (
    MOST_READ,
    failing_channels,
    given_up_deliveries,
    parked_events,
    waiting_deliveries,
    waiting_work,
    waits_since,
)
from matching import stored_reasons
from matching.models import MatchWork, PublishedEvent
from notifications.core.wording import one_line
from notifications.models import Channel, Delivery, SendingSwitch
from schema_registry import said_again

ROWS = 10
EVENTS_OF_A_REASON = 3
REASONS = 10
ROWS_OF_A_LIST = 100
ACTIONS_LOOKED_AT = 100  # of all in the administration: an index by kind would have to sort them
TRIED_LOOKED_AT = 20  # of a failing channel, to find what it last said
LOGGED: tuple[type[Model], ...] = (PublishedEvent, Delivery, Channel, SendingSwitch)


@dataclass(frozen=True, slots=True)
class Reason:
    """Events that were parked for the same reason; `query` names it in an address."""

    said: str
    count: Count
    events: list[PublishedEvent]
    query: str


@dataclass(frozen=True, slots=True)
class FailingChannel:
    row: Channel
    address: str
    said: str

    @property
    def is_off(self) -> bool:
        return self.row.state == Channel.State.DISABLED


@dataclass(frozen=True, slots=True)
class Waiting:
    """An event that is still to be matched on a shard."""

    event: PublishedEvent
    work: MatchWork
    since: datetime


def parked_by_reason() -> list[Reason]:
    """The most frequent reasons first, each with its newest events."""
    rows = list(parked_events().values_list("pk", "reason")[: MOST_READ + 1])
    frequent = Counter(reason for _, reason in rows).most_common(REASONS)
    newest = {
        reason: [number for number, said in rows if said == reason][:EVENTS_OF_A_REASON]
        for reason, _ in frequent
    }
    numbers = [number for some in newest.values() for number in some]
    events = PublishedEvent.objects.select_related("publisher").defer("document").in_bulk(numbers)
    is_cut = len(rows) > MOST_READ
    return [
        Reason(
            stored_reasons.again(reason),
            Count(count, is_cut),
            [events[number] for number in newest[reason] if number in events],
            urlencode({"reason": reason}),
        )
        for reason, count in frequent
    ]


def failing() -> list[FailingChannel]:
    """The longest first."""
    rows = list(failing_channels().select_related("owner")[:ROWS])
    said = _last_errors([row.pk for row in rows if row.state != Channel.State.DISABLED])
    return [
        FailingChannel(
            row, one_line(row.address, most=80), one_line(said_again.again(said.get(row.pk, row.reason)))
        )
        for row in rows
    ]


def _last_errors(channels: Sequence[int]) -> dict[int, str]:
    """What came of the last attempt at each of these few. What was tried is due later than what was not."""
    errors = {}
    for channel in channels:
        of_it = Delivery.objects.filter(channel=channel)
        waiting = of_it.filter(state=Delivery.State.WAITING).order_by("-next_attempt_at")
        given_up = of_it.filter(state=Delivery.State.DEAD).order_by("-pk")
        tried = [
            *waiting.values_list("next_attempt_at", "reason")[:TRIED_LOOKED_AT],
            *given_up.values_list("finished_at", "reason")[:1],
        ]
        said = [(at, reason) for at, reason in tried if at is not None and reason]
        if said:
            errors[channel] = max(said)[1]
    return errors


def given_up() -> list[Delivery]:
    rows = given_up_deliveries().select_related("channel__owner", "event").defer("event__document")
    return list(rows[:ROWS])


def waiting_events() -> list[Waiting]:
    """The oldest first."""
    rows = waiting_work().select_related("event__publisher").defer("event__document")
    return [Waiting(work.event, work, waits_since(work.event)) for work in rows[:ROWS_OF_A_LIST]]


def deliveries_in_turn() -> list[Delivery]:
    """Those that are due next, or should have been sent, first."""
    rows = waiting_deliveries().select_related("channel__owner", "event").defer("event__document")
    return list(rows[:ROWS_OF_A_LIST])


def actions(kinds: Sequence[type[Model]]) -> list[LogEntry]:
    """What staff did last, here and in the administration, to rows of these kinds; the newest first."""
    of_kinds = {each.pk for each in ContentType.objects.get_for_models(*kinds).values()}
    newest = LogEntry.objects.select_related("user", "content_type").order_by("-pk")[:ACTIONS_LOOKED_AT]
    return [entry for entry in newest if entry.content_type_id in of_kinds][:ROWS]
