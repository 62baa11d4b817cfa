"""The life of a subscription: subscribe, edit, pause, mute, renew, unsubscribe.

Each call is one transaction that changes the row and writes the change to the log, numbered in the order in
which changes become visible. Raises what the language raises (SubscriptionError) for a text that cannot be.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.crypto import salted_hmac

from matching.models import ChangeCounter, MatchWork, PublishedEvent, Subscription, SubscriptionChange
from matching.stored import compiled
from schema_registry.accounts.models import User
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from schema_registry.selectors import current_schema

DEFAULT_VALID_DAYS = 30
State = Subscription.State
# A muted subscription goes on collecting matches; it only tells nobody.
MATCHED_STATES = frozenset({State.ACTIVE, State.MUTED})


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The ticket is shown this once; whoever has it may renew or cancel without an account."""

    subscription: Subscription
    ticket: str
    warnings: tuple[str, ...]


def subscribe(
    owner: User, text: str, *, now: datetime, name: str = "", valid_days: int | None = DEFAULT_VALID_DAYS
) -> Subscribed:
    """`valid_days` None means that it never expires."""
    schema = current_schema()
    parsed = parse(text, schema)
    ticket = secrets.token_urlsafe(32)
    subscription = Subscription(
        owner=owner,
        name=name,
        text=text,
        canonical=parsed.canonical,
        compiled=compiled(parsed),
        schema_version=schema.version,
        created_at=now,
        expires_at=_expiry(now, valid_days),
        ticket_digest=ticket_digest(ticket),
    )
    with transaction.atomic():
        subscription.save()
        _log([subscription])
    return Subscribed(subscription, ticket, parsed.warnings)


def change(
    subscription: Subscription,
    *,
    name: str | None = None,
    text: str | None = None,
    state: Subscription.State | None = None,
) -> tuple[str, ...]:
    """Give it another name, text or state, all or nothing; the warnings about the new text."""
    warnings: tuple[str, ...] = ()
    with transaction.atomic():
        row = _locked(subscription)
        if name is not None:
            row.name = name
        if text is not None:
            warnings = _set_text(row, text, current_schema())
        if state is not None:
            row.state = state
        row.save()
        if text is not None or state is not None:
            _log([row])
    return warnings


def renew(
    subscription: Subscription, *, now: datetime, valid_days: int | None = DEFAULT_VALID_DAYS
) -> datetime | None:
    """Start its validity anew; an expired one comes back to life. The moment it expires now."""
    with transaction.atomic():
        row = _locked(subscription)
        row.expires_at = _expiry(now, valid_days)
        if row.state == State.EXPIRED:
            row.state = State.ACTIVE
        row.save(update_fields=["expires_at", "state"])
        _log([row])
    return row.expires_at


def unsubscribe(subscription: Subscription) -> None:
    change(subscription, state=State.REMOVED)


def withdraw(event: PublishedEvent) -> None:
    """The item is gone: if it still waits it is not matched, and nobody is told of it from now on."""
    with transaction.atomic():
        MatchWork.objects.filter(event=event).delete()
        PublishedEvent.objects.filter(pk=event.pk).update(state=PublishedEvent.State.WITHDRAWN)


def ticket_digest(ticket: str) -> str:
    return salted_hmac("matching.Subscription.ticket", ticket, algorithm="sha256").hexdigest()


def _locked(subscription: Subscription) -> Subscription:
    """The row, which nobody else changes until we commit, so that its changes are logged in order."""
    return Subscription.objects.select_for_update().get(pk=subscription.pk)


def _set_text(row: Subscription, text: str, schema: Schema) -> tuple[str, ...]:
    parsed = parse(text, schema)
    row.text, row.canonical, row.compiled = text, parsed.canonical, compiled(parsed)
    row.schema_version = schema.version
    return parsed.warnings


def _expiry(now: datetime, valid_days: int | None) -> datetime | None:
    return None if valid_days is None else now + timedelta(days=valid_days)


def _log(subscriptions: Iterable[Subscription]) -> None:
    """Number the changes and write them down. The counter is locked last, until the commit that follows."""
    rows = list(subscriptions)
    ChangeCounter.objects.get_or_create(pk=1)
    ChangeCounter.objects.filter(pk=1).update(last=F("last") + len(rows))
    last = ChangeCounter.objects.values_list("last", flat=True).get(pk=1)
    SubscriptionChange.objects.bulk_create(
        SubscriptionChange(
            sequence=last - len(rows) + 1 + number,
            subscription=row,
            is_matched=row.state in MATCHED_STATES,
            compiled=row.compiled if row.state in MATCHED_STATES else None,
            schema_version=row.schema_version,
            expires_at=row.expires_at,
        )
        for number, row in enumerate(rows)
    )
