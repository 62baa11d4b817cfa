"""Which matches are worth telling when a message is written, and which items come first.

The rules are here once for messages and for the preview of a digest.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import Exists, Expression, OuterRef, Q, Value, When

from matching.models import Match, PublishedEvent, Subscription

MOST_MATCHES = 5_000  # in one message
ByEvent = Mapping[int, Sequence[int]]


def whys_gone(match: str = "", *, now: datetime | Expression) -> list[When]:
    """Why a match is not to be told any more, for a `Case`: the first that holds.

    `match` is the way to it from the rows that are asked for, `match__` for entries of a delivery.
    """
    states = PublishedEvent.State
    newer = PublishedEvent.objects.filter(
        publisher=OuterRef(f"{match}event__publisher"),
        external_id=OuterRef(f"{match}event__external_id"),
        revision__gt=OuterRef(f"{match}event__revision"),
        # One that is only accepted may yet be parked, and then nobody would hear of the item.
        state__in=[states.MATCHED, states.WITHDRAWN],
    )
    is_active = _where(match, subscription__state=Subscription.State.ACTIVE, owner__is_active=True)
    is_valid = _where(match, subscription__expires_at=None) | _where(match, subscription__expires_at__gt=now)
    return [
        When(_where(match, event__state=states.WITHDRAWN), then=Value("withdrawn")),
        When(_where(match, event__ends_at__lte=now), then=Value("ended")),
        When(Exists(newer), then=Value("superseded")),
        When(~(is_active & is_valid), then=Value("silent")),
    ]


def by_event(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Events and their matches, from pairs of both."""
    found: dict[int, list[int]] = defaultdict(list)
    for event, match in pairs:
        found[event].append(match)
    return dict(found)


def best_first(found: ByEvent) -> list[int]:
    """The events that most searches found, and of these the newest."""
    return sorted(found, key=lambda event: (len(found[event]), event), reverse=True)


def matches_in_order(events: Sequence[int], found: ByEvent) -> list[Match]:
    """With all that is said of them, event by event."""
    place = {event: place for place, event in enumerate(events)}
    numbers = [match for event in events for match in found[event]]
    matches = Match.objects.filter(pk__in=numbers).select_related("event__publisher", "subscription")
    return sorted(
        matches.defer("subscription__compiled"),
        key=lambda match: (place[match.event_id], match.subscription_id),
    )


def _where(match: str, **conditions: object) -> Q:
    return Q(**{f"{match}{path}": value for path, value in conditions.items()})
