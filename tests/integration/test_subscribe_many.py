"""Storing many subscriptions: in small transactions, numbered without gaps, and no more than there may be."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection
from pytest_django import Settings

from matching import services, small_transactions
from matching.change_log import CHANGES_AT_ONCE
from matching.drafts import Draft, drafted
from matching.expiring import expire
from matching.live import LiveMatcher
from matching.models import ChangeCounter, Subscription, SubscriptionChange
from matching.tickets import ticket_digest
from schema_registry.accounts.models import User
from schema_registry.selectors import current_schema
from tests.integration.lots import make_lots

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def owner(db: None) -> User:
    make_lots()
    return User.objects.create_user("reader@example.org")


def drafts(count: int) -> list[Draft]:
    schema = current_schema()
    return [drafted(f"price = {number}", schema, name=str(number)) for number in range(count)]


def test_each_gets_its_own_row_ticket_and_entry_in_the_log(owner: User) -> None:
    count = CHANGES_AT_ONCE + 10
    made = services.subscribe_many(owner, drafts(count), now=NOW)
    rows = list(Subscription.objects.order_by("pk"))
    assert [each.subscription.pk for each in made] == [row.pk for row in rows]
    assert [row.name for row in rows] == [str(number) for number in range(count)]
    assert [row.ticket_digest for row in rows] == [ticket_digest(each.ticket) for each in made]
    changes = list(SubscriptionChange.objects.order_by("sequence"))
    assert [change.sequence for change in changes] == list(range(1, count + 1))
    assert [change.subscription_id for change in changes] == [row.pk for row in rows]
    assert [change.compiled for change in changes] == [row.compiled for row in rows]
    assert ChangeCounter.objects.get().last == count


@pytest.mark.parametrize("state", services.State)
def test_an_entry_says_whether_it_is_matched_and_how(owner: User, state: services.State) -> None:
    (made,) = services.subscribe_many(owner, drafts(1), now=NOW)
    row = made.subscription
    if state == services.State.REMOVED:
        services.unsubscribe(row)
    elif state != services.State.EXPIRED:
        services.change(row, now=NOW, state=state)
    else:
        Subscription.objects.update(expires_at=datetime(2026, 1, 1, tzinfo=UTC))
        expire(now=NOW)
    row.refresh_from_db()
    last = SubscriptionChange.objects.latest("sequence")
    is_matched = state in {services.State.ACTIVE, services.State.MUTED}
    assert (row.state, last.is_matched) == (state, is_matched)
    assert last.compiled == (row.compiled if is_matched else None)
    assert (last.schema_version, last.expires_at) == (row.schema_version, row.expires_at)


def test_a_matcher_that_runs_takes_them_all(owner: User) -> None:
    live = LiveMatcher("quarantining")
    made = services.subscribe_many(owner, drafts(600), now=NOW)
    assert live.catch_up() == 600
    event = current_schema().validate({"event_type": ["lot"], "price": [3, 599]})
    wanted = [made[3].subscription.pk, made[599].subscription.pk]
    assert sorted(live.match(event, accepted_at=NOW)) == wanted


def test_a_transaction_writes_at_most_five_hundred_rows_those_of_the_log_included(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    monkeypatch.setattr(
        small_transactions,
        "give_way",
        lambda: written.append(Subscription.objects.count() + SubscriptionChange.objects.count()),
    )
    services.subscribe_many(owner, drafts(1_000), now=NOW)
    assert written == [500, 1_000, 1_500]


def test_nobody_has_more_than_there_may_be(owner: User, settings: Settings) -> None:
    settings.MOST_SUBSCRIPTIONS_PER_OWNER = 3
    made = services.subscribe_many(owner, drafts(3), now=NOW)
    with pytest.raises(services.TooManySubscriptions, match="4 subscriptions; you may have 3"):
        services.subscribe(owner, "price < 5", now=NOW)
    with pytest.raises(services.TooManySubscriptions, match="903 subscriptions; you may have 3"):
        services.subscribe_many(owner, drafts(900), now=NOW)
    assert Subscription.objects.count() == 3
    services.unsubscribe(made[0].subscription)
    services.subscribe(owner, "price < 5", now=NOW)
    services.subscribe_many(owner, drafts(5), now=NOW, has_limit=False)
    services.subscribe(User.objects.create_user("other@example.org"), "price < 5", now=NOW)


def at_once(count: int, work: Callable[[], object]) -> list[BaseException | None]:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return [running.exception() for running in [pool.submit(run) for _ in range(count)]]


@pytest.mark.django_db(transaction=True)
def test_not_even_when_many_subscribe_at_once(owner: User, settings: Settings) -> None:
    settings.MOST_SUBSCRIPTIONS_PER_OWNER = 3
    errors = at_once(6, lambda: services.subscribe(owner, "price < 5", now=NOW))
    assert sum(error is None for error in errors) == 3
    assert all(error is None or isinstance(error, services.TooManySubscriptions) for error in errors)
    assert Subscription.objects.count() == SubscriptionChange.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_the_same_import_twice_at_once_is_one(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "CHANGES_AT_ONCE", 10)
    many = drafts(100)
    assert at_once(3, lambda: services.subscribe_missing(owner, many, now=NOW)) == [None] * 3
    names = sorted(Subscription.objects.values_list("name", flat=True), key=int)
    assert names == [str(number) for number in range(100)]


@pytest.mark.django_db(transaction=True)
def test_an_import_that_broke_off_is_repaired_by_doing_it_again(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "CHANGES_AT_ONCE", 10)
    many = drafts(35)

    class PowerCutError(Exception):
        pass

    def give_way() -> None:
        if Subscription.objects.count() == 20:
            raise PowerCutError

    with monkeypatch.context() as patch:
        patch.setattr(small_transactions, "give_way", give_way)
        with pytest.raises(PowerCutError):
            services.subscribe_missing(owner, many, now=NOW)
    made = services.subscribe_missing(owner, many, now=NOW)
    assert [each is None for each in made] == [True] * 20 + [False] * 15
    assert Subscription.objects.count() == 35
