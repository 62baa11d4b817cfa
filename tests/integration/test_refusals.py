"""What was refused is on the publisher's page by its reason, counted exactly; and nobody waits for that."""

import json
import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings as configured
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from structlog.testing import capture_logs

from matching import failpoints
from matching.models import PublishedEvent, Refusal, RefusalCount, RefusalReason, Traffic
from matching.traffic import collecting, forgetting, noting
from matching.traffic.noting import COUNTS, MOST_RAW, SAMPLES, Refusals, RefusalStream
from schema_registry.core.errors import InvalidEvent, Violation
from tests.integration.refused import House, a_house, a_lot, collect, make_schema

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_waits() -> None:
    redis.Redis.from_url(configured.REDIS_URL).delete(COUNTS, SAMPLES)


@pytest.fixture
def house(client: Client) -> House:
    make_schema()
    return a_house("Hôtel des ventes", client)


def test_refusals_of_both_ways_of_sending_end_up_under_their_reasons(house: House) -> None:
    assert house.sends(a_lot(1, "1.200,00 EUR")).status_code == 422
    assert house.sends(a_lot(2)).status_code == 202
    answer = house.sends_lines(
        a_lot(3, "dear"),
        a_lot(4),
        b"{",
        a_lot(5, "dear", wood="fir"),
        a_lot(4, 6) | {"revision": 1},
        {"event": {}},
    ).json()
    assert (answer["accepted"], answer["rejected"]) == (1, 5)
    assert collect()
    found = house.groups()
    assert {name: group.last_day for name, group in found.items()} == {
        "“price” is not a number": 3,
        "“wood” has a value that is not in its list": 1,
        "Not readable as JSON": 1,
        "A revision or Idempotency-Key stood for other content": 1,
        "The field “external_id” is missing or malformed": 1,
    }
    assert house.refused() == 6, "one with two mistakes is one item"
    (_, _, single) = found["“price” is not a number"].refusals
    assert (single.external_id, single.via, single.key_prefix) == ("lot 1", "api", house.prefix)
    assert single.answered == ["price: '1.200,00 EUR' is not a number."]
    assert json.loads(single.raw) == a_lot(1, "1.200,00 EUR")
    (changed,) = found["A revision or Idempotency-Key stood for other content"].refusals
    assert json.loads(changed.raw)["revision"] == 1
    (unreadable,) = found["Not readable as JSON"].refusals
    assert (unreadable.raw, unreadable.external_id, unreadable.via) == ("{", "", "batch")


def test_a_body_that_cannot_be_read_is_kept_as_it_was_sent(house: House) -> None:
    assert house.sends(b'{"external_id": "lot 1", "price": NaN}').status_code == 400
    assert house.sends_lines(b"no gzip", headers={"Content-Encoding": "gzip"}).status_code == 400
    collect()
    group = house.groups()["Not readable as JSON"]
    assert group.last_day == house.refused() == 2
    assert [refusal.raw for refusal in group.refusals] == ["", '{"external_id": "lot 1", "price": NaN}']


def test_counts_are_exact_and_samples_are_few_in_a_large_batch(house: House) -> None:
    house.sends_lines(*(a_lot(number, "dear") for number in range(700)), a_lot(1, wood="fir"))
    collect()
    found = {name: (group.last_week, len(group.refusals)) for name, group in house.groups(samples=50).items()}
    assert found == {
        "“price” is not a number": (700, 3),
        "“wood” has a value that is not in its list": (1, 1),
    }


def test_accepted_items_and_dry_runs_leave_nothing_in_redis(house: House) -> None:
    server = redis.Redis.from_url(configured.REDIS_URL)
    before = server.info("commandstats").get("cmdstat_xadd", {}).get("calls", 0)
    house.sends(a_lot(1))
    house.sends_lines(a_lot(2), a_lot(3))
    house.post("events?dry_run=true", json.dumps(a_lot(4, "dear")).encode(), "application/json")
    house.post("events/batch?dry_run=true", json.dumps(a_lot(4, "dear")).encode(), "application/x-ndjson")
    assert server.info("commandstats").get("cmdstat_xadd", {}).get("calls", 0) == before
    assert server.exists(COUNTS, SAMPLES) == 0


def test_a_request_asks_redis_once_whatever_it_was_refused(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    trips: list[int] = []
    send = redis.client.Pipeline.execute

    def counted(self: Any, *args: Any, **options: Any) -> Any:
        trips.extend([1] * any("XADD" in command[0] for command in self.command_stack))
        return send(self, *args, **options)

    monkeypatch.setattr(redis.client.Pipeline, "execute", counted)
    house.sends_lines(*(a_lot(number, "dear") for number in range(300)), a_lot(1, wood="fir"))
    assert len(trips) == 1


def test_collecting_again_and_in_portions_counts_nothing_twice(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "ENTRIES_AT_ONCE", 2)
    for number in range(5):
        house.sends(a_lot(number, "dear"))
    assert not collect(seconds=0)
    assert house.refused() == 2
    for _ in range(3):
        assert collect()
    house.sends(a_lot(9, "dear"))
    collect()
    assert house.refused() == house.groups()["“price” is not a number"].last_day == 6
    assert Refusal.objects.count() == 6


class KilledError(Exception):
    """As if the process had ended here."""


@pytest.mark.parametrize("place", ["refusals.before-commit", "refusals.after-commit"])
@pytest.mark.parametrize("which", [1, 2])
def test_who_is_killed_while_collecting_loses_and_doubles_nothing(
    house: House, place: str, which: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first time the counts are stored, the second the samples."""
    times = 0

    def die(reached: str, subject: object = "") -> None:
        nonlocal times
        times += reached == place
        if times == which:
            raise KilledError

    house.sends_lines(*(a_lot(number, "dear") for number in range(4)))
    with monkeypatch.context() as patched:
        patched.setattr(failpoints, "reached", die)
        with pytest.raises(KilledError):
            collect()
    collect()
    assert house.refused() == house.groups()["“price” is not a number"].last_day == 4
    assert Refusal.objects.count() == 3


def test_a_redis_that_was_begun_anew_by_a_clock_that_is_behind_is_read_from_its_beginning(
    house: House,
) -> None:
    house.sends(a_lot(1, "dear"))
    collect()
    server = redis.Redis.from_url(configured.REDIS_URL)
    server.delete(COUNTS, SAMPLES)
    entry = {"publisher": house.publisher.pk, "via": "api", "key": "", "moment": time.time()}
    counted = {**entry, "refused": 1, "reasons": [["not_a_number", "price", 1]]}
    server.xadd(COUNTS, {"entry": json.dumps(counted)}, id="5-0")
    collect()
    collect()
    assert house.refused() == 2


def test_names_that_are_made_up_do_not_make_endless_reasons(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "MOST_REASONS", 10)
    for some in range(3):
        house.sends_lines(*(a_lot(number, **{f"name{some}_{number}": 1}) for number in range(30)))
    collect()
    assert RefusalReason.objects.count() == 11
    assert house.refused() == 90
    assert sum(RefusalCount.objects.values_list("count", flat=True)) == 90
    assert house.groups()["There is no attribute “…”"].last_day == 80


def test_only_the_newest_samples_of_a_publisher_are_kept(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "MOST_REFUSALS", 4)
    other = a_house("Another house", house.client)
    other.sends(a_lot(1, "dear"))
    for number in range(7):
        house.sends(a_lot(number, "dear"))
    collect()
    mine = Refusal.objects.filter(publisher=house.publisher).order_by("pk")
    assert list(mine.values_list("external_id", flat=True)) == [f"lot {number}" for number in range(3, 7)]
    assert len(other.groups()) == 1
    assert house.refused() == 7


@pytest.mark.parametrize(
    "body",
    [b'{"external_id": "\\ud800"', b"\xff\xfe", b'{"a": "' + "ü".encode() * MOST_RAW, b"[" * 5_000, b"\0"],
)
def test_whatever_was_sent_can_be_kept(house: House, body: bytes) -> None:
    assert house.sends(body).status_code == 400
    collect()
    (kept,) = Refusal.objects.all()
    assert 0 < len(kept.raw.encode()) <= MOST_RAW + 6
    assert kept.raw.endswith("…") == (len(body) > MOST_RAW)


def test_what_is_old_is_forgotten_with_reasons_that_nothing_is_left_of(house: House) -> None:
    house.sends(a_lot(1, "dear"))
    house.sends(a_lot(2, wood="fir"))
    collect()
    old = RefusalReason.objects.get(about="wood")
    long_ago = timezone.now() - timedelta(days=16)
    Refusal.objects.filter(reasons=old).update(refused_at=long_ago)
    RefusalCount.objects.filter(reason=old).update(begins_at=long_ago)
    forgetting.forget(now=timezone.now())
    assert [reason.about for reason in RefusalReason.objects.all()] == ["price"]
    assert Refusal.objects.count() == RefusalCount.objects.count() == 1


def test_what_a_publisher_was_refused_goes_with_it(house: House) -> None:
    house.sends(a_lot(1, "dear"))
    collect()
    house.sends(a_lot(2, "dear"))
    publisher = house.publisher
    publisher.delete()
    collect()
    for table in (Refusal, RefusalCount, RefusalReason, Traffic):
        assert table.objects.count() == 0


class TestWithoutRedis:
    @pytest.fixture
    def silent(self, tmp_path: Path) -> Iterator[str]:
        """The address of something that takes connections and never says a word."""
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tmp_path / "silent.sock"))
            server.listen()
            yield f"unix://{tmp_path / 'silent.sock'}"

    @pytest.mark.parametrize("address", ["unix:///nowhere/redis.sock", "silent"])
    def test_refusals_are_answered_all_the_same(
        self, house: House, settings: Settings, silent: str, address: str
    ) -> None:
        settings.REDIS_URL = silent if address == "silent" else address
        noting._stream.cache_clear()
        with capture_logs() as log:
            answers = [house.sends(a_lot(number, "dear")) for number in range(5)]
            batch = house.sends_lines(a_lot(1), a_lot(2, "dear")).json()
            assert collect(), "nothing to do"
        noting._stream.cache_clear()
        assert [answer.status_code for answer in answers] == [422] * 5
        assert (batch["accepted"], batch["rejected"]) == (1, 1)
        assert PublishedEvent.objects.count() == 1
        said = [line["event"] for line in log]
        assert said.count("refusals_are_not_noted") == 1, "asked once, and then left alone"

    def test_a_silent_one_is_left_alone_and_asked_again_later(self, silent: str) -> None:
        moment = 100.0
        stream = RefusalStream(silent, clock=lambda: moment)
        assert not stream.add([(COUNTS, {})])
        stream._redis = RefusalStream(configured.REDIS_URL)._redis
        assert not stream.add([(COUNTS, {})]), "though it would answer now"
        moment = 110.0
        assert stream.add([(COUNTS, {})])
        redis.Redis.from_url(configured.REDIS_URL).delete(COUNTS)


def test_a_request_with_endless_reasons_takes_little_room() -> None:
    refusals = Refusals(1, key_prefix="", via="batch")
    for number in range(5_000):
        name = f"{number:060}"
        refusals.add(
            InvalidEvent([Violation("R3", name, "x" * 999, fault="unknown_attribute")]), b"y" * 9_999
        )
    refusals.send(now=timezone.now())
    server = redis.Redis.from_url(configured.REDIS_URL)
    counts: Any = server.xrange(COUNTS)
    samples: Any = server.xrange(SAMPLES)
    (entry,) = (json.loads(fields[b"entry"]) for _number, fields in counts)
    assert entry["refused"] == sum(count for *_reason, count in entry["reasons"]) == 5_000
    assert len(json.dumps(entry)) < 3_000
    assert len(samples) == noting.MOST_SAMPLES
    assert sum(len(fields[b"entry"]) for _number, fields in samples) < 30_000
