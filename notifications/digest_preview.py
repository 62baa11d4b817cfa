"""What a digest of the last days would tell a person: the same items in the same order as in the mail."""

from datetime import datetime

from django.db.models import Case, CharField, Value

from matching.models import Match
from notifications.core.messages import Digest
from notifications.items import items_of
from notifications.worth_telling import MOST_MATCHES, best_first, by_event, matches_in_order, whys_gone
from schema_registry.accounts.models import User


def previewed(owner: User, *, since: datetime, now: datetime, most_items: int) -> Digest:
    """From the newest matches, as many as a message has. Two queries beside those for the schemas."""
    newest = Match.objects.filter(owner=owner).order_by("-pk").values("pk")[:MOST_MATCHES]
    gone = Case(*whys_gone(now=now), default=Value(""), output_field=CharField())
    recent = Match.objects.filter(pk__in=newest, matched_at__gte=since).annotate(gone=gone)
    found = by_event(recent.filter(gone="").order_by().values_list("event_id", "pk"))
    best = best_first(found)
    items = tuple(items_of(matches_in_order(best[:most_items], found)))
    return Digest(items=items, overflow=0, most_per_day=None, more=len(best) - len(items))
