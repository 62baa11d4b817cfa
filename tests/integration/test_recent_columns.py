"""Previews over the columns of recent events say what the database says, whatever happens to the events."""

import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from matching import leases, parked, past, retention, selectors, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.models import MatchWork, PublishedEvent
from matching.previews import Preview
from matching.recent import manifest, reading, upkeep
from matching.recent.settling import Settling
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.services import publisher_named
from schema_registry.language import parse
from schema_registry.selectors import current_schema
from tests.integration.lots import BY_STAFF, make_lots

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def columns() -> Iterator[None]:
    make_lots()
    shutil.rmtree(reading.folder(), ignore_errors=True)
    yield
    shutil.rmtree(reading.folder(), ignore_errors=True)


def post(name: str, price: float, *, at: datetime = NOW, **fields: Any) -> PublishedEvent:
    publisher = publisher_named("House", state=Publisher.State.APPROVED)
    event = {"event_type": ["lot"], "price": price}
    envelope = read_envelope({"external_id": name, "event": event, **fields})
    taken = publish(publisher, checked(publisher, envelope, current_schema()), now=at)
    return PublishedEvent.objects.get(pk=taken.number)


def keep(*, now: datetime = NOW) -> None:
    assert upkeep.keep(Settling(), now=now, clock=time.monotonic, least=1)


def park(event: PublishedEvent) -> None:
    """As a worker does it."""
    work = MatchWork.objects.filter(event=event)
    work.update(attempts=5, leased_until=NOW - 10_000 * DAY)
    assert leases.park_hopeless() == 1


def previewed(text: str = "price < 20", *, days: int = 30, now: datetime = NOW) -> Preview:
    """The answer, which is the same as without the columns."""
    found = selectors.previewed(text, days=days, now=now, clock=lambda: 0)
    aside = reading.folder().rename(reading.folder().with_name("aside"))
    assert selectors.previewed(text, days=days, now=now, clock=lambda: 0) == found
    aside.rename(reading.folder())
    return found


def numbers(found: Preview) -> list[int]:
    return [sample.number for sample in found.samples]


def uses_columns() -> bool:
    return reading.opened(now=NOW) is not None


def test_columns_and_what_came_since_are_counted_together() -> None:
    old, dear = post("1", 5, at=NOW - DAY), post("2", 50)
    keep()
    new = post("3", 6, at=NOW - 2 * HOUR)
    found = previewed()
    assert (found.count, found.looked_at, found.complete) == (2, 3, True)
    assert numbers(found) == [new.pk, old.pk]
    assert dear.pk not in numbers(found)
    assert [count for _, count in found.days[-2:]] == [1, 1]


def test_few_new_events_stay_in_the_database() -> None:
    post("1", 5)
    assert upkeep.keep(Settling(), now=NOW, clock=time.monotonic)
    assert not uses_columns()
    assert previewed().count == 1


def test_what_is_withdrawn_or_published_again_counts_no_more_at_once_and_later() -> None:
    withdrawn, revised, kept = post("1", 5), post("2", 5), post("3", 5)
    keep()
    services.withdraw(withdrawn)
    newer = post("2", 6)
    for _ in range(2):
        assert sorted(numbers(previewed())) == [kept.pk, newer.pk]
        keep()
    services.withdraw(newer)
    assert numbers(previewed()) == [kept.pk]
    assert revised.pk < newer.pk
    keep()
    assert numbers(previewed()) == [kept.pk]


def test_a_parked_event_counts_again_when_it_is_tried_again() -> None:
    event, other = post("1", 5), post("2", 5)
    keep()
    park(event)
    assert numbers(previewed()) == [other.pk]
    keep()
    assert numbers(previewed()) == [other.pk]
    parked.retry(event)
    assert sorted(numbers(previewed())) == [event.pk, other.pk]
    keep()
    assert sorted(numbers(previewed())) == [event.pk, other.pk]


def test_a_parked_event_that_its_worker_finished_at_last_counts_without_a_word() -> None:
    event = post("1", 5)
    post("2", 5)
    park(event)
    keep()
    assert previewed().count == 1
    PublishedEvent.objects.filter(pk=event.pk).update(state=PublishedEvent.State.MATCHED)
    assert previewed().count == 2


def test_an_older_revision_that_comes_late_does_not_count() -> None:
    newest = post("1", 5, revision=3)
    keep()
    post("1", 6, revision=2)
    assert numbers(previewed()) == [newest.pk]
    keep()
    assert numbers(previewed()) == [newest.pk]


def test_what_retention_deleted_counts_no_more(settings: Settings) -> None:
    settings.RETENTION_DAYS = 10
    old = post("1", 5, at=NOW - 11 * DAY)
    PublishedEvent.objects.update(state=PublishedEvent.State.MATCHED)
    MatchWork.objects.all().delete()
    post("2", 5)
    keep()
    assert previewed().count == 2
    retention.forget_before(NOW - 10 * DAY)
    keep()
    found = previewed()
    assert (found.count, old.pk in numbers(found)) == (1, False)


def test_segments_older_than_any_preview_are_dropped() -> None:
    post("1", 5, at=NOW - 91 * DAY)
    keep()
    keep(now=NOW + DAY)
    found = manifest.read(reading.folder())
    assert found is not None
    assert found.segments == ()
    assert len(list(reading.folder().iterdir())) == 2  # the manifest and the lock


def test_small_segments_are_merged_and_full_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "SEGMENT_EVENTS", 8)
    monkeypatch.setattr(upkeep, "EVENTS_AT_ONCE", 3)
    for number in range(24):
        post(str(number), number)
        keep()
    found = manifest.read(reading.folder())
    assert found is not None
    assert 3 <= len(found.segments) <= 8
    assert len(list(reading.folder().iterdir())) == 2 * len(found.segments) + 2
    assert previewed().count == 20


def test_a_first_build_goes_on_in_portions_and_is_right_at_every_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upkeep, "EVENTS_AT_ONCE", 4)
    for number in range(10):
        post(str(number), 5, at=NOW - number * HOUR)
    steps = 0
    while not upkeep.keep(Settling(), now=NOW, clock=time.monotonic, seconds=0, least=1):
        steps += 1
        assert previewed().count == 10
    assert steps == 3


@pytest.mark.parametrize("broken", ["manifest.json", "*.segment", "*.counting"])
@pytest.mark.parametrize("content", [b"", b"something else", None])
def test_broken_files_are_ignored_and_made_anew(broken: str, content: bytes | None) -> None:
    post("1", 5)
    keep()
    (path,) = reading.folder().glob(broken)
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    reading._mapped.clear()  # as in a process that starts
    assert not uses_columns()
    assert previewed().count == 1
    keep()
    assert uses_columns()
    assert previewed().count == 1


def test_columns_of_another_database_are_ignored_and_made_anew() -> None:
    event = post("1", 5)
    post("2", 5)
    keep()
    MatchWork.objects.all().delete()
    PublishedEvent.objects.filter(pk__gte=event.pk).delete()
    PublishedEvent.objects.bulk_create(
        PublishedEvent(
            pk=event.pk + place,
            publisher_id=event.publisher_id,
            external_id=str(place),
            revision=1,
            digest=str(place),
            schema_version=event.schema_version,
            document={"event_type": ["lot"], "price": 50},
            accepted_at=NOW,
        )
        for place in range(3)
    )
    assert not uses_columns()
    assert previewed("price = 50").count == 3
    keep()
    assert uses_columns()
    assert previewed("price = 50").count == 3


def test_a_database_that_went_back_in_time_is_noticed_by_its_changes() -> None:
    event = post("1", 5)
    post("2", 5)
    services.withdraw(event)
    keep()
    PublishedEvent.objects.filter(pk=event.pk).update(
        state=PublishedEvent.State.MATCHED, state_changed_at=None
    )
    assert not uses_columns()
    assert previewed().count == 2


def test_only_one_process_keeps_them_at_a_time() -> None:
    post("1", 5)
    with upkeep._alone() as is_alone:
        assert is_alone
        keep()
        assert not uses_columns()
    keep()
    assert uses_columns()


@pytest.mark.usefixtures("own_seconds")
def test_too_much_that_came_since_is_looked_at_without_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    post("1", 5, at=NOW - DAY)
    keep()
    monkeypatch.setattr(past, "EVENTS_PER_PAGE", 2)
    for number in range(2, 9):
        post(str(number), 5)
    times = iter(range(0, 1_000, 2))
    found = selectors.previewed("price < 20", days=30, now=NOW, clock=lambda: next(times))
    assert (found.complete, found.count) == (False, found.looked_at)
    assert found.count < 8


def test_an_event_of_a_newer_schema_than_the_text_is_judged_by_that_schema() -> None:
    subscription = parse("price < 20", current_schema())
    schema_services.create_attribute(BY_STAFF, "weight", "money")
    schema_services.extend_event_type(BY_STAFF, "lot", "weight")
    post("1", 5)
    keep()
    found = selectors.looked_back(subscription, days=30, now=NOW, clock=lambda: 0)
    assert found.count == 1


def test_the_queries_of_a_preview_are_as_many_however_many_events_there_are() -> None:
    counts = []
    for number in range(30):
        post(str(number), 5)
        if number in (0, 29):
            keep()
            selectors.previewed("price < 20", days=30, now=NOW, clock=lambda: 0)
            with CaptureQueriesContext(connection) as queries:
                selectors.previewed("price < 20", days=30, now=NOW, clock=lambda: 0)
            counts.append(len(queries))
    assert counts[0] == counts[1] <= 10


def test_numbers_settle_at_once_where_nobody_else_writes() -> None:
    event = post("1", 5)
    assert Settling().settled() == event.pk


@pytest.mark.django_db(transaction=True)
def test_many_threads_ask_while_the_columns_change() -> None:
    for number in range(20):
        post(str(number), 5)
    keep()

    def ask(_: int) -> int:
        try:
            return selectors.previewed("price < 20", days=30, now=NOW, clock=lambda: 0).count
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as askers:
        asked = askers.map(ask, range(40))
        for number in range(20, 30):
            post(str(number), 50)
            keep()
        assert set(asked) == {20}


@pytest.mark.django_db(transaction=True)
def test_numbers_do_not_settle_while_somebody_may_still_show_a_lower_one() -> None:
    if connection.vendor == "sqlite":
        return  # there is one writer at a time
    post("1", 5)
    keep()
    may_commit, has_written = Event(), Event()

    def publish_slowly() -> int:
        try:
            with transaction.atomic():
                number = post("2", 5).pk
                has_written.set()
                assert may_commit.wait(300)
            return number
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as publisher:
        slow = publisher.submit(publish_slowly)
        assert has_written.wait(300)
        later = post("3", 5)
        keep()
        assert Settling().settled() < later.pk
        assert previewed().count == 2
        may_commit.set()
        assert slow.result() < later.pk
    assert previewed().count == 3
    keep()
    assert previewed().count == 3
    found = manifest.read(reading.folder())
    assert found is not None
    assert found.covered >= later.pk


@pytest.mark.django_db(transaction=True)
def test_numbers_settle_though_somebody_always_writes() -> None:
    if connection.vendor == "sqlite":
        return  # there is one writer at a time
    settling = Settling()
    first = post("1", 5)
    is_open = [Event(), Event()]
    may_end = [Event(), Event()]

    def be_in_a_transaction(which: int) -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT 1")
                is_open[which].set()
                assert may_end[which].wait(300)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as writers:
        ends = [writers.submit(be_in_a_transaction, 0)]
        assert is_open[0].wait(300)
        assert settling.settled() == 0
        ends.append(writers.submit(be_in_a_transaction, 1))
        assert is_open[1].wait(300)
        may_end[0].set()
        ends[0].result()
        assert settling.settled() == first.pk
        may_end[1].set()
        ends[1].result()
