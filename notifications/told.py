"""Which items were told before on a channel, in an earlier revision, and what they cost then."""

from collections.abc import Collection, Sequence

from django.db import connection

from matching.models import PublishedEvent
from notifications.core.planning import ToldBefore
from notifications.core.wording import lowest_price

# Only what arrived counts. A delivery that waits for another attempt will be dropped then, since the item has
# changed, and tells nobody; and of one that is just being sent nobody knows yet whether it arrives.
_LAST_TOLD = """
    SELECT event.id, entry.channel_id, MAX(earlier.revision)
    FROM matching_publishedevent AS event
    JOIN matching_publishedevent AS earlier
      ON earlier.publisher_id = event.publisher_id AND earlier.external_id = event.external_id
     AND earlier.revision < event.revision
    JOIN matching_match AS match ON match.event_id = earlier.id
    JOIN notifications_entry AS entry ON entry.match_id = match.id
    JOIN notifications_delivery AS delivery ON delivery.id = entry.delivery_id
    WHERE event.id IN ({places}) AND delivery.state = 'delivered'
    GROUP BY event.id, entry.channel_id"""

Revision = tuple[int, str, int]  # publisher, their name for the item, and which revision of it


def told_before(events: Sequence[int]) -> dict[tuple[int, int], ToldBefore]:
    """By event and channel. Events that are the first of their item are not worth asking for."""
    if not events:
        return {}
    places = ", ".join(["%s"] * len(events))
    with connection.cursor() as cursor:
        cursor.execute(_LAST_TOLD.format(places=places), events)
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
