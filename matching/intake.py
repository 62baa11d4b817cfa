"""Taking events in: validated, stored with the work they need in one transaction, and only then acknowledged.

The same publication, however often and by however many at once, is one event: a publisher's id and revision
name it, or an idempotency key does. Raises InvalidEvent, SchemaError for an unknown view, and ChangedBody
when a name that was used stands for another body now.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from matching.models import IdempotencyKey, MatchWork, PublishedEvent
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError
from schema_registry.core.events import Event
from schema_registry.selectors import current_schema, view_of

_TRIES = 5  # each means that somebody else stored a revision of the same item at the same time


class ChangedBody(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """A revision or an idempotency key that was used for another body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What a publisher sends: the event, and how people will see the item."""

    external_id: str
    event: dict[str, Any]
    revision: int | None = None
    view: str | None = None
    title: str = ""
    url: str = ""
    image_url: str = ""
    ends_at: datetime | None = None


def publish(
    publisher: Publisher, envelope: Envelope, *, now: datetime, idempotency_key: str | None = None
) -> PublishedEvent:
    """The stored event; the one that was there before if this is a repeat."""
    valid = validated(publisher, envelope)
    digest = _digest(envelope, valid)
    for _ in range(_TRIES):
        try:
            with transaction.atomic():
                return _store(publisher, envelope, valid, digest, now, idempotency_key)
        except IntegrityError:
            continue
    raise ChangedBody("Others publish this item at the same time; send it again.")


def validated(publisher: Publisher, envelope: Envelope) -> Event:
    schema = current_schema()
    view = None if envelope.view is None else view_of(publisher, envelope.view, schema)
    return schema.validate(envelope.event, view=view)


def _store(
    publisher: Publisher,
    envelope: Envelope,
    valid: Event,
    digest: str,
    now: datetime,
    idempotency_key: str | None,
) -> PublishedEvent:
    if idempotency_key is not None:
        used = (
            IdempotencyKey.objects.select_related("event")
            .filter(publisher=publisher, key=idempotency_key)
            .first()
        )
        if used is not None:
            return _same_or_refused(used.event, digest, f"The idempotency key {idempotency_key!r}")
    known = PublishedEvent.objects.filter(publisher=publisher, external_id=envelope.external_id)
    if envelope.revision is None:
        newest = known.order_by("-revision").first()
        if newest is not None and newest.digest == digest:
            return newest
        revision = 1 if newest is None else newest.revision + 1
    else:
        revision = envelope.revision
        there = known.filter(revision=revision).first()
        if there is not None:
            return _same_or_refused(there, digest, f"Revision {revision} of {envelope.external_id!r}")
    event = PublishedEvent.objects.create(
        publisher=publisher,
        external_id=envelope.external_id,
        revision=revision,
        digest=digest,
        schema_version=valid.schema_version,
        document=valid.to_dict(),
        title=envelope.title,
        url=envelope.url,
        image_url=envelope.image_url,
        ends_at=envelope.ends_at,
        accepted_at=now,
    )
    MatchWork.objects.create(event=event)
    if idempotency_key is not None:
        IdempotencyKey.objects.create(publisher=publisher, key=idempotency_key, event=event)
    return event


def _same_or_refused(event: PublishedEvent, digest: str, what: str) -> PublishedEvent:
    if event.digest != digest:
        raise ChangedBody(f"{what} was used for another body.")
    return event


def _digest(envelope: Envelope, valid: Event) -> str:
    """Of all that makes the content: the canonical event, so that spelling makes no difference."""
    ends_at = None if envelope.ends_at is None else envelope.ends_at.isoformat()
    content = [valid.to_dict(), envelope.title, envelope.url, envelope.image_url, ends_at]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
