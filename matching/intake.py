"""Taking events in: validated, stored with the work they need in one transaction, and only then acknowledged.

The same publication, however often and by however many at once, is one event: a publisher's id and revision
name it, or an idempotency key does. Raises InvalidEvent, SchemaError for an unknown view, and ChangedBody
when a name that was used stands for another body now.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, transaction

from matching import event_rows, failpoints
from matching.envelopes import Envelope
from matching.event_rows import EventRow
from matching.models import IdempotencyKey, PublishedEvent
from matching.readiness import Ready, made_ready
from matching.revisions import ChangedBody, Decision, Revisions
from schema_registry.accounts.models import Publisher
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.selectors import view_of

_TRIES = 5  # each means that somebody else stored a revision of the same item at the same time
_turn = Lock()


@dataclass(frozen=True, slots=True)
class Taken:
    """A stored event, and whether it was there before."""

    number: int
    is_repeat: bool


def checked(publisher: Publisher, envelope: Envelope, schema: Schema) -> Ready:
    """The envelope with its event validated. Raises InvalidEvent, SchemaError."""
    view = None if envelope.view is None else view_of(publisher, envelope.view, schema)
    return made_ready(envelope, schema.validate(envelope.event, view=view))


def publish(
    publisher: Publisher, ready: Ready, *, now: datetime, idempotency_key: str | None = None
) -> Taken:
    """Store one event, unless this is a repeat. Raises ChangedBody."""
    for _try in range(_TRIES):
        try:
            with _in_turn(), transaction.atomic():
                taken = _publish(publisher, ready, now, idempotency_key)
                failpoints.reached("publish.before-commit")
        except IntegrityError:
            continue
        failpoints.reached("publish.after-commit")
        return taken
    raise ChangedBody(_("Others publish this item at the same time; send it again."))


def publish_many(publisher: Publisher, batch: Sequence[Ready], *, now: datetime) -> list[Taken | ChangedBody]:
    """Store many in one transaction: the same as one by one, and much quicker."""
    try:
        with _in_turn(), transaction.atomic():
            taken = _publish_many(publisher, batch, now)
            failpoints.reached("publish-batch.before-commit")
    except IntegrityError:  # somebody else publishes one of these items right now
        return [_taken_or_refused(publisher, ready, now) for ready in batch]
    failpoints.reached("publish-batch.after-commit")
    return taken


def foreseen(publisher: Publisher, ready: Ready, *, idempotency_key: str | None = None) -> Decision:
    """What publishing this would come to; nothing is stored. Raises ChangedBody."""
    event = _event_named(idempotency_key, publisher, ready)
    if event is not None:
        return Decision(event.revision, event.pk, is_repeat=True, is_first=False)
    (decision,) = Revisions(publisher).decide([ready])
    if isinstance(decision, ChangedBody):
        raise decision
    return decision


def _publish(publisher: Publisher, ready: Ready, now: datetime, idempotency_key: str | None) -> Taken:
    event = _event_named(idempotency_key, publisher, ready)
    if event is not None:
        return Taken(event.pk, is_repeat=True)
    (taken,) = _publish_many(publisher, [ready], now)
    if isinstance(taken, ChangedBody):
        raise taken
    if idempotency_key is not None:
        IdempotencyKey.objects.create(publisher=publisher, key=idempotency_key, event_id=taken.number)
    return taken


def _event_named(idempotency_key: str | None, publisher: Publisher, ready: Ready) -> PublishedEvent | None:
    """What the key was used for, if there is one and it was. Raises ChangedBody."""
    if idempotency_key is None:
        return None
    used = IdempotencyKey.objects.filter(publisher=publisher, key=idempotency_key).select_related("event")
    if (key := used.first()) is None:
        return None
    event, envelope = key.event, ready.envelope
    is_same_item = event.external_id == envelope.external_id and envelope.revision in (None, event.revision)
    if not is_same_item or event.digest != ready.digest:
        raise ChangedBody(_("The idempotency key {key!r} was used for another body.", key=idempotency_key))
    return event


def _publish_many(publisher: Publisher, batch: Sequence[Ready], now: datetime) -> list[Taken | ChangedBody]:
    decided = list(zip(batch, Revisions(publisher).decide(batch), strict=True))
    fresh = [
        _row(publisher, ready, decision.revision)
        for ready, decision in decided
        if isinstance(decision, Decision) and not decision.is_repeat
    ]
    numbers = event_rows.insert(fresh, accepted_at=now, shards=settings.MATCHING_SHARDS)
    return [
        Taken(
            decision.number or numbers[ready.envelope.external_id, decision.revision],
            is_repeat=decision.is_repeat,
        )
        if isinstance(decision, Decision)
        else decision
        for ready, decision in decided
    ]


def _taken_or_refused(publisher: Publisher, ready: Ready, now: datetime) -> Taken | ChangedBody:
    try:
        return publish(publisher, ready, now=now)
    except ChangedBody as refused:
        return refused


@contextmanager
def _in_turn() -> Iterator[None]:
    """SQLite has one writer at a time. Others sleep and ask again, some of them for very long.

    So those of this process queue here. Whoever is in a transaction already has its turn.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    if not _turn.acquire(timeout=connection.settings_dict["OPTIONS"]["timeout"]):
        raise OperationalError("Others of this process are writing.")
    try:
        yield
    finally:
        _turn.release()


def _row(publisher: Publisher, ready: Ready, revision: int) -> EventRow:
    envelope = ready.envelope
    return EventRow(
        publisher.pk,
        envelope.external_id,
        revision,
        ready.digest,
        ready.schema_version,
        ready.document,
        envelope.title,
        envelope.url,
        envelope.image_url,
        envelope.ends_at,
    )
