"""Saving a search with all that belongs to it: its name, how it tells, how long it is valid."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError

from matching import services
from matching.drafts import drafted
from matching.existing import add_existing
from matching.models import Match, Subscription
from notifications import terms
from notifications.core.policy import Frequency, Revisions
from notifications.models import Terms
from notifications.terms import Chosen
from schema_registry.accounts.models import User
from schema_registry.selectors import current_schema

State = Subscription.State


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`valid_days` None means no end; a search that is there keeps the end it has unless `is_renewed`."""

    name: str
    frequency: Frequency
    revisions: Revisions
    channels: Chosen
    valid_days: int | None
    is_renewed: bool


@dataclass(frozen=True, slots=True)
class Saved:
    """`added` is how many earlier finds were put into the feed."""

    warnings: tuple[str, ...]
    added: int = 0


def save(
    owner: User,
    search: Subscription | None,
    text: str,
    settings: Settings,
    *,
    now: datetime,
    clock: Callable[[], float],
    existing_days: int = 0,
    form: str = "",
) -> Saved:
    """Store search and terms, all or nothing; None makes a new one.

    Then what a new one would have found in the last days is put into the feed. `form` names the form that
    somebody has filled in: the same one, filled in the same way and sent again, makes no second search, also
    when both come at once. Raises what the services of `matching` and `terms.choose` raise.
    """
    if search is not None:
        return Saved(_changed(search, text, settings, now=now))
    digest = _digest(owner.pk, form, text, settings, existing_days) if form else None
    try:
        made = services.subscribe(
            owner,
            text,
            now=now,
            name=settings.name,
            valid_days=settings.valid_days,
            also=lambda row: _begin(row, settings, digest),
        )
    except (IntegrityError, services.TooManySubscriptions):
        there = Subscription.objects.exclude(state=State.REMOVED)
        before = there.filter(terms__form_digest=digest).first() if digest else None
        if before is None:
            raise
        return _saved_before(before, existing_days, now=now, clock=clock)
    if not existing_days:
        return Saved(made.warnings)
    return Saved(made.warnings, add_existing(made.subscription, days=existing_days, now=now, clock=clock))


def _begin(row: Subscription, settings: Settings, digest: str | None) -> None:
    """Raises IntegrityError, and so leaves nothing behind, when there is one that was made with this form."""
    _choose(row, settings)
    if digest:
        made = Terms.objects.filter(form_digest=digest)
        made.filter(subscription__state=State.REMOVED).update(form_digest=None)  # it may be made again
        Terms.objects.filter(pk=row.pk).update(form_digest=digest)


def _saved_before(
    search: Subscription, existing_days: int, *, now: datetime, clock: Callable[[], float]
) -> Saved:
    """What was said, or is being said, to whoever sent the form first."""
    warnings = drafted(search.text, current_schema()).warnings
    if not existing_days:
        return Saved(warnings)
    add_existing(search, days=existing_days, now=now, clock=clock)
    return Saved(warnings, Match.objects.filter(subscription=search).count())


def _digest(*form: object) -> str:
    return hashlib.sha256(repr(form).encode()).hexdigest()


def _changed(search: Subscription, text: str, settings: Settings, *, now: datetime) -> tuple[str, ...]:
    def terms_and_end(row: Subscription) -> None:
        _choose(row, settings)
        if settings.is_renewed:
            services.renew(row, now=now, valid_days=settings.valid_days)

    new_text = None if text == search.text else text
    return services.change(search, now=now, name=settings.name, text=new_text, also=terms_and_end)


def _choose(row: Subscription, settings: Settings) -> None:
    terms.choose(row, frequency=settings.frequency, revisions=settings.revisions, channels=settings.channels)
