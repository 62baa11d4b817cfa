"""The numbers of a feed, and which matches were seen: in order, complete, and each owner's own."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction

from matching import feed, seen, services
from matching.models import Feed, Match, PublishedEvent, Subscription
from matching.small_transactions import ROWS_PER_TRANSACTION
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
BY_STAFF = schema_services.Author(None)
WRITERS, READERS, TRANSACTIONS = 3, 3, 50  # with one that marks: as many as have a database connection


class Someone:
    """A person with one search, for whom events can be found without matching them."""

    def __init__(self, address: str) -> None:
        self.user = User.objects.create_user(address)
        self.search: Subscription = services.subscribe(self.user, "price exists", now=NOW).subscription

    def finds(self, events: list[PublishedEvent]) -> list[Match]:
        return Match.objects.bulk_create(
            Match(event=event, subscription=self.search, owner=self.user, matched_at=NOW) for event in events
        )


@pytest.fixture
def reader() -> Someone:
    make_schema()
    return Someone("reader@example.org")


def make_schema() -> None:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")
    schema_services.create_event_type(BY_STAFF, "lot", {"price": ["mandatory", "unique"]})


def events(count: int) -> list[PublishedEvent]:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    first = PublishedEvent.objects.count()
    return PublishedEvent.objects.bulk_create(
        PublishedEvent(
            publisher=publisher,
            external_id=str(first + number),
            revision=1,
            schema_version=current_schema().version,
            document={"event_type": ["lot"], "price": number},
            accepted_at=NOW,
            state=PublishedEvent.State.MATCHED,
        )
        for number in range(count)
    )


def numbers(stretch: feed.Stretch) -> list[int | None]:
    return [match.number for match in stretch.matches]


@pytest.mark.django_db
def test_numbers_count_up_in_the_order_of_arrival(reader: Someone) -> None:
    first = reader.finds(events(3))
    assert feed.number_new(reader.user) == 3
    second = reader.finds(events(2))
    assert feed.number_new(reader.user) == 2
    stretch = feed.after(reader.user, 0, limit=10)
    assert numbers(stretch) == [1, 2, 3, 4, 5]
    assert [match.pk for match in stretch.matches] == [match.pk for match in first + second]
    assert stretch.up_to == 5


@pytest.mark.django_db
def test_without_news_nothing_is_written(reader: Someone) -> None:
    assert feed.number_new(reader.user) == 0
    assert not Feed.objects.exists()
    assert feed.after(reader.user, 0, limit=10) == feed.Stretch([], 0)


@pytest.mark.django_db
def test_a_transaction_numbers_so_many_and_no_more(reader: Someone) -> None:
    reader.finds(events(ROWS_PER_TRANSACTION + 3))
    assert [feed.number_new(reader.user) for _ in range(3)] == [ROWS_PER_TRANSACTION, 3, 0]
    assert feed.last_number(reader.user) == ROWS_PER_TRANSACTION + 3


@pytest.mark.django_db
def test_a_feed_is_read_on_where_a_stretch_ended(reader: Someone) -> None:
    reader.finds(events(5))
    feed.number_new(reader.user)
    first = feed.after(reader.user, 0, limit=3)
    assert (numbers(first), first.up_to) == ([1, 2, 3], 3)
    rest = feed.after(reader.user, first.up_to, limit=3)
    assert (numbers(rest), rest.up_to) == ([4, 5], 5)


@pytest.mark.django_db
def test_withdrawn_items_are_left_out_and_keep_their_numbers(reader: Someone) -> None:
    found = events(4)
    reader.finds(found)
    feed.number_new(reader.user)
    services.withdraw(found[1])
    services.withdraw(found[3])
    stretch = feed.after(reader.user, 0, limit=10)
    assert (numbers(stretch), stretch.up_to) == ([1, 3], 4)


@pytest.mark.django_db
def test_after_a_number_never_given_comes_what_comes_from_now_on(reader: Someone) -> None:
    reader.finds(events(2))
    feed.number_new(reader.user)
    place = feed.after(reader.user, 1_000, limit=10).up_to
    reader.finds(events(1))
    feed.number_new(reader.user)
    assert numbers(feed.after(reader.user, place, limit=10)) == [3]


@pytest.mark.django_db
def test_every_owner_has_numbers_of_their_own(reader: Someone) -> None:
    other = Someone("other@example.org")
    reader.finds(events(2))
    others = other.finds(events(1))
    feed.number_new(other.user)
    assert Match.objects.filter(owner=reader.user, number=None).count() == 2
    assert feed.after(reader.user, 0, limit=10).matches == []
    assert feed.after(other.user, 0, limit=10).matches == others


@pytest.mark.django_db
def test_seen_is_noted_for_ones_own_and_can_be_taken_back(reader: Someone) -> None:
    other = Someone("other@example.org")
    mine = [match.pk for match in reader.finds(events(3))]
    theirs = [match.pk for match in other.finds(events(1))]
    seen.mark(reader.user, [mine[0], mine[1], theirs[0], 10**9])
    assert (seen.count_unseen(reader.user), seen.count_unseen(other.user)) == (1, 1)
    seen.mark(reader.user, [mine[0]], seen=False)
    assert seen.count_unseen(reader.user) == 2


@pytest.mark.django_db
def test_all_up_to_one_are_seen_however_many(reader: Someone) -> None:
    mine = [match.pk for match in reader.finds(events(2 * ROWS_PER_TRANSACTION + 10))]
    seen.mark_up_to(reader.user, mine[-6])
    assert seen.count_unseen(reader.user) == 5


@pytest.mark.django_db
def test_withdrawn_items_are_not_unseen(reader: Someone) -> None:
    found = events(2)
    reader.finds(found)
    services.withdraw(found[0])
    assert seen.count_unseen(reader.user) == 1


@pytest.mark.django_db(transaction=True)
def test_whoever_resumes_by_number_reads_each_match_exactly_once(reader: Someone) -> None:
    """Matches become visible out of order; readers number them, stop anywhere, and others mark as seen."""
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    waiting = events(WRITERS * TRANSACTIONS * 5)
    portions = [waiting[writer::WRITERS] for writer in range(WRITERS)]
    done = threading.Event()
    with ThreadPoolExecutor(WRITERS + READERS + 1) as pool:
        readings = [pool.submit(read_all, reader.user, done, random.Random(seed + n)) for n in range(READERS)]
        marking = pool.submit(mark_all, reader.user, done)
        writings = [
            pool.submit(write_all, reader, portion, random.Random(seed - n))
            for n, portion in enumerate(portions)
        ]
        for writing in writings:
            writing.result()
        done.set()
        read = [reading.result() for reading in readings]
        marking.result()
    there = set(Match.objects.filter(owner=reader.user).values_list("pk", flat=True))
    assert len(there) == len(waiting)
    for each in read:
        assert [number for number, _ in each] == list(range(1, len(there) + 1))
        assert {match for _, match in each} == there
    assert read[0] == read[1] == read[2]


def write_all(owner: Someone, found: list[PublishedEvent], rng: random.Random) -> None:
    with closed_connection():
        while found:
            count = rng.randrange(1, 10)
            with transaction.atomic():
                owner.finds(found[:count])
                time.sleep(rng.random() * 0.004)  # ids are given, and not yet visible
            found = found[count:]


def read_all(owner: User, done: threading.Event, rng: random.Random) -> list[tuple[int, int]]:
    read: list[tuple[int, int]] = []
    place = 0
    with closed_connection():
        while True:
            was_done = done.is_set()
            numbered = feed.number_new(owner)
            stretch = feed.after(owner, place, limit=rng.randrange(1, 60))
            read += [(match.number or 0, match.pk) for match in stretch.matches]
            # A client that comes back knows the number of the last match, not where the stretch ended.
            place = stretch.up_to if rng.random() < 0.5 or not read else read[-1][0]
            if was_done and not numbered and not stretch.matches:
                return read


def mark_all(owner: User, done: threading.Event) -> None:
    with closed_connection():
        while not done.is_set():
            seen.mark_up_to(owner, 10**12)


@contextmanager
def closed_connection() -> Iterator[None]:
    """A thread closes its connection when it ends: the test database could not be dropped else."""
    try:
        yield
    finally:
        connection.close()
