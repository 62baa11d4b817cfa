"""How many matches subscriptions have, counted only so far as staff want to know it."""

from collections.abc import Collection

from django.db.models import IntegerField, OuterRef, Subquery

from matching.models import Match, Subscription

MOST_COUNTED = 1_000


def match_counts(subscriptions: Collection[int]) -> dict[int, int]:
    """The matches of each; one over `MOST_COUNTED` stands for more. One query, O(subscriptions * limit)."""
    matches = Match.objects.filter(subscription=OuterRef("pk")).order_by().values("pk")
    counted = _Count(matches[: MOST_COUNTED + 1])
    return dict(Subscription.objects.filter(pk__in=subscriptions).values_list("pk", counted))


class _Count(Subquery):
    """The rows of a subquery, which may have a limit."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()
