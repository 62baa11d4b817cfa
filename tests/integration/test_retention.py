"""What is old is forgotten in small steps; what still waits is not."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from matching import retention
from matching.models import IdempotencyKey, Match, MatchWork, PublishedEvent, Subscription
from matching.retention import Forgotten, forget_before
from schema_registry.accounts.models import Publisher, User

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def event(publisher: Publisher, name: str, *, days_old: int, state: str = "matched") -> PublishedEvent:
    return PublishedEvent.objects.create(
        publisher=publisher,
        external_id=name,
        revision=1,
        schema_version=1,
        document={},
        accepted_at=NOW - timedelta(days=days_old),
        state=state,
    )


@pytest.fixture
def publisher() -> Publisher:
    return Publisher.objects.create(name="House", user=User.objects.create_user("house@example.org"))


def match(of: PublishedEvent, number: int, owner: User) -> Match:
    subscription = Subscription.objects.create(
        owner=owner,
        text="x",
        canonical="x",
        compiled=[],
        schema_version=1,
        created_at=NOW,
        ticket_digest=str(number),
    )
    return Match.objects.create(event=of, subscription=subscription, owner=owner, matched_at=NOW)


def test_old_events_go_with_all_that_belongs_to_them_and_young_ones_stay(publisher: Publisher) -> None:
    reader = User.objects.create_user("reader@example.org")
    old = event(publisher, "old", days_old=91)
    young = event(publisher, "young", days_old=89)
    waiting = event(publisher, "waiting", days_old=200, state="accepted")
    MatchWork.objects.create(event=waiting)
    IdempotencyKey.objects.create(publisher=publisher, key="k", event=old)
    match(old, 1, reader)
    kept = match(young, 2, reader)
    assert forget_before(NOW - timedelta(days=90)) == Forgotten(events=1, matches=1)
    assert set(PublishedEvent.objects.all()) == {young, waiting}
    assert list(Match.objects.all()) == [kept]
    assert not IdempotencyKey.objects.exists()
    assert MatchWork.objects.count() == 1


def test_no_transaction_deletes_more_than_a_few(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "ROWS_PER_TRANSACTION", 3)
    reader = User.objects.create_user("reader@example.org")
    old = event(publisher, "old", days_old=91)
    for number in range(8):
        match(old, number, reader)
    with CaptureQueriesContext(connection) as queries:
        assert forget_before(NOW) == Forgotten(events=1, matches=8)
    deletions = [query["sql"] for query in queries if query["sql"].startswith('DELETE FROM "matching_match"')]
    assert len(deletions) >= 3


def test_it_takes_only_the_time_it_is_given(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_EVENTS_AT_ONCE", 2)
    for number in range(5):
        event(publisher, str(number), days_old=91)
    assert forget_before(NOW, seconds=0) == Forgotten(events=2, matches=0, is_more=True)
    assert forget_before(NOW) == Forgotten(events=3, matches=0)
