"""Telling people what concerns their searches and channels rather than a match.

A notice goes to every channel of its owner that is active and wants notices, except to the one that it is
about. Who has none is not told.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from matching import failpoints
from matching.expiring import IS_ALIVE
from matching.models import Subscription
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from notifications import wakeups
from notifications.core.policy import Hours, not_quiet
from notifications.hours import COLUMNS, hours_from, hours_of
from notifications.models import Channel, Delivery, Preferences

EXPIRES_SOON = timedelta(days=3)


def tell(owner_id: int, *, about: dict[str, Any], key: str, now: datetime) -> int:
    """Plan a notice, to be sent once the owner's quiet hours are over; to how many channels it goes.

    The key makes it that notice: telling it twice is telling it once.
    """
    mine = _listening().filter(owner=owner_id)
    others = [channel for channel in mine if channel.pk != about.get("channel")]
    return _store(_planned(others, about=about, key=key, hours=hours_of(owner_id), now=now))


def tell_of_expiries(*, now: datetime) -> int:
    """Tell the owners of searches that end within three days, once for each day on which some do.

    How many notices were planned. In small transactions. It may be stopped anywhere, and run several times at
    once. Which searches end on that day is looked up when the notice is sent.
    """
    told = 0
    after = (now, 0)
    while portion := list(_ending(after=after, now=now)):
        told += _store(_untold({(each.owner_id, _day(each)) for each in portion}, now=now))
        last = portion[-1]
        assert last.expires_at is not None
        after = (last.expires_at, last.pk)
        give_way()
    return told


def _ending(*, after: tuple[datetime, int], now: datetime) -> QuerySet[Subscription]:
    """Those that end soon, by the moment they do, and whose owners can be told.

    One that was never valid for longer is no reason to remind anybody: its owner has just made it.
    """
    moment, number = after
    soon = Subscription.objects.filter(expires_at__gt=now, expires_at__lte=now + EXPIRES_SOON)
    # The first condition is for the index, the second for those that end at the same moment.
    rest = soon.filter(Q(expires_at__gt=moment) | Q(pk__gt=number), expires_at__gte=moment)
    lasting = rest.filter(created_at__lte=F("expires_at") - EXPIRES_SOON, owner__is_active=True)
    reachable = lasting.filter(Exists(_listening().filter(owner=OuterRef("owner"))))
    return (
        reachable.filter(IS_ALIVE)
        .only("owner", "expires_at")
        .order_by("expires_at", "pk")[:ROWS_PER_TRANSACTION]
    )


def _untold(ends: Collection[tuple[int, date]], *, now: datetime) -> list[Delivery]:
    """The notices to these owners about these days that were not planned yet."""
    owners = {owner for owner, _ in ends}
    channels: dict[int, list[Channel]] = defaultdict(list)
    for channel in _listening().filter(owner__in=owners):
        channels[channel.owner_id].append(channel)
    known = Delivery.objects.filter(
        channel__in=[each.pk for mine in channels.values() for each in mine],
        key__in={_key(day) for _, day in ends},
    )
    there = set(known.values_list("channel", "key"))
    hours = _hours(owners)
    return [
        delivery
        for owner, day in sorted(ends)
        for delivery in _planned(
            [each for each in channels[owner] if (each.pk, _key(day)) not in there],
            about={"about": "expires_soon", "date": day.isoformat()},
            key=_key(day),
            hours=hours[owner],
            now=now,
        )
    ]


def _hours(owners: Collection[int]) -> Mapping[int, Hours]:
    hours = defaultdict(Hours)
    for owner, *row in Preferences.objects.filter(pk__in=owners).values_list("pk", *COLUMNS):
        hours[owner] = hours_from(tuple(row))
    return hours


def _day(search: Subscription) -> date:
    assert search.expires_at is not None
    return search.expires_at.astimezone(UTC).date()


def _key(day: date) -> str:
    return f"notice:expires_soon:{day.isoformat()}"


def _listening() -> QuerySet[Channel]:
    wanting = [Channel.Wants.EVERYTHING, Channel.Wants.NOTICES]
    return Channel.objects.filter(state=Channel.State.ACTIVE, wants__in=wanting).order_by("pk")


def _planned(
    channels: Iterable[Channel], *, about: dict[str, Any], key: str, hours: Hours, now: datetime
) -> list[Delivery]:
    return [
        Delivery(
            channel=channel,
            kind=Delivery.Kind.NOTICE,
            key=key,
            about=about,
            planned_at=now,
            next_attempt_at=not_quiet(now, hours),
        )
        for channel in channels
    ]


def _store(planned: Sequence[Delivery]) -> int:
    if not planned:
        return 0
    with transaction.atomic():
        # Two who plan the same at once make one row of it.
        Delivery.objects.bulk_create(planned, ignore_conflicts=True)
        failpoints.at_commit("notice")
        transaction.on_commit(wakeups.SENDERS.send)
    return len(planned)
