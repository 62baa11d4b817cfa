"""Reading subscriptions, matches and past events."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from functools import cache, partial
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from matching import past
from matching.models import Match, PublishedEvent, Subscription
from matching.previews import (
    MOST_EVENTS,
    MOST_SAMPLES,
    Preview,
    days_until,
    joined,
    preview,
    sampled,
    start_of,
)
from matching.recent import reading
from matching.tickets import ticket_digest
from schema_registry.accounts.models import User
from schema_registry.core.events import Event
from schema_registry.language import STORED, parse
from schema_registry.language import Subscription as LanguageSubscription
from schema_registry.selectors import current_schema, schema_at


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


def shown_to(owner: User) -> QuerySet[Match]:
    """The same without items that the person has hidden, whichever of their searches find them later.

    One look-up in an index of hidden matches alone for each match that is read.
    """
    hidden = Match.objects.filter(event=OuterRef("event"), owner=owner, hidden=True)
    return matches_of(owner).filter(~Exists(hidden))


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
    return looked_back(parse(text, current_schema()), days=days, now=now, clock=clock)


def looked_back(
    subscription: LanguageSubscription,
    *,
    days: int,
    now: datetime,
    clock: Callable[[], float],
    most_samples: int = MOST_SAMPLES,
) -> Preview:
    """The same for a text that is parsed, with so many samples.

    From the columns of recent events where there are any, and from the database what came since; what is
    published or withdrawn while it is made may count or not.
    """
    dates = days_until(now, days)
    since = start_of(dates[0])
    judged = partial(preview, subscription, days=dates, clock=clock, most_samples=most_samples)
    if (columns := reading.opened(now=now)) is not None:
        stored_since = past.past_events_after(columns.covered, since=since, until=now, most=MOST_EVENTS + 1)
        latest = judged(stored_since)
        if latest.complete:
            found = columns.find(subscription, since=since, until=now, newest=most_samples, clock=clock)
            numbers = {*found.newest, *(sample.number for sample in latest.samples)}
            samples = sampled(subscription, past.events_of(numbers), most=most_samples)
            return joined(latest, found, samples)
    return judged(past.past_events(since=since, until=now))
