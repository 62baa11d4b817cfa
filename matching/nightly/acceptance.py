"""Accepting the events of a run: those that are not stored yet, through the same table and key as live ones.

A feed that names revisions is taken at its word: one that was used for other content is refused. Where it
names none, an item's revision is the next one of what is stored now; what was published live since the run
was computed may have taken the number that the run foresaw. Of a night that others of its site have overtaken
only items that nobody knows are new. Done again, all are repeats.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from matching import event_rows, failpoints, leases
from matching.envelopes import Envelope
from matching.event_rows import EventRow
from matching.feeds.night_order import Order
from matching.leases import Leased
from matching.models import PublishedEvent
from matching.nightly.computed import ComputedEvent
from matching.readiness import Ready
from matching.revisions import ChangedBody, Revisions
from matching.stored_reasons import OTHERS_PUBLISH
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError

_TRIES = 20  # of one event: each means that somebody else stored a revision of it at the same time


class OthersPublish(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """Others publish the same items, again and again."""

    code = "others_publish"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The events that are new, each with its number, and how many were not. `work` is ours, if asked for."""

    new: Sequence[tuple[int, ComputedEvent]]
    work: Sequence[Leased]
    repeats: int
    refused: int


def accept(
    publisher: Publisher,
    events: Sequence[ComputedEvent],
    *,
    names_revisions: bool,
    order: Order,
    now: datetime,
    shards: int,
    is_ours: bool,
) -> Accepted:
    """Insert the new ones in one transaction; their work is leased to us, or else left to the workers.

    Where somebody else publishes one of them right now, they are halved: the others need not wait for it.
    Raises OthersPublish.
    """
    for _try in range(_TRIES if len(events) == 1 else 1):
        try:
            with transaction.atomic():
                accepted = _accept(publisher, events, names_revisions, order, now, shards, is_ours)
                failpoints.reached("load.before-commit")
        except IntegrityError:
            continue
        failpoints.reached("load.after-commit")
        return accepted
    if len(events) == 1:
        raise OthersPublish(OTHERS_PUBLISH(item=events[0].external_id))
    half = len(events) // 2
    first, second = (
        accept(
            publisher,
            part,
            names_revisions=names_revisions,
            order=order,
            now=now,
            shards=shards,
            is_ours=is_ours,
        )
        for part in (events[:half], events[half:])
    )
    return Accepted(
        [*first.new, *second.new],
        [*first.work, *second.work],
        first.repeats + second.repeats,
        first.refused + second.refused,
    )


def _accept(
    publisher: Publisher,
    events: Sequence[ComputedEvent],
    names_revisions: bool,
    order: Order,
    now: datetime,
    shards: int,
    is_ours: bool,
) -> Accepted:
    decided = (
        _by_their_names(publisher, events) if names_revisions else _as_the_next_ones(publisher, events, order)
    )
    rows = [_row(publisher, event, each) for event, each in zip(events, decided, strict=True) if each]
    numbers = event_rows.insert(rows, accepted_at=now, shards=shards)
    new = [
        (numbers[event.external_id, revision], event)
        for event, revision in zip(events, decided, strict=True)
        if revision
    ]
    work = (
        leases.take_new(
            [number for number, _event in new],
            schema_versions=[event.schema_version for _number, event in new],
            accepted_at=now,
        )
        if is_ours and new
        else []
    )
    refused = sum(each is None for each in decided)
    return Accepted(new, work, repeats=len(events) - len(new) - refused, refused=refused)


# For each event the revision under which it is to be stored, 0 for a repeat, None for one that is refused.


def _by_their_names(publisher: Publisher, events: Sequence[ComputedEvent]) -> list[int | None]:
    decisions = Revisions(publisher).decide([_ready(event, event.revision) for event in events])
    return [
        None if isinstance(each, ChangedBody) else 0 if each.is_repeat else each.revision
        for each in decisions
    ]


def _as_the_next_ones(
    publisher: Publisher, events: Sequence[ComputedEvent], order: Order
) -> list[int | None]:
    """A run foresees a revision. Where newer ones are stored, one of them may be this event: it was loaded
    before, and published anew since. If the same day was loaded before, any of them may."""
    decisions = Revisions(publisher).decide([_ready(event, None) for event in events])
    overtaken = [
        event
        for event, each in zip(events, decisions, strict=True)
        if not isinstance(each, ChangedBody) and (order is Order.SAME or each.revision > event.revision)
    ]
    stored = _stored(publisher, overtaken, under_any=order is Order.SAME)
    decided: list[int | None] = []
    for event, each in zip(events, decisions, strict=True):
        if isinstance(each, ChangedBody):
            decided.append(None)
        elif (
            each.is_repeat
            or (event.external_id, event.digest) in stored
            or (order is Order.BEFORE and not each.is_first)
        ):
            decided.append(0)
        else:  # what the run knew of may have been forgotten since: numbers do not go back
            decided.append(max(each.revision, event.revision))
    return decided


def _stored(
    publisher: Publisher, events: Collection[ComputedEvent], *, under_any: bool
) -> set[tuple[str, str]]:
    """Of which of these items the very content is stored under the foreseen revision or a later one."""
    if not events:
        return set()
    foreseen = {event.external_id: 1 if under_any else event.revision for event in events}
    rows = PublishedEvent.objects.filter(
        publisher=publisher, external_id__in=foreseen, digest__in={event.digest for event in events}
    )
    found = rows.values_list("external_id", "digest", "revision")
    return {(name, digest) for name, digest, revision in found if revision >= foreseen[name]}


def _ready(event: ComputedEvent, revision: int | None) -> Ready:
    envelope = Envelope(external_id=event.external_id, event={}, revision=revision)
    return Ready(envelope, event.document, event.schema_version, event.digest)


def _row(publisher: Publisher, event: ComputedEvent, revision: int) -> EventRow:
    return EventRow(
        publisher.pk,
        event.external_id,
        revision,
        event.digest,
        event.schema_version,
        event.document,
        event.title,
        event.url,
        event.image_url,
        event.ends_at,
    )
