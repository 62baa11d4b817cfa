"""The same change to many subscriptions of one owner, in small transactions of a few statements each.

Numbers of other people, of what was removed and of what the change does not apply to are passed over. A crash
leaves the first of them changed; doing it again does the rest.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from matching.change_log import CHANGES_AT_ONCE, log_changes
from matching.models import Subscription
from matching.services import check_room, make_others_wait
from matching.small_transactions import portions
from matching.validity import DEFAULT_VALID_DAYS, expiry
from schema_registry.accounts.models import User

State = Subscription.State


def change(owner: User, numbers: Sequence[int], *, state: Subscription.State, now: datetime) -> int:
    """Pause, mute or resume them; how many it changed. Expired ones stay expired."""
    is_valid = Q(expires_at=None) | Q(expires_at__gt=now)
    changeable = _there(owner).filter(is_valid).exclude(state__in=[State.EXPIRED, state])
    return sum(_changed(some, state=state) for some in _among(changeable, numbers))


def renew(
    owner: User, numbers: Sequence[int], *, now: datetime, valid_days: int | None = DEFAULT_VALID_DAYS
) -> int:
    """Start their validity anew; expired ones come back to life. How many there were."""
    is_over = Q(state=State.EXPIRED) | Q(expires_at__lte=now)
    state = Case(When(is_over, then=Value(State.ACTIVE)), default=F("state"))
    changes = {"state": state, "expires_at": expiry(now, valid_days)}
    return sum(_changed(some, **changes) for some in _among(_there(owner), numbers))


def unsubscribe(owner: User, numbers: Sequence[int]) -> int:
    """Remove them; how many there were."""
    changes = {"state": State.REMOVED, "state_before": F("state")}
    return sum(_changed(some, **changes) for some in _among(_there(owner), numbers))


def restore(owner: User, numbers: Sequence[int]) -> int:
    """Take their removal back; how many there were.

    Raises TooManySubscriptions before anything is restored, unless the owner subscribes to others meanwhile.
    """
    removed = Subscription.objects.filter(owner=owner, state=State.REMOVED)
    check_room(owner, sum(some.count() for some in _among(removed, numbers)))
    state = Coalesce(F("state_before"), Value(State.ACTIVE))
    restored = 0
    for some in _among(removed, numbers):
        with transaction.atomic():
            make_others_wait(owner)
            check_room(owner, some.count())
            restored += _changed(some, state=state, state_before=None)
    return restored


def _there(owner: User) -> QuerySet[Subscription]:
    return Subscription.objects.filter(owner=owner).exclude(state=State.REMOVED)


def _among(subscriptions: QuerySet[Subscription], numbers: Sequence[int]) -> Iterator[QuerySet[Subscription]]:
    for some in portions(sorted(set(numbers)), CHANGES_AT_ONCE):
        yield subscriptions.filter(pk__in=some)


def _changed(subscriptions: QuerySet[Subscription], **changes: Any) -> int:
    """Change those that are still there when we hold their lock, and log it; how many there were."""
    with transaction.atomic():
        locked = subscriptions.select_for_update().order_by("pk")
        numbers = list(locked.values_list("pk", flat=True))
        if numbers:
            Subscription.objects.filter(pk__in=numbers).update(**changes)
            log_changes(numbers)
    return len(numbers)
