"""A worker starts from a snapshot as it would from the database, or else from the database."""

import multiprocessing
import random
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from pytest_django import Settings
from structlog.testing import capture_logs

from lesubscribe import account_deletion
from matching import live_snapshots, services
from matching.keeping import Keeper
from matching.live import LiveMatcher
from matching.live_snapshots import Facts
from matching.models import ChangeCounter, KeptSnapshot, Subscription, SubscriptionChange
from schema_registry import services as schema_services
from schema_registry.accounts.models import User
from schema_registry.selectors import current_schema
from tests.integration.following import NOW, answer, expected, random_change
from tests.integration.lots import BY_STAFF, make_lots
from tests.integration.snapshots import saved, started

PRICES = (3, 5, 12, 25)


@pytest.fixture
def owner(db: None) -> User:
    make_lots()
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "engine"


@pytest.fixture
def keeper(folder: Path) -> Keeper:
    return Keeper(folder)


@pytest.mark.parametrize("seed", range(3))
def test_it_knows_the_same_as_one_from_the_database(
    owner: User, folder: Path, keeper: Keeper, seed: int
) -> None:
    """Also of what was changed, removed and has expired since."""
    rng = random.Random(seed)
    live = started(folder)
    for turn in range(4):
        now = NOW + timedelta(days=turn)
        for _ in range(15):
            random_change(owner, rng, now)
        saved(live, keeper, now=now)
        for _ in range(rng.choice([0, 10])):
            random_change(owner, rng, now)
        live = started(folder)
        plain = LiveMatcher("engine")
        assert live.snapshot is not None
        assert plain.snapshot is None
        assert (len(live), live.sequence) == (len(plain), plain.sequence)
        for price in PRICES:
            for moment in (now, now + timedelta(days=2)):
                found = answer(live, price, moment)
                assert found == answer(plain, price, moment) == expected(price, moment), f"seed {seed}"


def test_starting_reads_no_subscription(
    owner: User, folder: Path, keeper: Keeper, django_assert_num_queries: Callable
) -> None:
    for number in range(30):
        services.subscribe(owner, f"price = {number}", now=NOW)
    saved(started(folder), keeper, now=NOW)
    # The counter, the versions of the schema, whether it is kept; and the counter again, to catch up.
    with django_assert_num_queries(4):
        assert len(started(folder)) == 30


def test_it_follows_the_schema_further(owner: User, folder: Path, keeper: Keeper) -> None:
    services.subscribe(owner, "price = 5", now=NOW)
    saved(started(folder), keeper, now=NOW)
    schema_services.create_attribute(BY_STAFF, "weight", "money")
    schema_services.extend_event_type(BY_STAFF, "lot", "weight")
    live = started(folder)
    number = services.subscribe(owner, "weight < 5", now=NOW).subscription.pk
    live.catch_up()
    event = current_schema().validate({"event_type": ["lot"], "weight": 3})
    assert live.match(event, accepted_at=NOW) == [number]


def damage_the_segments(folder: Path) -> None:
    (segment,) = (folder / "segments").glob("segment-*")
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 1
    segment.write_bytes(content)


def cut_the_expiries(folder: Path) -> None:
    for path in folder.glob("expiries-*"):
        path.write_bytes(path.read_bytes()[:-8])


def garble_the_manifest(folder: Path) -> None:
    (folder / "segments" / "manifest.json").write_text("{")


def replace_the_database(folder: Path) -> None:
    ChangeCounter.objects.update(epoch=1)


def restore_the_database(folder: Path) -> None:
    """To the moment before the last change, and before the snapshot."""
    SubscriptionChange.objects.latest("sequence").delete()
    Subscription.objects.latest("pk").delete()
    KeptSnapshot.objects.all().delete()
    ChangeCounter.objects.update(last=1)


def restore_it_and_go_on(folder: Path) -> None:
    """Until there are as many changes as there were, but others."""
    restore_the_database(folder)
    services.subscribe(User.objects.get(), "price = 12", now=NOW)


def cut_the_log(folder: Path) -> None:
    services.subscribe(User.objects.get(), "price = 12", now=NOW)
    SubscriptionChange.objects.all().delete()
    ChangeCounter.objects.update(cut_up_to=3)


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (damage_the_segments, "another checksum"),
        (cut_the_expiries, "is cut"),
        (garble_the_manifest, "is damaged"),
        (replace_the_database, "belongs to another database"),
        (restore_the_database, "is ahead of the database"),
        (restore_it_and_go_on, "does not know the snapshot"),
        (cut_the_log, "no longer in the log"),
    ],
)
def test_one_that_does_not_fit_is_refused_with_a_sentence_and_the_matcher_built_anew(
    owner: User, folder: Path, keeper: Keeper, happens: Callable[[Path], None], reason: str
) -> None:
    services.subscribe(owner, "price < 10", now=NOW)
    services.subscribe(owner, "price = 5", now=NOW, valid_days=1)
    saved(started(folder), keeper, now=NOW)
    happens(folder)
    with capture_logs() as log:
        live = started(folder)
    (refused,) = [line for line in log if line["event"] == "snapshot_refused"]
    assert reason in refused["reason"]
    assert refused["reason"].endswith(" The matcher is built from the database.")
    assert live.snapshot is None
    for price in PRICES:
        assert answer(live, price, NOW) == expected(price, NOW)
    saved(live, keeper, now=NOW)  # and takes its place
    assert started(folder).snapshot == live.snapshot


def test_without_one_nothing_is_said(owner: User, folder: Path) -> None:
    with capture_logs() as log:
        assert started(folder).snapshot is None
    assert log == []


def facts_after(live: LiveMatcher) -> Facts:
    """What the next snapshot would say of itself; the database knows of it."""
    facts = Facts.of_now(shard=live.shard, sequence=live.sequence, merged_at=NOW, now=NOW)
    KeptSnapshot.objects.create(token=facts.token, sequence=facts.sequence, seen_at=NOW)
    return facts


def writing(live: LiveMatcher, folder: Path) -> BaseProcess:
    """A process that saves it under the next facts."""
    assert live.engine is not None
    arguments = (folder, live.engine, live.expiries.arrays(), facts_after(live))
    process = multiprocessing.get_context("fork").Process(target=live_snapshots.write, args=arguments)
    process.start()
    return process


def test_killed_when_it_is_half_written_the_one_before_stays(
    owner: User, folder: Path, keeper: Keeper, settings: Settings, tmp_path: Path
) -> None:
    services.subscribe(owner, "price = 5", now=NOW)
    live = started(folder)
    first = saved(live, keeper, now=NOW)
    services.subscribe(owner, "price < 10", now=NOW, valid_days=1)
    live.catch_up()
    settings.FAILPOINTS = str(tmp_path)
    (tmp_path / "snapshot.half-written").touch()
    process = writing(live, folder)
    process.join(300)
    assert process.exitcode == -signal.SIGKILL
    live = started(folder)
    assert live.snapshot == first
    assert answer(live, 5, NOW) == expected(5, NOW)


def test_killed_at_any_moment_it_is_the_one_before_or_the_next(
    owner: User, folder: Path, keeper: Keeper
) -> None:
    rng = random.Random(8)
    live = started(folder)
    saved(live, keeper, now=NOW)
    for _ in range(12):
        random_change(owner, rng, NOW)
        live.catch_up()
        process = writing(live, folder)
        time.sleep(rng.random() * 0.03)  # where it is struck is what differs
        process.kill()
        process.join(300)
        again = started(folder)
        assert again.snapshot is not None
        for price in PRICES:
            assert answer(again, price, NOW) == expected(price, NOW)


def test_searches_of_an_erased_account_do_not_come_back(owner: User, folder: Path, keeper: Keeper) -> None:
    number = services.subscribe(owner, "price = 5", now=NOW).subscription.pk
    live = started(folder)
    saved(live, keeper, now=NOW)
    assert answer(live, 5, NOW) == {number}
    account_deletion.delete(owner, now=NOW)
    account_deletion.erase(now=NOW + timedelta(hours=1))
    assert not Subscription.objects.exists()
    assert not SubscriptionChange.objects.exclude(compiled=None).exists()
    live = started(folder)
    assert live.snapshot is not None
    assert (len(live), answer(live, 5, NOW)) == (0, set())
