"""Workers take what waits under leases, match it together, and leave nothing half done."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from matching import draining, leases, recording, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.leases import Leased
from matching.live import LiveMatcher
from matching.models import Match, MatchWork, PublishedEvent
from matching.recording import portions
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema
from tests.limits.measuring import Measured

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
Publish = Callable[..., int]


@pytest.fixture
def reader() -> User:
    by = schema_services.Author(None)
    schema_services.create_domain(by, "money", {"kind": "numeric"})
    schema_services.create_attribute(by, "price", "money")
    schema_services.create_event_type(by, "lot", {"price": ["optional", "unique"]})
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def publish_lot(reader: User) -> Publish:
    publisher = publisher_named("House", state=Publisher.State.APPROVED)

    def send(price: int) -> int:
        name = str(PublishedEvent.objects.count())
        envelope = read_envelope({"external_id": name, "event": {"event_type": ["lot"], "price": price}})
        return publish(publisher, checked(publisher, envelope, current_schema()), now=NOW).number

    return send


def leased(event: int) -> Leased:
    return Leased(number=event, event=event, document={}, schema_version=1, accepted_at=NOW)


def pairs() -> set[tuple[int, int]]:
    return set(Match.objects.values_list("event_id", "subscription_id"))


def test_a_portion_is_never_larger_than_allowed_and_ends_an_event_with_its_last_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recording, "ROWS_PER_TRANSACTION", 3)
    found = [(leased(1), [10, 11]), (leased(2), []), (leased(3), [12, 13, 14, 15]), (leased(4), [16])]
    written = [(portion.matches, [work.event for work in portion.finished]) for portion in portions(found)]
    assert written == [
        ([(1, 10), (1, 11), (3, 12)], [1, 2]),
        ([(3, 13), (3, 14), (3, 15)], [3]),
        ([(4, 16)], [4]),
    ]
    assert list(portions([])) == []
    assert [portion.matches for portion in portions([(leased(1), [])])] == [[]]


def test_many_events_are_matched_in_one_go(
    reader: User, publish_lot: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "ROWS_PER_TRANSACTION", 4)
    cheap = services.subscribe(reader, "price < 10", now=NOW).subscription.pk
    some = services.subscribe(reader, "price exists", now=NOW).subscription.pk
    events = [publish_lot(price) for price in (5, 50, 7, 70, 9)]
    assert draining.drain(LiveMatcher("quarantining")) == 5
    assert pairs() == {(event, some) for event in events} | {(event, cheap) for event in events[::2]}
    counts = PublishedEvent.objects.order_by("pk").values_list("match_count", "state")
    assert list(counts) == [(2, "matched"), (1, "matched"), (2, "matched"), (1, "matched"), (2, "matched")]
    assert not MatchWork.objects.exists()
    assert set(Match.objects.values_list("owner", flat=True)) == {reader.pk}


def test_one_tried_before_is_taken_alone_and_first(reader: User, publish_lot: Publish) -> None:
    events = [publish_lot(price) for price in (1, 2, 3)]
    long_ago = timezone.now() - timedelta(seconds=1)
    MatchWork.objects.filter(event=events[1]).update(attempts=1, leased_until=long_ago)
    assert [[work.event for work in leases.take()] for _ in range(3)] == [[events[1]], events[::2], []]
    assert list(MatchWork.objects.order_by("pk").values_list("attempts", flat=True)) == [1, 2, 1]


@pytest.mark.usefixtures("own_leases")
def test_a_lease_runs_out_by_the_clock_of_the_database_unless_it_is_renewed(
    reader: User, publish_lot: Publish, measured: Measured
) -> None:
    publish_lot(5)
    work = leases.take()
    until = MatchWork.objects.get().leased_until
    assert until is not None
    left = until - timezone.now()
    assert timedelta(0) < left <= leases.LEASE
    measured("length of a lease", left.total_seconds(), "s", at_most=30)
    assert not leases.is_any_free()
    MatchWork.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert leases.is_any_free()
    leases.renew(work)
    assert not leases.is_any_free()


def test_a_slice_of_time_ends_between_batches(
    reader: User, publish_lot: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "BATCH", 1)
    for price in (1, 2, 3):
        publish_lot(price)
    assert draining.drain(LiveMatcher("quarantining"), seconds=0) == 0
    assert draining.drain(LiveMatcher("quarantining")) == 3


def test_events_that_cannot_be_matched_are_tried_alone_and_parked_with_the_reason(
    reader: User, publish_lot: Publish
) -> None:
    good, bad = publish_lot(5), publish_lot(6)
    PublishedEvent.objects.filter(pk=bad).update(document={"event_type": ["lot"], "price": "spoilt"})
    live = LiveMatcher("quarantining")
    assert draining.drain(live) == 0  # together they are left to their lease
    for _ in range(leases.MOST_ATTEMPTS + 1):
        MatchWork.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
        draining.drain(live)
    assert PublishedEvent.objects.get(pk=good).state == "matched"
    parked = PublishedEvent.objects.get(pk=bad)
    assert parked.state == "parked"
    assert parked.reason == "Matching it failed (InvalidEvent); the worker's log has more."
    assert not MatchWork.objects.exists()


@pytest.mark.parametrize("meanwhile", ["matched", "parked", "withdrawn"])
def test_who_was_taken_for_dead_and_finishes_late_still_counts(
    reader: User, publish_lot: Publish, meanwhile: str
) -> None:
    early = services.subscribe(reader, "price exists", now=NOW).subscription.pk
    publish_lot(5)
    (slow,) = leases.take()
    MatchWork.objects.all().delete()
    PublishedEvent.objects.update(state=meanwhile, match_count=7, reason="Once.")
    recording.record([(slow, [early])])
    event = PublishedEvent.objects.get()
    if meanwhile == "withdrawn":
        assert (event.state, event.match_count) == ("withdrawn", 7)
    else:
        assert (event.state, event.match_count, event.reason) == ("matched", 1, "")


def test_a_subscription_deleted_for_good_since_it_was_matched_leaves_no_match(
    reader: User, publish_lot: Publish
) -> None:
    kept = services.subscribe(reader, "price exists", now=NOW).subscription.pk
    stranger = User.objects.create_user("gone@example.org")
    services.subscribe(stranger, "price exists", now=NOW)
    live = LiveMatcher("quarantining")
    stranger.delete()
    event = publish_lot(5)
    draining.drain(live)
    assert pairs() == {(event, kept)}
    assert PublishedEvent.objects.get().match_count == 1
