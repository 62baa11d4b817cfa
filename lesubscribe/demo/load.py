"""Loads the demo: a month of three auction houses, matched by the code of the live service.

It goes through the month in small transactions. Whoever interrupts it runs it again: what is there stays as
it is, and the rest is added.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from django.conf import settings
from django.db import transaction
from django.db.models import F, OuterRef, Subquery

from lesubscribe.demo.catalogue import House
from lesubscribe.demo.items import SPAN, Fate, Publication, publications
from lesubscribe.demo.opening import DemoRefusedError, houses, is_whole, open_houses, opened_at
from lesubscribe.demo.searches import NEIGHBOUR_SEARCHES, SEARCHES, State
from matching import daily_counts, seen, services
from matching.draining import drain
from matching.expiring import expire
from matching.intake import Taken, checked, publish_many
from matching.leases import MOST_ATTEMPTS
from matching.live import LiveMatcher
from matching.models import Announcement, Match, MatchWork, PublishedEvent, Subscription
from matching.shards import split
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from matching.stored_reasons import NOBODY_SURVIVED
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import set_publisher_state
from schema_registry.selectors import FIRST_VERSION, current_schema, current_version

SEED = 2002
EVENTS_AT_ONCE = ROWS_PER_TRANSACTION // 3  # each brings its work along, and some matches later
UNSEEN = 40
MATCHING_TOOK = timedelta(seconds=2)
SECONDS_FOR_OTHERS = 60.0

Report = Callable[[int, int], None]


def belongs_here() -> bool:
    """Whether a first start should load it: nobody has used the database, or loading was interrupted."""
    return current_version() == FIRST_VERSION if opened_at() is None else not is_whole()


def load(*, now: datetime, seed: int = SEED, report: Report = lambda done, of: None) -> bool:
    """Whether anything was left to do. `report` hears how many publications are done, of how many.

    An interrupted demo is completed for the moment it was begun with. Raises DemoRefusedError when names are
    in the way, and then nothing has changed.
    """
    beginning = opened_at()
    if beginning is None:
        beginning = now - SPAN
        open_houses(at=beginning)
    elif is_whole():
        return False
    month = publications(seed=seed, now=beginning + SPAN)
    matchers = [LiveMatcher(settings.MATCHER, shard=shard) for shard in split(settings.MATCHING_SHARDS)]
    for first in range(0, len(month), EVENTS_AT_ONCE):
        report(first, len(month))
        events = _publish(month[first : first + EVENTS_AT_ONCE])
        give_way()
        _match(matchers, events)
        _date_back(events)
        give_way()
    report(len(month), len(month))
    _withdraw(month)
    _finish(beginning)
    return True


def _publish(month: Sequence[Publication]) -> list[int]:
    """Store what was sent, in one transaction; the events."""
    schema = current_schema()
    publishers = {publisher.name: publisher for publisher in houses()}
    events: list[int] = []
    with transaction.atomic():
        for (house, moment), consignment in groupby(month, key=_house_and_moment):
            sent = list(consignment)
            publisher = publishers[house.name]
            ready = [checked(publisher, each.envelope, schema) for each in sent]
            for each, taken in zip(sent, publish_many(publisher, ready, now=moment), strict=True):
                if isinstance(taken, Taken):
                    events.append(taken.number)
                    if each.fate is Fate.PARKED:
                        _park(taken.number)
    return events


def _house_and_moment(publication: Publication) -> tuple[House, datetime]:
    return publication.house, publication.accepted_at


def _park(event: int) -> None:
    """What becomes of an event that no worker survives, at the time it came."""
    reason = NOBODY_SURVIVED(count=MOST_ATTEMPTS)
    PublishedEvent.objects.filter(pk=event).update(
        state=PublishedEvent.State.PARKED, reason=reason, state_changed_at=F("accepted_at") + MATCHING_TOOK
    )
    MatchWork.objects.filter(event=event).delete()


def _match(matchers: Sequence[LiveMatcher], events: list[int]) -> None:
    """In a running system its workers take a part; that is waited for."""
    deadline = time.monotonic() + SECONDS_FOR_OTHERS
    for live in matchers:
        drain(live)
    while MatchWork.objects.filter(event__in=events).exists():
        if time.monotonic() > deadline:
            raise DemoRefusedError(
                "Others hold items of the demo and do not match them; load it again later."
            )
        time.sleep(0.1)
        for live in matchers:
            drain(live)


def _date_back(events: list[int]) -> None:
    """As if they had been matched when they came, so that figures by day are those of the month.

    And as if everybody had been told then.
    """
    moment = PublishedEvent.objects.filter(pk=OuterRef("event_id")).values("matched_at")
    with transaction.atomic():
        PublishedEvent.objects.filter(pk__in=events, matched_at__isnull=False).update(
            matched_at=F("accepted_at") + MATCHING_TOOK
        )
        Match.objects.filter(event__in=events).update(matched_at=Subquery(moment))
        Announcement.objects.filter(event__in=events).delete()


def _withdraw(month: Sequence[Publication]) -> None:
    for each in month:
        if each.fate is Fate.WITHDRAWN:
            stored = PublishedEvent.objects.filter(publisher__name=each.house.name)
            for event in stored.filter(external_id=each.envelope.external_id):
                services.withdraw(event)


def _finish(beginning: datetime) -> None:
    """Pause, expire, look at what was found, count; then the houses are approved, and the demo is whole."""
    now = beginning + SPAN
    searches = Subscription.objects.filter(created_at=beginning)
    paused = [search.name for search in (*SEARCHES, *NEIGHBOUR_SEARCHES) if search.state == State.PAUSED]
    for search in searches.filter(name__in=paused):
        services.change(search, state=State.PAUSED, now=now)
    expire(now=now)
    for owner in User.objects.filter(pk__in=searches.values("owner")):
        newest_seen = Match.objects.filter(owner=owner).order_by("-pk").values_list("pk", flat=True)[UNSEEN:]
        seen.mark_up_to(owner, newest_seen.first() or 0)
    daily_counts.count(now=now, clock=time.monotonic)
    with transaction.atomic():
        for publisher in houses():
            set_publisher_state(publisher, Publisher.State.APPROVED)
