"""Matched events are announced with their state, and taken under leases by whoever tells people."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from matching import announcements
from matching.models import Announcement, PublishedEvent
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.services import publisher_named
from tests.limits.measuring import Measured

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
State = PublishedEvent.State


@pytest.fixture
def publisher() -> Publisher:
    return publisher_named("House", state=Publisher.State.APPROVED)


def stored(publisher: Publisher, *, matches: int, state: State = State.MATCHED) -> int:
    event = PublishedEvent.objects.create(
        publisher=publisher,
        external_id=str(PublishedEvent.objects.count()),
        revision=1,
        digest="0" * 64,
        schema_version=1,
        document={},
        accepted_at=NOW,
        state=state,
        match_count=matches,
    )
    return event.pk


def announced(publisher: Publisher, *sizes: int) -> list[int]:
    events = [stored(publisher, matches=size) for size in sizes]
    announcements.announce(events)
    return events


def let_leases_run_out() -> None:
    Announcement.objects.update(leased_until=timezone.now() - timedelta(seconds=1))


def take_small(*, most_events: int = 100, most_matches: int = 10) -> list[int]:
    return [
        each.event for each in announcements.take_small(most_events=most_events, most_matches=most_matches)
    ]


def test_only_what_is_matched_and_matches_somebody_is_announced(publisher: Publisher) -> None:
    good = stored(publisher, matches=3)
    others = [stored(publisher, matches=0)]
    others += [stored(publisher, matches=3, state=state) for state in State if state != State.MATCHED]
    announcements.announce([good, *others])
    announcements.announce([])
    assert list(Announcement.objects.values_list("pk", "told_up_to", "leased_until")) == [(good, 0, None)]


def test_small_ones_are_taken_together_as_many_as_fit_and_the_oldest_first(publisher: Publisher) -> None:
    first, second, big, third = announced(publisher, 4, 6, 11, 1)
    assert take_small() == [first, second]
    assert take_small(most_events=1) == [third]
    assert take_small() == []
    taken = announcements.take_big(above=10)
    assert taken is not None
    assert (taken.event, taken.told_up_to, taken.matches, taken.revision) == (big, 0, 11, 1)
    assert announcements.take_big(above=10) is None
    assert not announcements.is_any_free()


@pytest.mark.usefixtures("own_leases")
def test_a_lease_runs_out_by_the_clock_of_the_database(publisher: Publisher, measured: Measured) -> None:
    events = announced(publisher, 1, 1)
    (first, second) = announcements.take_small(most_events=9, most_matches=9)
    assert first.leased_until == second.leased_until
    left = first.leased_until - timezone.now()
    assert timedelta(0) < left <= announcements.LEASE
    measured("length of a lease", left.total_seconds(), "s", at_most=30)
    let_leases_run_out()
    assert announcements.is_any_free()
    assert take_small() == events


def test_a_big_one_goes_on_where_it_was_left(publisher: Publisher) -> None:
    announced(publisher, 11)
    taken = announcements.take_big(above=10)
    assert taken is not None
    announcements.advance(taken, told_up_to=7)
    taken = announcements.take_big(above=10)
    assert taken is not None
    assert taken.told_up_to == 7
    announcements.finish([taken])
    assert not Announcement.objects.exists()


def test_who_was_taken_for_dead_moves_nothing_any_more(publisher: Publisher) -> None:
    announced(publisher, 11)
    late = announcements.take_big(above=10)
    let_leases_run_out()
    mine = announcements.take_big(above=10)
    assert late is not None
    assert mine is not None
    announcements.advance(late, told_up_to=5)
    announcements.finish([late])
    assert list(Announcement.objects.values_list("told_up_to", "leased_until")) == [(0, mine.leased_until)]


def test_what_is_announced_anew_while_it_is_told_is_taken_once_more(publisher: Publisher) -> None:
    (event,) = announced(publisher, 3)
    taken = announcements.take_small(most_events=9, most_matches=9)
    announcements.announce([event])  # a worker that was taken for dead has found another match
    announcements.finish(taken)
    assert take_small() == [event]


def test_finishing_nothing_is_allowed(publisher: Publisher) -> None:
    announced(publisher, 3)
    announcements.finish([])
    assert announcements.is_any_free()
