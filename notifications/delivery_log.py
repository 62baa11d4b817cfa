"""Reading what was sent: the newest deliveries of some channels, a page at a time, and the last of each.

Each channel's are read along an index, of all states or of one, and the newest of all are taken. Asked for
all channels in one condition, a database would read and sort all that was ever sent to the person.
"""

from collections.abc import Sequence
from itertools import chain

from django.db import connection
from django.db.models import Count, OuterRef, QuerySet, Subquery

from matching.row_numbers import LARGEST_NUMBER
from notifications.models import Channel, Delivery, Entry

# A channel that fails may have many waiting; further back than this nobody looks for one that is done.
_NEWEST = 100

_OF_A_CHANNEL = """
    SELECT id FROM (
        SELECT id FROM notifications_delivery
        WHERE channel_id = %s AND id < %s {of_state} ORDER BY id DESC LIMIT %s
    ) AS of_a_channel"""


def newest(channels: Sequence[int], *, before: int | None, state: str, most: int) -> list[Delivery]:
    """So many before this number (None: the last of all), of one state or of any (empty), newest first."""
    if not channels:
        return []
    asked: list[list[int | str]] = [
        [each, before or LARGEST_NUMBER, *([state] if state else []), most] for each in channels
    ]
    of_each = [_OF_A_CHANNEL.format(of_state="AND state = %s" if state else "")] * len(channels)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(of_each), list(chain(*asked)))
        numbers = sorted((number for (number,) in cursor.fetchall()), reverse=True)[:most]
    return list(_with_what_they_tell_of(numbers).order_by("-pk"))


def last_done(channels: Sequence[int]) -> list[Delivery]:
    """Of each channel the newest that does not wait any more. Two queries."""
    newest = Delivery.objects.filter(channel=OuterRef(OuterRef("pk"))).order_by("-pk").values("pk")[:_NEWEST]
    done = Delivery.objects.filter(pk__in=newest).exclude(state=Delivery.State.WAITING).order_by("-pk")
    of_each = Channel.objects.filter(pk__in=channels).annotate(last=Subquery(done.values("pk")[:1]))
    return list(_with_what_they_tell_of([last for last in of_each.values_list("last", flat=True) if last]))


def items_in_digests(deliveries: Sequence[Delivery]) -> dict[int, int]:
    """By delivery how many items it tells of, for the digests among them. One query if there are any."""
    digests = [each.pk for each in deliveries if each.kind == Delivery.Kind.DIGEST]
    if not digests:
        return {}
    entries = Entry.objects.filter(delivery__in=digests).order_by().values("delivery")
    counted = entries.annotate(items=Count("match__event", distinct=True))
    return {row["delivery"]: row["items"] for row in counted}


def _with_what_they_tell_of(numbers: Sequence[int]) -> QuerySet[Delivery]:
    found = Delivery.objects.filter(pk__in=numbers).select_related("channel", "event")
    return found.defer("event__document")
