"""The life of a subscription: subscribe, edit, pause, mute, renew, unsubscribe. For many see `bulk`.

Each change is written to the log in the transaction that makes it, numbered in the order in which changes
become visible. Raises what the language raises (SubscriptionError) for a text that cannot be, and
Subscription.DoesNotExist for one that was removed meanwhile.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from matching import failpoints
from matching.change_log import CHANGES_AT_ONCE, log_changes
from matching.drafts import Draft, drafted
from matching.models import MatchWork, PublishedEvent, Subscription
from matching.small_transactions import portions
from matching.tickets import new_ticket, ticket_digest
from matching.validity import DEFAULT_VALID_DAYS, expiry, state_at
from schema_registry.accounts.models import User
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _
from schema_registry.selectors import current_schema

State = Subscription.State
# What another app does in the transaction that stores a subscription, before the log makes others wait.
Also = Callable[[Subscription], None]


def _nothing(subscription: Subscription) -> None:
    pass


class TooManySubscriptions(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """Its owner may not have so many."""

    code = "too_many_subscriptions"


class AlreadyExpired(InputError):  # noqa: N818 - named for what happened
    """Its validity is over, so it cannot be paused, muted or resumed."""

    code = "already_expired"


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The ticket is shown this once; whoever has it may renew or cancel without an account."""

    subscription: Subscription
    ticket: str
    warnings: tuple[str, ...]


def subscribe(
    owner: User,
    text: str,
    *,
    now: datetime,
    name: str = "",
    valid_days: int | None = DEFAULT_VALID_DAYS,
    also: Also = _nothing,
) -> Subscribed:
    """`valid_days` None means that it never expires. Raises TooManySubscriptions."""
    draft = drafted(text, current_schema(), name=name, expires_at=expiry(now, valid_days))
    (subscribed,) = subscribe_many(owner, [draft], now=now, also=also)
    return subscribed


def subscribe_many(
    owner: User, drafts: Sequence[Draft], *, now: datetime, has_limit: bool = True, also: Also = _nothing
) -> list[Subscribed]:
    """Store them in small transactions, each with one range of numbers in the log.

    Raises TooManySubscriptions before anything is stored. Owners that nobody is, as in a load test, need no
    limit.
    """
    subscribed: list[Subscribed] = []
    for portion in portions(drafts, CHANGES_AT_ONCE):
        with transaction.atomic():
            if has_limit:
                make_others_wait(owner)
                check_room(owner, len(drafts) - len(subscribed))
            subscribed += _store(owner, portion, now, also)
    return subscribed


def subscribe_missing(
    owner: User, drafts: Sequence[Draft], *, now: datetime, also: Also = _nothing
) -> list[Subscribed | None]:
    """Store those which the owner does not have yet, in small transactions; None stands for the others.

    One that is there has the same name and canonical text. A crash leaves the first of them stored; doing
    it again stores the rest and only those, also when both happen at once. Raises TooManySubscriptions
    before anything is stored, unless the owner subscribes to others meanwhile.
    """
    check_room(owner, len({draft.identity for draft in drafts} - _identities(owner)))
    subscribed: list[Subscribed | None] = []
    for portion in portions(drafts, CHANGES_AT_ONCE):
        with transaction.atomic():
            make_others_wait(owner)
            there = _identities(owner, among=portion)
            missing: dict[tuple[str, str], Draft] = {}
            for draft in portion:
                if draft.identity not in there:
                    missing.setdefault(draft.identity, draft)
            check_room(owner, len(missing))
            stored = dict(zip(missing, _store(owner, list(missing.values()), now, also), strict=True))
        subscribed += [stored.pop(draft.identity, None) for draft in portion]
    return subscribed


def change(
    subscription: Subscription,
    *,
    now: datetime,
    name: str | None = None,
    text: str | None = None,
    state: Subscription.State | None = None,
    also: Also = _nothing,
) -> tuple[str, ...]:
    """Give it another name, text or state, all or nothing; the warnings about the new text.

    Raises AlreadyExpired when an expired one should have another state.
    """
    draft = None if text is None else drafted(text, current_schema())
    with transaction.atomic():
        row = _locked(subscription)
        if name is not None:
            row.name = name
        if draft is not None:
            row.text, row.canonical, row.compiled = draft.text, draft.canonical, draft.compiled
            row.schema_version = draft.schema_version
        if state is not None:
            if state_at(row.state, row.expires_at, now=now) == State.EXPIRED:
                raise AlreadyExpired(_("This subscription has expired; renew it first."))
            row.state = state
        row.save()
        also(row)
        if draft is not None or state is not None:
            log_changes([row.pk])
    return () if draft is None else draft.warnings


def renew(
    subscription: Subscription, *, now: datetime, valid_days: int | None = DEFAULT_VALID_DAYS
) -> datetime | None:
    """Start its validity anew; an expired one comes back to life. The moment it expires now."""
    with transaction.atomic():
        row = _locked(subscription)
        if state_at(row.state, row.expires_at, now=now) == State.EXPIRED:
            row.state = State.ACTIVE
        row.expires_at = expiry(now, valid_days)
        row.save(update_fields=["expires_at", "state"])
        log_changes([row.pk])
    return row.expires_at


def unsubscribe(subscription: Subscription) -> None:
    with transaction.atomic():
        row = _locked(subscription)
        row.state, row.state_before = State.REMOVED, row.state
        row.save(update_fields=["state", "state_before"])
        log_changes([row.pk])


def restore(number: int, *, owner: User) -> Subscription:
    """Take an unsubscribing back: it is as it was, and matches what is accepted from now on.

    Raises TooManySubscriptions, and Subscription.DoesNotExist if the owner has none of this number that was
    removed.
    """
    removed = Subscription.objects.filter(owner=owner, state=State.REMOVED)
    with transaction.atomic():
        make_others_wait(owner)
        row = removed.select_for_update().get(pk=number)
        check_room(owner, 1)
        row.state, row.state_before = row.state_before or State.ACTIVE, None
        row.save(update_fields=["state", "state_before"])
        log_changes([row.pk])
    return row


def withdraw(event: PublishedEvent) -> None:
    """The item is gone: if it still waits it is not matched, and nobody is told of it from now on."""
    with transaction.atomic():
        # In this order: whoever retries a parked event at the same moment waits for us, and sees it gone.
        PublishedEvent.objects.filter(pk=event.pk).update(
            state=PublishedEvent.State.WITHDRAWN, state_changed_at=Now()
        )
        MatchWork.objects.filter(event=event).delete()
        failpoints.at_commit("withdraw")


def make_others_wait(owner: User) -> None:
    """Whoever subscribes for the same owner waits until we commit, so that what we count stays true."""
    list(User.objects.select_for_update(no_key=True).filter(pk=owner.pk).values_list("pk"))


def check_room(owner: User, count: int) -> None:
    """Raises TooManySubscriptions if there is no room for so many more. Expired ones count, too."""
    most = settings.MOST_SUBSCRIPTIONS_PER_OWNER
    total = count + Subscription.objects.filter(owner=owner).exclude(state=State.REMOVED).count()
    if count and total > most:
        raise TooManySubscriptions(
            _(
                "This would make {total:,} subscriptions; you may have {most:,}. Remove some first.",
                total=total,
                most=most,
            )
        )


def _identities(owner: User, *, among: Sequence[Draft] | None = None) -> set[tuple[str, str]]:
    """What the owner has: the canonical texts and names."""
    mine = Subscription.objects.filter(owner=owner).exclude(state=State.REMOVED)
    if among is not None:
        mine = mine.filter(canonical__in={draft.canonical for draft in among})
    return set(mine.values_list("canonical", "name"))


def _store(owner: User, drafts: Sequence[Draft], now: datetime, also: Also = _nothing) -> list[Subscribed]:
    if not drafts:
        return []
    tickets = [new_ticket() for _ in drafts]
    rows = Subscription.objects.bulk_create(
        Subscription(
            owner_id=owner.pk,
            name=draft.name,
            text=draft.text,
            canonical=draft.canonical,
            compiled=draft.compiled,
            schema_version=draft.schema_version,
            state=draft.state,
            created_at=now,
            expires_at=draft.expires_at,
            ticket_digest=ticket_digest(ticket),
        )
        for draft, ticket in zip(drafts, tickets, strict=True)
    )
    for row in rows:
        also(row)
    log_changes([row.pk for row in rows])
    return [
        Subscribed(row, ticket, draft.warnings)
        for row, ticket, draft in zip(rows, tickets, drafts, strict=True)
    ]


def _locked(subscription: Subscription) -> Subscription:
    """The row, which nobody else changes until we commit, so that its changes are logged in order."""
    there = Subscription.objects.exclude(state=State.REMOVED)
    return there.select_for_update().get(pk=subscription.pk)
