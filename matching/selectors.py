"""Reading subscriptions and matches."""

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet

from matching.models import Match, PublishedEvent, Subscription
from matching.services import ticket_digest
from schema_registry.accounts.models import User
from schema_registry.language import STORED, parse
from schema_registry.selectors import schema_at


def subscriptions_of(owner: User) -> QuerySet[Subscription]:
    """What a person has, newest first; removed ones are gone."""
    mine = Subscription.objects.filter(owner=owner)
    return mine.exclude(state=Subscription.State.REMOVED).order_by("-pk")


def subscription_with_ticket(number: int, ticket: str) -> Subscription | None:
    """The subscription of this number if the ticket is its own."""
    found = Subscription.objects.filter(pk=number, ticket_digest=ticket_digest(ticket))
    return found.exclude(state=Subscription.State.REMOVED).first()


def matches_of(owner: User) -> QuerySet[Match]:
    """What was found for a person, newest first; withdrawn items are gone."""
    mine = Match.objects.filter(owner=owner).select_related("event", "subscription")
    return mine.exclude(event__state=PublishedEvent.State.WITHDRAWN).order_by("-pk")


def why(match: Match) -> list[dict[str, Any]]:
    """Which predicates held on which values; empty when the text was changed since and no longer matches."""
    subscription = match.subscription
    parsed = parse(subscription.canonical, schema_at(subscription.schema_version), limits=STORED)
    event = schema_at(match.event.schema_version).validate(match.event.document)
    return [asdict(held) for held in parsed.explain(event)]
