"""One change to many searches of a person, and taking a removal back."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from matching import bulk, services
from matching.change_log import CHANGES_AT_ONCE
from matching.drafts import drafted
from matching.live import LiveMatcher
from matching.models import ChangeCounter, Subscription, SubscriptionChange
from matching.services import State, TooManySubscriptions
from schema_registry.accounts.models import User
from schema_registry.selectors import current_schema
from tests.integration.lots import make_lots

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def owner() -> User:
    make_lots()
    return User.objects.create_user("reader@example.org")


def searches(owner: User, count: int) -> list[int]:
    drafts = [
        drafted(f"price = {n}", current_schema(), name=str(n), expires_at=NOW + DAY) for n in range(count)
    ]
    return [made.subscription.pk for made in services.subscribe_many(owner, drafts, now=NOW)]


def states(numbers: list[int]) -> list[str]:
    return list(Subscription.objects.filter(pk__in=numbers).order_by("pk").values_list("state", flat=True))


def matched() -> int:
    """How many a matcher that follows the log has."""
    return len(LiveMatcher("naive"))


def test_all_are_paused_with_an_entry_each_in_the_log(owner: User) -> None:
    numbers = searches(owner, CHANGES_AT_ONCE + 5)
    assert bulk.change(owner, numbers, state=State.PAUSED, now=NOW) == len(numbers)
    assert states(numbers) == ["paused"] * len(numbers)
    assert SubscriptionChange.objects.count() == ChangeCounter.objects.get().last == 2 * len(numbers)
    assert not SubscriptionChange.objects.filter(sequence__gt=len(numbers), is_matched=True).exists()


def test_the_statements_do_not_grow_with_the_searches(owner: User) -> None:
    numbers = searches(owner, CHANGES_AT_ONCE)
    with CaptureQueriesContext(connection) as few:
        bulk.change(owner, numbers[:2], state=State.PAUSED, now=NOW)
    with CaptureQueriesContext(connection) as many:
        bulk.change(owner, numbers, state=State.MUTED, now=NOW)
    assert len(few) == len(many)


def test_what_is_foreign_missing_removed_expired_or_named_twice_is_passed_over(owner: User) -> None:
    first, second, removed, expired = searches(owner, 4)
    other = User.objects.create_user("other@example.org")
    (foreign,) = searches(other, 1)
    services.unsubscribe(Subscription.objects.get(pk=removed))
    Subscription.objects.filter(pk=expired).update(expires_at=NOW - DAY)
    asked = [first, first, second, removed, expired, foreign, 10**9]
    assert bulk.change(owner, asked, state=State.MUTED, now=NOW) == 2
    assert states([first, second, removed, expired, foreign]) == [
        "muted",
        "muted",
        "removed",
        "active",
        "active",
    ]
    assert bulk.change(owner, asked, state=State.MUTED, now=NOW) == 0
    assert bulk.change(owner, [], state=State.MUTED, now=NOW) == 0


def test_renewing_brings_expired_ones_back_and_leaves_paused_ones_paused(owner: User) -> None:
    valid, paused, over, expired = numbers = searches(owner, 4)
    bulk.change(owner, [paused], state=State.PAUSED, now=NOW)
    Subscription.objects.filter(pk=over).update(expires_at=NOW - DAY, state=State.PAUSED)
    Subscription.objects.filter(pk=expired).update(expires_at=NOW - DAY, state=State.EXPIRED)
    assert bulk.renew(owner, numbers, now=NOW, valid_days=7) == 4
    assert states(numbers) == ["active", "paused", "active", "active"]
    expiries = set(Subscription.objects.filter(pk__in=numbers).values_list("expires_at", flat=True))
    assert expiries == {NOW + 7 * DAY}
    assert bulk.renew(owner, [valid], now=NOW, valid_days=None) == 1
    assert Subscription.objects.get(pk=valid).expires_at is None


def test_removing_is_taken_back_to_the_states_they_had(owner: User) -> None:
    _, paused, muted = numbers = searches(owner, 3)
    bulk.change(owner, [paused], state=State.PAUSED, now=NOW)
    bulk.change(owner, [muted], state=State.MUTED, now=NOW)
    assert bulk.unsubscribe(owner, numbers) == 3
    assert (states(numbers), matched()) == (["removed"] * 3, 0)
    assert bulk.unsubscribe(owner, numbers) == 0
    assert bulk.restore(owner, [*numbers, 10**9]) == 3
    assert (states(numbers), matched()) == (["active", "paused", "muted"], 2)
    assert bulk.restore(owner, numbers) == 0


def test_one_search_is_restored_by_its_owner_only(owner: User) -> None:
    (number,) = searches(owner, 1)
    row = Subscription.objects.get(pk=number)
    services.change(row, now=NOW, state=State.MUTED)
    services.unsubscribe(row)
    other = User.objects.create_user("other@example.org")
    with pytest.raises(Subscription.DoesNotExist):
        services.restore(number, owner=other)
    assert services.restore(number, owner=owner).state == State.MUTED
    assert matched() == 1
    with pytest.raises(Subscription.DoesNotExist):
        services.restore(number, owner=owner)


def test_what_was_removed_before_its_state_was_kept_comes_back_active(owner: User) -> None:
    numbers = searches(owner, 2)
    Subscription.objects.filter(pk__in=numbers).update(state=State.REMOVED)
    services.restore(numbers[0], owner=owner)
    bulk.restore(owner, numbers)
    assert states(numbers) == ["active", "active"]


def test_nothing_is_restored_when_there_is_no_room(owner: User, settings: Settings) -> None:
    numbers = searches(owner, 3)
    bulk.unsubscribe(owner, numbers)
    settings.MOST_SUBSCRIPTIONS_PER_OWNER = 2
    with pytest.raises(TooManySubscriptions):
        bulk.restore(owner, numbers)
    assert states(numbers) == ["removed"] * 3
    bulk.restore(owner, numbers[:2])
    with pytest.raises(TooManySubscriptions):
        services.restore(numbers[2], owner=owner)
