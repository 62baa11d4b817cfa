"""Reading subscriptions, matches and past events."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from functools import cache, partial
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from matching import past
from matching.models import Match, PublishedEvent, Subscription
from matching.operators import of_process
from matching.previews import (
    MOST_CANDIDATES,
    MOST_EVENTS,
    MOST_SAMPLES,
    Preview,
    calls_operators,
    confirmed,
    days_until,
    joined,
    preview,
    sampled,
    start_of,
)
from matching.recent import reading
from matching.tickets import ticket_digest
from schema_registry.accounts.models import User
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.known_operators import OPERATORS
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
    """Tells which predicates held on which values; none when the text was changed since, or operators fail.

    Schemas, events and texts are read once, so it is for the matches of a page.
    """
    schema = cache(schema_at)
    parsed = cache(lambda text, version: _stored(text, schema(version)))
    events: dict[int, Event] = {}

    def why(match: Match) -> list[dict[str, Any]]:
        subscription = match.subscription
        if (event := events.get(match.event_id)) is None:
            event = schema(match.event.schema_version).validate(match.event.document)
            events[match.event_id] = event
        search = parsed(subscription.canonical, subscription.schema_version)
        held = search.explain(event, evaluate=of_process.evaluate) if search is not None else ()
        return [asdict(each) for each in held]

    return why


def _stored(canonical: str, schema: Schema) -> LanguageSubscription | None:
    """None if it calls an operator that is no longer there."""
    try:
        return parse(canonical, schema, operators=OPERATORS, limits=STORED)
    except SubscriptionError:
        return None


def previewed(text: str, *, days: int, now: datetime, clock: Callable[[], float]) -> Preview:
    """What the text would have matched on the last days, today included. Raises SubscriptionError."""
    parsed = parse(text, current_schema(), operators=OPERATORS)
    return looked_back(parsed, days=days, now=now, clock=clock)


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
    published or withdrawn while it is made may count or not. Operators are asked only for what the columns
    leave possible, and for the newest of that.
    """
    dates = days_until(now, days)
    since = start_of(dates[0])
    is_costly = calls_operators(subscription)
    evaluate = of_process.evaluate if is_costly else None
    judged = partial(
        preview, subscription, days=dates, clock=clock, most_samples=most_samples, evaluate=evaluate
    )
    if (columns := reading.opened(now=now)) is not None:
        stored_since = past.past_events_after(columns.covered, since=since, until=now, most=MOST_EVENTS + 1)
        latest = judged(stored_since)
        if latest.complete:
            newest = MOST_CANDIDATES if is_costly else most_samples
            found = columns.find(subscription, since=since, until=now, newest=newest, clock=clock)
            if is_costly:
                candidates = judged(past.pages_of(found.newest))
                return confirmed(latest, candidates, found, most_samples=most_samples)
            numbers = {*found.newest, *(sample.number for sample in latest.samples)}
            samples = sampled(subscription, past.events_of(numbers), most=most_samples)
            return joined(latest, found, samples)
    return judged(past.past_events(since=since, until=now))
