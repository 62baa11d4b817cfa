"""Reading subscriptions, matches and past events."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from matching.models import Match, PublishedEvent, Subscription
from matching.previews import PastEvent, Preview, days_until, preview, start_of
from matching.tickets import ticket_digest
from schema_registry.accounts.models import User
from schema_registry.core.events import Event
from schema_registry.language import STORED, parse
from schema_registry.selectors import current_schema, schema_at

EVENTS_PER_PAGE = 500


def subscriptions_of(owner: User) -> QuerySet[Subscription]:
    """What a person has, newest first; removed ones are gone."""
    mine = Subscription.objects.filter(owner=owner).defer("compiled")
    return mine.exclude(state=Subscription.State.REMOVED).order_by("-pk")


def in_state(
    subscriptions: QuerySet[Subscription], state: Subscription.State, *, now: datetime
) -> QuerySet[Subscription]:
    """Those that are in this state at the moment, as `validity.state_at` tells it."""
    is_over = Q(expires_at__lte=now)
    if state == Subscription.State.EXPIRED:
        return subscriptions.filter(Q(state=state) | is_over)
    return subscriptions.filter(Q(expires_at=None) | ~is_over, state=state)


def subscription_with_ticket(number: int, ticket: str) -> Subscription | None:
    """The subscription of this number if the ticket is its own."""
    found = Subscription.objects.filter(pk=number, ticket_digest=ticket_digest(ticket))
    return found.exclude(state=Subscription.State.REMOVED).first()


def matches_of(owner: User) -> QuerySet[Match]:
    """What was found for a person, newest first; withdrawn items are gone."""
    mine = (
        Match.objects.filter(owner=owner)
        .select_related("event", "subscription")
        .defer("subscription__compiled")
    )
    return mine.exclude(event__state=PublishedEvent.State.WITHDRAWN).order_by("-pk")


def explainer() -> Callable[[Match], list[dict[str, Any]]]:
    """Tells which predicates held on which values; none when the text was changed since.

    Schemas, events and texts are read once, so it is for the matches of a page.
    """
    schema = cache(schema_at)
    parsed = cache(lambda text, version: parse(text, schema(version), limits=STORED))
    events: dict[int, Event] = {}

    def why(match: Match) -> list[dict[str, Any]]:
        subscription = match.subscription
        if (event := events.get(match.event_id)) is None:
            event = schema(match.event.schema_version).validate(match.event.document)
            events[match.event_id] = event
        held = parsed(subscription.canonical, subscription.schema_version).explain(event)
        return [asdict(each) for each in held]

    return why


def previewed(text: str, *, days: int, now: datetime, clock: Callable[[], float]) -> Preview:
    """What the text would have matched on the last days, today included. Raises SubscriptionError."""
    subscription = parse(text, current_schema())
    dates = days_until(now, days)
    pages = past_events(since=start_of(dates[0]), until=now)
    return preview(subscription, pages, days=dates, clock=clock)


def past_events(*, since: datetime, until: datetime) -> Iterator[list[PastEvent]]:
    """The items as they are now, newest first, a query a page.

    Of an item's revisions only the newest counts; if that one was withdrawn or parked, none does.
    """
    newer = PublishedEvent.objects.filter(
        publisher=OuterRef("publisher"),
        external_id=OuterRef("external_id"),
        revision__gt=OuterRef("revision"),
    )
    states = [PublishedEvent.State.ACCEPTED, PublishedEvent.State.MATCHED]
    items = PublishedEvent.objects.filter(~Exists(newer), accepted_at__gte=since, state__in=states)
    rows = items.order_by("-accepted_at", "-pk").values_list(
        "pk", "accepted_at", "schema_version", "document"
    )
    schema = cache(schema_at)
    page = list(rows.filter(accepted_at__lte=until)[:EVENTS_PER_PAGE])
    while page:
        yield [
            PastEvent(number, accepted_at, schema(version).validate(document))
            for number, accepted_at, version, document in page
        ]
        number, moment, *_ = page[-1]
        # The first condition is for the index, the second for events accepted at the same moment.
        rest = rows.filter(Q(accepted_at__lt=moment) | Q(pk__lt=number), accepted_at__lte=moment)
        page = list(rest[:EVENTS_PER_PAGE])
