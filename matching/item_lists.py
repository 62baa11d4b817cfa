"""A publisher's items, newest first, a page at a time: each by its newest revision.

Whatever is asked, no more than so many events are looked at for a page, along an index; where that does not
fill it, the next page goes on from there. An id in full is found at once.
"""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from matching.models import PublishedEvent
from schema_registry.accounts.models import Publisher

PER_PAGE = 50
LOOKED_THROUGH = 20_000
REVISIONS_SHOWN = 50
State = PublishedEvent.State
_WITH_AN_INDEX = (State.PARKED, State.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class Listed:
    """`before` is where the next page begins; it `is_cut` if that is before this one was full."""

    items: list[PublishedEvent]
    before: int | None = None
    is_cut: bool = False


def newest(publisher: Publisher, *, words: str = "", state: str = "", before: int | None = None) -> Listed:
    """Of this state, or of any; with this id, or else with these words in title or id."""
    events = PublishedEvent.objects.filter(publisher=publisher).defer("document")
    if words:
        named = list(_in_state(events.filter(external_id=words), state).order_by("-revision")[:1])
        if named:
            return Listed(named)
    if before is not None:
        events = events.filter(pk__lt=before)
    if state in _WITH_AN_INDEX:
        events = _in_state(events, state)
    keys = events.order_by("-pk").values_list("pk", flat=True)
    lowest = keys[LOOKED_THROUGH : LOOKED_THROUGH + 1].first()
    found = _in_state(events, state).filter(~Exists(_newer_revision())).order_by("-pk")
    if lowest is not None:
        found = found.filter(pk__gt=lowest)
    if words:
        found = found.filter(Q(title__icontains=words) | Q(external_id__icontains=words))
    items = list(found[: PER_PAGE + 1])
    if len(items) > PER_PAGE:
        return Listed(items[:PER_PAGE], before=items[PER_PAGE - 1].pk)
    return Listed(items, before=None if lowest is None else lowest + 1, is_cut=lowest is not None)


def revisions(event: PublishedEvent) -> list[PublishedEvent]:
    """Those of the same item, newest first; the first few."""
    same = PublishedEvent.objects.filter(publisher=event.publisher_id, external_id=event.external_id)
    return list(same.defer("document").order_by("-revision")[:REVISIONS_SHOWN])


def _in_state(events: QuerySet[PublishedEvent], state: str) -> QuerySet[PublishedEvent]:
    return events.filter(state=state) if state else events


def _newer_revision() -> QuerySet[PublishedEvent]:
    return PublishedEvent.objects.filter(
        publisher=OuterRef("publisher"),
        external_id=OuterRef("external_id"),
        revision__gt=OuterRef("revision"),
    )
