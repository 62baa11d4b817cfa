"""What a delivery says, read when it is sent: what is gone, changed or unwanted by then is left out.

A delivery of matches takes two queries, and one more for items that were told before.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import Case, CharField, Exists, OuterRef, Q, Value, When

from matching.models import Match, PublishedEvent, Subscription
from notifications.core.messages import (
    ChannelDisabled,
    Content,
    Digest,
    ExpiresSoon,
    GivenUp,
    MatchFound,
    Test,
    Verify,
)
from notifications.core.wording import LONGEST_NAME, one_line
from notifications.items import items_of, words_of
from notifications.models import Channel, Delivery, Terms
from notifications.told import told_before
from schema_registry.selectors import schema_at

MOST_ITEMS = 500
MOST_MATCHES = 5_000

_WHY_NOT = {
    "withdrawn": "The item was withdrawn.",
    "ended": "The item's auction is over.",
    "superseded": "The item has changed since; its newer revision counts.",
    "silent": "The search is not active any more.",
    "elsewhere": "The search does not tell on this channel any more.",
    "": "What it told of is not there any more.",
}


class NothingToTell(Exception):  # noqa: N818 - named for what happened, not for a fault
    """All that the delivery was about is gone. The sentence says why."""


def composed(delivery: Delivery, *, now: datetime) -> Content:
    """Raises NothingToTell."""
    channel = delivery.channel
    match delivery.kind:
        case Delivery.Kind.MATCH | Delivery.Kind.DIGEST:
            if channel.wants != Channel.Wants.EVERYTHING:
                raise NothingToTell("Matches are not wanted on this channel any more.")
            return _found(delivery, now=now)
        case Delivery.Kind.VERIFY:
            if channel.state != Channel.State.PENDING or delivery.key != f"verify:{channel.challenge}":
                raise NothingToTell("The channel does not wait for this confirmation any more.")
            return Verify(channel.challenge)
        case Delivery.Kind.TEST:
            return Test()
    if channel.wants == Channel.Wants.NOTHING:
        raise NothingToTell("Notices are not wanted on this channel any more.")
    return _notice(delivery)


def _found(delivery: Delivery, *, now: datetime) -> Content:
    kept, overflow = _still_to_tell(delivery, now=now)
    best = sorted(kept, key=lambda event: (len(kept[event]), event), reverse=True)
    chosen = _chosen(best, kept)
    matches = _in_order(chosen, [match for event in chosen for match in kept[event]])
    items = tuple(items_of(matches, prices_told=_prices_told(delivery, matches)))
    if not items:  # forgotten since the last query
        raise NothingToTell(_WHY_NOT[""])
    if delivery.kind == Delivery.Kind.MATCH:
        return MatchFound(items[0])
    return Digest(
        items=items,
        overflow=len(overflow),
        most_per_day=delivery.channel.most_per_day,
        more=len(best) - len(chosen),
    )


def _still_to_tell(delivery: Delivery, *, now: datetime) -> tuple[dict[int, list[int]], set[int]]:
    """The matches of each event that are to be told, and which events are overflow; raises NothingToTell."""
    rows = _entries(delivery, now=now)
    kept: dict[int, list[int]] = defaultdict(list)
    overflow = set()
    for event, match, is_overflow, gone in rows:
        if not gone:
            kept[event].append(match)
            if is_overflow:
                overflow.add(event)
    if not kept:
        raise NothingToTell(_WHY_NOT[rows[0][-1] if rows else ""])
    return kept, overflow


def _entries(delivery: Delivery, *, now: datetime) -> list[tuple[int, int, bool, str]]:
    """Event, match and whether it is overflow, with the reason why it is not to be told, empty for most."""
    states = PublishedEvent.State
    newer = PublishedEvent.objects.filter(
        publisher=OuterRef("match__event__publisher"),
        external_id=OuterRef("match__event__external_id"),
        revision__gt=OuterRef("match__event__revision"),
        state__in=[states.ACCEPTED, states.MATCHED, states.WITHDRAWN],
    )
    is_active = Q(match__subscription__state=Subscription.State.ACTIVE, match__owner__is_active=True)
    is_valid = Q(match__subscription__expires_at=None) | Q(match__subscription__expires_at__gt=now)
    chosen = Terms.channels.through.objects.filter(
        terms=OuterRef("match__subscription_id"), channel=delivery.channel_id
    )
    gone = Case(
        When(match__event__state=states.WITHDRAWN, then=Value("withdrawn")),
        When(match__event__ends_at__lte=now, then=Value("ended")),
        When(Exists(newer), then=Value("superseded")),
        When(~(is_active & is_valid), then=Value("silent")),
        When(Q(match__subscription__terms__every_channel=False) & ~Exists(chosen), then=Value("elsewhere")),
        default=Value(""),
        output_field=CharField(),
    )
    entries = delivery.entries.annotate(gone=gone).order_by("pk")
    return list(entries.values_list("match__event_id", "match_id", "is_overflow", "gone"))


def _chosen(best: Sequence[int], kept: Mapping[int, Sequence[int]]) -> Sequence[int]:
    """The best of them, as many as one message can carry, and at least one."""
    total = 0
    for count, event in enumerate(best[:MOST_ITEMS]):
        total += len(kept[event])
        if count and total > MOST_MATCHES:
            return best[:count]
    return best[:MOST_ITEMS]


def _in_order(events: Sequence[int], numbers: Sequence[int]) -> list[Match]:
    """These matches with all that is said of them, event by event."""
    place = {event: place for place, event in enumerate(events)}
    matches = Match.objects.filter(pk__in=numbers).select_related("event__publisher", "subscription")
    found = matches.defer("subscription__compiled")
    return sorted(found, key=lambda match: (place[match.event_id], match.subscription_id))


def _prices_told(delivery: Delivery, matches: Iterable[Match]) -> dict[int, float | None]:
    """By event, what its item cost when it was last told here. No query when all are first revisions."""
    relisted = sorted({found.event_id for found in matches if found.event.revision > 1})
    before = told_before(relisted)
    return {
        event: told.price_told for (event, channel), told in before.items() if channel == delivery.channel_id
    }


def _notice(delivery: Delivery) -> Content:
    about = delivery.about
    match about["about"]:
        case "channel_disabled":
            return ChannelDisabled(channel=about["channel"], address=about["address"], reason=about["reason"])
        case "given_up":
            return GivenUp(channel=about["channel"], address=about["address"], deliveries=about["deliveries"])
        case "expires_soon":
            return _expires_soon(about["subscription"], datetime.fromisoformat(about["expires_at"]))
    raise NothingToTell("We do not know any more what this was about.")


def _expires_soon(number: int, expires_at: datetime) -> ExpiresSoon:
    """Also when it is over meanwhile: a search must not die without a word."""
    search = Subscription.objects.filter(pk=number, owner__is_active=True).defer("compiled").first()
    if search is None or search.state == Subscription.State.REMOVED:
        raise NothingToTell("The search was removed.")
    if search.expires_at != expires_at:
        raise NothingToTell("The search was renewed.")
    words = words_of(search.canonical, schema_at(search.schema_version))
    return ExpiresSoon(
        subscription=search.pk,
        name=search.name or one_line(words, most=LONGEST_NAME),
        text=search.text,
        expires_at=expires_at,
        words=words,
    )
