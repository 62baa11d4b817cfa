"""A loaded run is as if its events had been published and matched live, whatever happens meanwhile."""

import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from django.db import connection
from django.utils import timezone

from matching import change_log, draining, leases, services
from matching.feeds.night_order import Order
from matching.live import LiveMatcher
from matching.models import ChangeCounter, KeptSnapshot, Match, MatchWork, PublishedEvent, Subscription
from matching.nightly import snapshot_for_run
from matching.nightly.computed import manifest
from matching.nightly.loading import Loaded, UnusableRun
from matching.readiness import Ready
from matching.shards import split
from schema_registry.accounts.models import User
from tests.integration.following import NOW, expected, random_change
from tests.integration.nightly.nights import (
    computed,
    killed_at,
    loaded,
    lot,
    published_live,
    stored,
)
from tests.limits.measuring import Measured

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=1)
PRICES = (3, 5, 12, 25)
PLACES = (
    "load.before-commit",
    "load.after-commit",
    "load.before-recording",
    "match.before-commit",
    "match.after-commit",
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return tmp_path / "run"


def lots(count: int = 10) -> list[str]:
    return [f"lot-{number:03}" for number in range(count)]


def some(count: int = 10) -> list[Ready]:
    return [lot(name, PRICES[place % 4]) for place, name in enumerate(lots(count))]


def subscribe(owner: User, text: str = "price exists", *, days: int | None = None) -> Subscription:
    return services.subscribe(owner, text, now=NOW, valid_days=days).subscription


def matches_of(name: str) -> set[int]:
    rows = list(Match.objects.filter(event__external_id=name).values_list("subscription_id", flat=True))
    assert len(rows) == len(set(rows))
    return set(rows)


def finish_by_workers(*, shards: int = 1) -> None:
    """What is left over is matched live once its lease has run out."""
    MatchWork.objects.filter(attempts__gt=0).update(leased_until=timezone.now() - timedelta(seconds=1))
    for shard in split(shards):
        draining.drain(LiveMatcher("quarantining", shard=shard))


def test_events_and_matches_are_stored_and_announced_and_no_work_is_left(owner: User, run: Path) -> None:
    cheap, any_price = subscribe(owner, "price < 10"), subscribe(owner)
    computed(run, [lot("a", 5, title="A lot", ends_at="2026-12-01T12:00:00Z"), lot("b", 50)])
    assert loaded(run) == Loaded(events=2, matches=3, top=[(any_price.pk, 2), (cheap.pk, 1)])
    assert matches_of("a") == {cheap.pk, any_price.pk}
    assert matches_of("b") == {any_price.pk}
    event = PublishedEvent.objects.get(external_id="a")
    assert (event.title, event.state, event.match_count) == ("A lot", "matched", 2)
    assert (event.document, event.accepted_at) == ({"event_type": ["lot"], "price": 5}, NOW)
    assert event.ends_at is not None
    assert event.ends_at.isoformat() == "2026-12-01T12:00:00+00:00"
    assert stored()["announced"] == ["a", "b"]
    assert not MatchWork.objects.exists()


def test_a_second_and_a_third_time_add_nothing(owner: User, run: Path, measured: Measured) -> None:
    subscribe(owner)
    computed(run, some(250))
    first = loaded(run)
    before = stored()
    assert (first.events, first.repeats, first.matches) == (250, 0, 250)
    for _ in range(2):
        again = loaded(run, now=LATER)
        assert (again.events, again.repeats, again.matches) == (0, 250, 0)
        assert again.top == first.top
        assert stored() == before
        measured("matches that a night adds when it is loaded again", again.matches, at_most=0)


@pytest.mark.parametrize("shards", [1, 2])
def test_what_changed_since_the_snapshot_counts_as_it_is_now(owner: User, run: Path, shards: int) -> None:
    stays, goes, other, paused = (subscribe(owner) for _ in range(4))
    expires, renewed = subscribe(owner, days=1), subscribe(owner, days=1)
    computed(run, [lot("cheap", 5), lot("dear", 50)])
    services.unsubscribe(goes)
    services.change(other, now=NOW, text="price < 10")
    services.change(paused, now=NOW, state=services.State.PAUSED)
    services.renew(renewed, now=NOW, valid_days=5)
    new, gone_again = subscribe(owner), subscribe(owner)
    services.unsubscribe(gone_again)
    now = NOW + timedelta(days=2)
    loaded(run, shards=shards, now=now)
    assert matches_of("cheap") == {stays.pk, other.pk, renewed.pk, new.pk} == expected(5, now)
    assert matches_of("dear") == {stays.pk, renewed.pk, new.pk} == expected(50, now)
    assert expires.pk not in matches_of("dear")
    assert not MatchWork.objects.exists()


@pytest.mark.parametrize("shards", [1, 2, 3])
@pytest.mark.parametrize("parts", [1, 2])
def test_random_lives_between_snapshot_and_load_match_as_the_oracle_says(
    owner: User, run: Path, shards: int, parts: int
) -> None:
    rng = random.Random(shards * 10 + parts)
    now = NOW
    for _ in range(40):
        random_change(owner, rng, now)
    memory = snapshot_for_run.BYTES_PER_SUBSCRIPTION * Subscription.objects.count() // parts + 1_000
    computed(run, some(8), memory=memory)
    for _ in range(60):
        now += timedelta(hours=1)
        random_change(owner, rng, now)
    loaded(run, shards=shards, now=now)
    for place, name in enumerate(lots(8)):
        assert matches_of(name) == expected(PRICES[place % 4], now)
    assert set(PublishedEvent.objects.values_list("state", flat=True)) == {"matched"}


def test_many_changes_are_matched_as_few_are(owner: User, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matching.nightly.delta._WORTH_LOADING", 3)
    monkeypatch.setattr("matching.nightly.delta._ROWS_AT_ONCE", 5)
    computed(run, some(4))
    for number in range(13):
        subscribe(owner, f"price < {number}")
    loaded(run)
    assert matches_of("lot-001") == expected(5, NOW)


def test_a_chunk_has_no_more_matches_than_fit(
    owner: User, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        subscribe(owner)
    computed(run, some(6))
    monkeypatch.setattr("matching.nightly.loading._MOST_MATCHES", 10)
    told: list[int] = []
    assert loaded(run, tell=lambda so_far: told.append(so_far.rows)).matches == 30
    assert told == [2, 3, 5, 6]


def test_what_was_published_live_meanwhile_is_a_repeat_or_the_revision_before(owner: User, run: Path) -> None:
    subscribe(owner)
    computed(run, [lot("same", 5), lot("other", 5), lot("new", 5)])
    published_live(lot("same", 5))
    published_live(lot("other", 7))
    first = loaded(run)
    assert (first.events, first.repeats) == (2, 1)
    revisions = PublishedEvent.objects.order_by("external_id", "revision")
    assert list(revisions.values_list("external_id", "revision", "document__price")) == [
        ("new", 1, 5),
        ("other", 1, 7),
        ("other", 2, 5),
        ("same", 1, 5),
    ]
    published_live(lot("other", 9))  # now the newest is again another
    again = loaded(run)
    assert (again.events, again.repeats) == (0, 3)


def prices_of(name: str) -> list[int]:
    revisions = PublishedEvent.objects.filter(external_id=name).order_by("revision")
    return list(revisions.values_list("document__price", flat=True))


def test_on_a_newer_day_older_content_is_the_next_revision_as_it_is_live(owner: User, run: Path) -> None:
    for price in (5, 7):
        published_live(lot("a", price))
    loaded(computed(run, [lot("a", 5)], revision=3))
    assert prices_of("a") == [5, 7, 5]


def test_the_same_day_again_repeats_what_any_revision_had(owner: User, run: Path) -> None:
    for price in (5, 7):
        published_live(lot("a", price))
    computed(run, [lot("a", 5), lot("b", 5)], revision=3)
    counts = loaded(run, order=Order.SAME)
    assert (counts.events, counts.repeats) == (1, 1)
    assert prices_of("a") == [5, 7]
    loaded(computed(run.with_name("late"), [lot("a", 9)], revision=3), order=Order.SAME)
    assert prices_of("a") == [5, 7, 9]


def test_a_night_that_was_overtaken_adds_only_items_that_nobody_knows(owner: User, run: Path) -> None:
    subscribe(owner)
    for price in (5, 7):
        published_live(lot("known", price))
    computed(run, [lot("known", 5), lot("new", 5)], revision=3)
    counts = loaded(run, order=Order.BEFORE)
    assert (counts.events, counts.repeats, counts.matches) == (1, 1, 1)
    loaded(computed(run.with_name("other"), [lot("known", 9)], revision=3), order=Order.BEFORE)
    assert (prices_of("known"), prices_of("new")) == ([5, 7], [5])


@pytest.mark.parametrize("what", ["events gone", "matches of others", "damaged", "cut"])
def test_what_cannot_be_loaded_is_computed_anew(owner: User, run: Path, what: str) -> None:
    computed(run, some(4))
    part = run / "matches" / "part-a.parquet"
    if what == "events gone":
        shutil.rmtree(run / "events")
    elif what == "matches of others":
        table = pq.read_table(part)
        pq.write_table(table.set_column(0, "number", pc.add(table["number"], 1)), part)
    elif what == "damaged":
        part.write_bytes(part.read_bytes()[:-20] + b"?" * 20)
    else:
        part.unlink()
    with pytest.raises(UnusableRun, match="Run it again, and it is computed anew"):
        loaded(run)
    assert manifest(run) is None


def test_a_revision_that_the_feed_names_is_not_used_for_other_content(owner: User, run: Path) -> None:
    subscribe(owner)
    published_live(lot("a", 7, revision=4))
    computed(run, [lot("a", 5, revision=4), lot("a", 5, revision=3), lot("b", 5, revision=2)])
    for events, repeats in ((2, 0), (0, 2)):
        counts = loaded(run, names_revisions=True)
        assert (counts.events, counts.repeats, counts.refused) == (events, repeats, 1)
    assert sorted(PublishedEvent.objects.values_list("external_id", "revision")) == [
        ("a", 3),
        ("a", 4),
        ("b", 2),
    ]


def test_numbers_of_revisions_do_not_go_back_when_what_was_known_is_forgotten(owner: User, run: Path) -> None:
    computed(run, [lot("a", 5)], revision=3)
    loaded(run)
    assert PublishedEvent.objects.get().revision == 3
    assert loaded(run).repeats == 1


class TestWhereTheLogIsOfNoUse:
    def test_events_are_left_to_the_workers_if_it_was_cut(self, owner: User, run: Path) -> None:
        kept = subscribe(owner)
        computed(run, some(4))
        new = subscribe(owner)
        ChangeCounter.objects.update(cut_up_to=change_log.last_change())
        assert loaded(run).left == 4
        assert set(MatchWork.objects.values_list("attempts", "leased_until")) == {(0, None)}
        finish_by_workers()
        assert matches_of("lot-000") == {kept.pk, new.pk}

    def test_and_so_are_those_that_were_just_accepted(self, owner: User, run: Path) -> None:
        kept = subscribe(owner)
        computed(run, some(4))
        ticks = iter(range(100))

        def cut_meanwhile() -> datetime:
            if next(ticks) == 1:  # it has caught up, and accepts the first chunk now
                subscribe(owner)
                ChangeCounter.objects.update(cut_up_to=change_log.last_change())
            return NOW

        assert loaded(run, clock=cut_meanwhile).left == 4
        assert set(MatchWork.objects.values_list("attempts", "leased_until")) == {(0, None)}
        finish_by_workers()
        assert kept.pk in matches_of("lot-000")

    @pytest.mark.parametrize(
        "what", ["another database", "a restored one", "no snapshot", "broken", "expiries gone"]
    )
    def test_or_there_is_no_snapshot_that_the_database_knows(self, owner: User, run: Path, what: str) -> None:
        subscribe(owner)
        computed(run, some(4))
        if what == "another database":
            ChangeCounter.objects.update(epoch=7)
        elif what == "a restored one":
            KeptSnapshot.objects.all().delete()
        elif what == "no snapshot":
            (run / "snapshot.json").unlink()
        elif what == "broken":
            (run / "snapshot.json").write_text("{}")
        else:
            (run / "expiries-0").unlink()
        assert loaded(run).left == 4


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("place", PLACES)
def test_killed_anywhere_and_begun_again_the_same_is_stored(
    owner: User, run: Path, failpoints: Path, place: str, shards: int
) -> None:
    kept, goes = subscribe(owner), subscribe(owner)
    computed(run, some(12))
    services.unsubscribe(goes)
    new = subscribe(owner, "price < 10")
    killed_at(place, lambda: loaded(run, shards=shards), failpoints=failpoints)
    assert not any(map(leases.is_any_free, split(shards)))  # nobody saw the work without a lease
    assert loaded(run, shards=shards).rows == 12
    finish_by_workers(shards=shards)
    all_stored = stored()
    assert all_stored["matches"] == sorted(
        [(name, 1, kept.pk) for name in lots(12)]
        + [(name, 1, new.pk) for place, name in enumerate(lots(12)) if PRICES[place % 4] < 10]
    )
    assert {event[3] for event in all_stored["events"]} == {"matched"}
    assert (all_stored["work"], all_stored["announced"]) == (0, lots(12))
    third = loaded(run, shards=shards)
    assert (third.events, third.repeats) == (0, 12)
    assert stored() == all_stored


@pytest.mark.django_db(transaction=True)
def test_items_published_live_at_the_same_time_are_there_once(owner: User, run: Path) -> None:
    kept = subscribe(owner)
    items = some(120)
    computed(run, items)

    def publish_all() -> None:
        try:
            for ready in reversed(items):
                published_live(ready)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as beside:
        publishing = beside.submit(publish_all)
        counts = loaded(run)
        publishing.result()
    assert counts.rows == 120
    finish_by_workers()
    assert stored()["matches"] == [(name, 1, kept.pk) for name in lots(120)]
    assert (stored()["work"], stored()["announced"]) == (0, lots(120))
