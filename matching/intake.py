"""Taking events in: validated, stored with the work they need in one transaction, and only then acknowledged.

The same publication, however often and by however many at once, is one event: a publisher's id and revision
name it, or an idempotency key does. Raises InvalidEvent, SchemaError for an unknown view, and ChangedBody
when a name that was used stands for another body now.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from matching.envelopes import Envelope
from matching.models import IdempotencyKey, MatchWork, PublishedEvent
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError
from schema_registry.core.schema import Schema
from schema_registry.selectors import view_of

_TRIES = 5  # each means that somebody else stored a revision of the same item at the same time


class ChangedBody(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """A revision or an idempotency key that was used for another body."""

    code = "changed_body"


@dataclass(frozen=True, slots=True)
class Ready:
    """An envelope whose event is valid; `document` is the event in canonical form."""

    envelope: Envelope
    document: dict[str, Any]
    schema_version: int
    digest: str


@dataclass(frozen=True, slots=True)
class Taken:
    """A stored event, and whether it was there before."""

    number: int
    is_repeat: bool


def checked(publisher: Publisher, envelope: Envelope, schema: Schema) -> Ready:
    """The envelope with its event validated. Raises InvalidEvent, SchemaError."""
    view = None if envelope.view is None else view_of(publisher, envelope.view, schema)
    document = schema.validate(envelope.event, view=view).to_dict()
    return Ready(envelope, document, schema.version, _digest(envelope, document))


def publish(
    publisher: Publisher, ready: Ready, *, now: datetime, idempotency_key: str | None = None
) -> Taken:
    """Store one event, unless this is a repeat. Raises ChangedBody."""
    for _ in range(_TRIES):
        try:
            with transaction.atomic():
                return _publish(publisher, ready, now, idempotency_key)
        except IntegrityError:
            continue
    raise ChangedBody("Others publish this item at the same time; send it again.")


def publish_many(publisher: Publisher, batch: Sequence[Ready], *, now: datetime) -> list[Taken | ChangedBody]:
    """Store many in one transaction: the same as one by one, and much quicker."""
    try:
        with transaction.atomic():
            return _publish_many(publisher, batch, now)
    except IntegrityError:  # somebody else publishes one of these items right now
        return [_taken_or_refused(publisher, ready, now) for ready in batch]


def _publish(publisher: Publisher, ready: Ready, now: datetime, idempotency_key: str | None) -> Taken:
    if idempotency_key is not None:
        used = IdempotencyKey.objects.filter(publisher=publisher, key=idempotency_key).select_related("event")
        if (key := used.first()) is not None:
            if key.event.digest != ready.digest:
                raise ChangedBody(f"The idempotency key {idempotency_key!r} was used for another body.")
            return Taken(key.event_id, is_repeat=True)
    (taken,) = _publish_many(publisher, [ready], now)
    if isinstance(taken, ChangedBody):
        raise taken
    if idempotency_key is not None:
        IdempotencyKey.objects.create(publisher=publisher, key=idempotency_key, event_id=taken.number)
    return taken


def _publish_many(publisher: Publisher, batch: Sequence[Ready], now: datetime) -> list[Taken | ChangedBody]:
    known = _Revisions(publisher, {ready.envelope.external_id for ready in batch})
    decided: list[tuple[PublishedEvent, bool] | ChangedBody] = []
    for ready in batch:
        try:
            decided.append(known.event_for(ready, now))
        except ChangedBody as refused:
            decided.append(refused)
    fresh = [each[0] for each in decided if not isinstance(each, ChangedBody) and not each[1]]
    PublishedEvent.objects.bulk_create(fresh)
    MatchWork.objects.bulk_create(MatchWork(event=event) for event in fresh)
    return [
        each if isinstance(each, ChangedBody) else Taken(each[0].pk, is_repeat=each[1]) for each in decided
    ]


def _taken_or_refused(publisher: Publisher, ready: Ready, now: datetime) -> Taken | ChangedBody:
    try:
        return publish(publisher, ready, now=now)
    except ChangedBody as refused:
        return refused


class _Revisions:
    """The revisions of some items of a publisher: those stored, and those about to be."""

    def __init__(self, publisher: Publisher, external_ids: set[str]) -> None:
        self._publisher = publisher
        self._known: dict[str, dict[int, PublishedEvent]] = {}
        stored = PublishedEvent.objects.filter(publisher=publisher, external_id__in=external_ids)
        for event in stored.only("external_id", "revision", "digest"):
            self._known.setdefault(event.external_id, {})[event.revision] = event

    def event_for(self, ready: Ready, now: datetime) -> tuple[PublishedEvent, bool]:
        """The event that this publication is, and whether it is known already. Raises ChangedBody."""
        envelope = ready.envelope
        revisions = self._known.setdefault(envelope.external_id, {})
        newest = revisions.get(max(revisions, default=0))
        if envelope.revision is None:
            if newest is not None and newest.digest == ready.digest:
                return newest, True
            revision = 1 if newest is None else newest.revision + 1
        else:
            revision = envelope.revision
            there = revisions.get(revision)
            if there is not None and there.digest != ready.digest:
                name = f"Revision {revision} of {envelope.external_id!r}"
                raise ChangedBody(f"{name} was used for another body.")
            if there is not None:
                return there, True
        event = revisions[revision] = self._event(ready, revision, now)
        return event, False

    def _event(self, ready: Ready, revision: int, now: datetime) -> PublishedEvent:
        envelope = ready.envelope
        return PublishedEvent(
            publisher=self._publisher,
            external_id=envelope.external_id,
            revision=revision,
            digest=ready.digest,
            schema_version=ready.schema_version,
            document=ready.document,
            title=envelope.title,
            url=envelope.url,
            image_url=envelope.image_url,
            ends_at=envelope.ends_at,
            accepted_at=now,
        )


def _digest(envelope: Envelope, document: dict[str, Any]) -> str:
    """Of all that makes the content: the canonical event, so that spelling makes no difference."""
    ends_at = None if envelope.ends_at is None else envelope.ends_at.isoformat()
    content = [document, envelope.title, envelope.url, envelope.image_url, ends_at]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
