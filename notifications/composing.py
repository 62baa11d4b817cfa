"""What a delivery says, read when it is sent: what is gone, changed or unwanted by then is left out.

A delivery of matches takes two queries, and one more for items that were told before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db.models import (
    BigIntegerField,
    Case,
    CharField,
    DateTimeField,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from matching.models import Subscription
from notifications.core.messages import (
    ChannelDisabled,
    Content,
    Digest,
    Ending,
    ExpiresSoon,
    GivenUp,
    MatchFound,
    Test,
    Verify,
)
from notifications.core.planning import ToldBefore
from notifications.core.policy import Revisions, is_told_again
from notifications.core.wording import LONGEST_NAME, one_line
from notifications.items import items_of, words_of
from notifications.models import Channel, Delivery, Entry, Terms
from notifications.prepared import Given, Prepared
from notifications.told import told_before
from notifications.worth_telling import MOST_MATCHES, best_first, by_event, matches_in_order, whys_gone
from schema_registry.core.sentences import again, gettext_lazy
from schema_registry.core.sentences import gettext as _
from schema_registry.selectors import schema_at

MOST_ITEMS = 500
MOST_ENDING = 20

_WHY_NOT = {
    "withdrawn": gettext_lazy("The item was withdrawn."),
    "ended": gettext_lazy("The item's auction is over."),
    "superseded": gettext_lazy("The item has changed since; its newer revision counts."),
    "silent": gettext_lazy("The search is not active any more."),
    "elsewhere": gettext_lazy("The search does not tell on this channel any more."),
    "told": gettext_lazy(
        "An earlier revision of the item was told, and the search does not ask for changes."
    ),
    "": gettext_lazy("What it told of is not there any more."),
}


class NothingToTell(Exception):  # noqa: N818 - named for what happened, not for a fault
    """All that the delivery was about is gone. The sentence says why."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A match that was planned to be told; `gone` says why it is not to be, and is empty for most."""

    event: int
    match: int
    revision: int
    revisions: str  # what its search says about changed items
    is_overflow: bool
    gone: str


@dataclass(frozen=True, slots=True)
class _ToTell:
    """`prices_told` are by event what its item cost when it was last told here."""

    kept: list[_Entry]
    prices_told: Mapping[int, float | None]


def composed(delivery: Delivery, *, now: datetime) -> Content:
    """Raises NothingToTell."""
    channel = delivery.channel
    match delivery.kind:
        case Delivery.Kind.MATCH | Delivery.Kind.DIGEST:
            if channel.wants != Channel.Wants.EVERYTHING:
                raise NothingToTell(_("Matches are not wanted on this channel any more."))
            return _found(delivery, now=now)
        case Delivery.Kind.VERIFY:
            if channel.state != Channel.State.PENDING or delivery.key != f"verify:{channel.challenge}":
                raise NothingToTell(_("The channel does not wait for this confirmation any more."))
            return Verify(channel.challenge)
        case Delivery.Kind.TEST if channel.wants != Channel.Wants.NOTHING:
            return Test()
    if channel.wants == Channel.Wants.NOTHING:
        raise NothingToTell(_("Nothing is wanted on this channel any more."))
    return _notice(delivery)


def _found(delivery: Delivery, *, now: datetime) -> Content:
    entries = _to_tell(delivery, now=now)
    kept = by_event((entry.event, entry.match) for entry in entries.kept)
    best = best_first(kept)
    chosen = _chosen(best, kept)
    items = tuple(items_of(matches_in_order(chosen, kept), prices_told=entries.prices_told))
    if not items:  # forgotten since the last query
        raise NothingToTell(str(_WHY_NOT[""]))
    if delivery.kind == Delivery.Kind.MATCH:
        return MatchFound(items[0])
    return Digest(
        items=items,
        overflow=len({entry.event for entry in entries.kept if entry.is_overflow}),
        most_per_day=_most_per_day(delivery.channel),
        more=len(best) - len(chosen),
    )


def _to_tell(delivery: Delivery, *, now: datetime) -> _ToTell:
    """What of the delivery is still to be told. Raises NothingToTell."""
    entries = _entries(delivery, now=now)
    changed = sorted({entry.event for entry in entries if entry.revision > 1 and not entry.gone})
    told = told_before(changed, channel=delivery.channel_id)
    before = {event: found for (event, _channel), found in told.items()}
    wanted = {entry.event for entry in entries if not entry.gone and _is_wanted(entry, before)}
    kept = [entry for entry in entries if not entry.gone and entry.event in wanted]
    if not kept:
        raise NothingToTell(str(_WHY_NOT[(entries[0].gone or "told") if entries else ""]))
    return _ToTell(kept, {event: found.price_told for event, found in before.items()})


def _is_wanted(entry: _Entry, before: Mapping[int, ToldBefore]) -> bool:
    """An older revision may have arrived since this one was planned; then the search's terms decide."""
    if (told := before.get(entry.event)) is None:
        return True
    return is_told_again(Revisions(entry.revisions), price=told.price, price_told=told.price_told)


@Prepared
def _planned() -> QuerySet[Entry, Any]:
    """The entries of a delivery: what is told of each, and whether it still is."""
    chosen = Terms.channels.through.objects.filter(
        terms=OuterRef("match__subscription_id"), channel=Given("channel", BigIntegerField())
    )
    gone = Case(
        *whys_gone("match__", now=Given("now", DateTimeField())),
        When(Q(match__subscription__terms__every_channel=False) & ~Exists(chosen), then=Value("elsewhere")),
        default=Value(""),
        output_field=CharField(),
    )
    entries = Entry.objects.filter(delivery=Given("delivery", BigIntegerField())).annotate(
        gone=gone, revisions=Coalesce("match__subscription__terms__revisions", Value(Revisions.ONCE))
    )
    fields = ("match__event_id", "match_id", "match__event__revision", "revisions", "is_overflow", "gone")
    return entries.order_by("pk").values_list(*fields)


def _entries(delivery: Delivery, *, now: datetime) -> list[_Entry]:
    return [_Entry(*row) for row in _planned.rows(delivery=delivery.pk, channel=delivery.channel_id, now=now)]


def _most_per_day(channel: Channel) -> int | None:
    """The cap that counts, for those who had more than that."""
    if channel.kind != Channel.Kind.EMAIL:
        return channel.most_per_day
    most: int = settings.MOST_MAILS_PER_DAY
    return most if channel.most_per_day is None else min(most, channel.most_per_day)


def _chosen(best: Sequence[int], kept: Mapping[int, Sequence[int]]) -> Sequence[int]:
    """The best of them, as many as one message can carry, and at least one."""
    total = 0
    for count, event in enumerate(best[:MOST_ITEMS]):
        total += len(kept[event])
        if count and total > MOST_MATCHES:
            return best[:count]
    return best[:MOST_ITEMS]


def _notice(delivery: Delivery) -> Content:
    about = delivery.about
    match about["about"]:
        case "channel_disabled":
            return ChannelDisabled(
                channel=about["channel"], address=about["address"], reason=again(about["reason"])
            )
        case "given_up":
            return _given_up(delivery)
        case "expires_soon":
            return _expires_soon(delivery.channel.owner_id, date.fromisoformat(about["date"]))
    raise NothingToTell(_("We do not know any more what this was about."))


def _given_up(delivery: Delivery) -> GivenUp:
    """The first that died was counted when this was planned; others may have followed on the same day."""
    about = delivery.about
    begin, end = _whole(delivery.planned_at.astimezone(UTC).date())
    dead = Delivery.objects.filter(
        channel=about["channel"], state=Delivery.State.DEAD, finished_at__gte=begin, finished_at__lt=end
    )
    deliveries = max(dead.count(), about["deliveries"])
    return GivenUp(channel=about["channel"], address=about["address"], deliveries=deliveries)


def _expires_soon(owner: int, day: date) -> ExpiresSoon:
    """Also those that are over meanwhile: a search must not die without a word."""
    begin, end = _whole(day)
    ending = Subscription.objects.filter(
        owner=owner, owner__is_active=True, expires_at__gte=begin, expires_at__lt=end
    ).exclude(state=Subscription.State.REMOVED)
    soonest = ending.defer("compiled").order_by("expires_at", "pk")[:MOST_ENDING]
    searches = tuple(_ending(search) for search in soonest)
    if not searches:
        raise NothingToTell(_("The searches were renewed or removed."))
    return ExpiresSoon(day=day, searches=searches, more=max(0, ending.count() - len(searches)))


def _ending(search: Subscription) -> Ending:
    assert search.expires_at is not None
    words = words_of(search.canonical, schema_at(search.schema_version))
    name = search.name or one_line(words, most=LONGEST_NAME)
    return Ending(subscription=search.pk, name=name, expires_at=search.expires_at, words=words)


def _whole(day: date) -> tuple[datetime, datetime]:
    begin = datetime.combine(day, time(), UTC)
    return begin, begin + timedelta(days=1)
