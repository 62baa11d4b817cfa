"""What was told: which matches were in a message that arrived, and what their items cost then."""

from collections.abc import Collection, Sequence

from django.db import connection

from matching.models import PublishedEvent
from matching.small_transactions import ROWS_PER_TRANSACTION
from notifications.core.messages import Content, Digest, Item, MatchFound
from notifications.core.planning import ToldBefore
from notifications.core.wording import lowest_price
from notifications.models import Entry

# Only what was in a message that arrived counts. Whatever else was planned may be left out when it is sent.
_LAST_TOLD = """
    SELECT event.id, entry.channel_id, MAX(earlier.revision)
    FROM matching_publishedevent AS event
    JOIN matching_publishedevent AS earlier
      ON earlier.publisher_id = event.publisher_id AND earlier.external_id = event.external_id
     AND earlier.revision < event.revision
    JOIN matching_match AS match ON match.event_id = earlier.id
    JOIN notifications_entry AS entry ON entry.match_id = match.id
    WHERE event.id IN ({places}) AND entry.is_told {on_channel}
    GROUP BY event.id, entry.channel_id"""

Told = tuple[int, int]  # an event, and a subscription that it matched
Revision = tuple[int, str, int]  # publisher, their name for the item, and which revision of it


def told_by(content: Content) -> frozenset[Told]:
    """What a message tells of."""
    match content:
        case MatchFound(item=item):
            items: tuple[Item, ...] = (item,)
        case Digest(items=items):
            pass
        case _:
            return frozenset()
    return frozenset((item.event, reason.subscription) for item in items for reason in item.reasons)


def note_told(delivery: int, told: Collection[Told]) -> None:
    """The message of this delivery has arrived, and told of these."""
    entries = Entry.objects.filter(delivery=delivery).values_list(
        "pk", "match__event_id", "match__subscription_id"
    )
    arrived = [number for number, *pair in entries if tuple(pair) in told]
    for first in range(0, len(arrived), ROWS_PER_TRANSACTION):
        Entry.objects.filter(pk__in=arrived[first : first + ROWS_PER_TRANSACTION]).update(is_told=True)


def told_before(events: Sequence[int], *, channel: int | None = None) -> dict[tuple[int, int], ToldBefore]:
    """By event and channel, all of them or this one. An event that is the first of its item has none."""
    if not events:
        return {}
    statement = _LAST_TOLD.format(
        places=", ".join(["%s"] * len(events)),
        on_channel="" if channel is None else "AND entry.channel_id = %s",
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*events, *([] if channel is None else [channel])])
        last = cursor.fetchall()
    if not last:
        return {}
    known = PublishedEvent.objects.filter(pk__in=events).values_list(
        "publisher", "external_id", "revision", "pk"
    )
    items = {event: (publisher, name, revision) for publisher, name, revision, event in known}
    price = _prices(items.values(), revisions={revision for _, _, revision in last})
    return {
        (event, channel): ToldBefore(price.get(items[event]), price.get((*items[event][:2], revision)))
        for event, channel, revision in last
    }


def _prices(items: Collection[Revision], *, revisions: set[int]) -> dict[Revision, float | None]:
    """Of these, and of the same items at those revisions."""
    wanted = PublishedEvent.objects.filter(
        publisher__in={publisher for publisher, _, _ in items},
        external_id__in={name for _, name, _ in items},
        revision__in=revisions | {revision for _, _, revision in items},
    )
    rows = wanted.values_list("publisher", "external_id", "revision", "document")
    return {
        (publisher, name, revision): lowest_price(document.get("price"))
        for publisher, name, revision, document in rows
    }
