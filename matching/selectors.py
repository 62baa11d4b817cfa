"""Reading subscriptions."""

from django.db.models import QuerySet

from matching.models import Subscription
from matching.services import ticket_digest
from schema_registry.accounts.models import User


def subscriptions_of(owner: User) -> QuerySet[Subscription]:
    """What a person has, newest first; removed ones are gone."""
    mine = Subscription.objects.filter(owner=owner)
    return mine.exclude(state=Subscription.State.REMOVED).order_by("-pk")


def subscription_with_ticket(number: int, ticket: str) -> Subscription | None:
    """The subscription of this number if the ticket is its own."""
    found = Subscription.objects.filter(pk=number, ticket_digest=ticket_digest(ticket))
    return found.exclude(state=Subscription.State.REMOVED).first()
