"""Segments of recent events: judged like the oracle judges, merged, stored, and refused when broken."""

import random
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from matching.recent import files, manifest
from matching.recent.files import BrokenFileError
from matching.recent.judging import Judge
from matching.recent.manifest import Entry, Manifest
from matching.recent.searching import Found, Part, search
from matching.recent.segments import RecentEvent, Segment, encode, merged, microseconds
from schema_registry.core.errors import SchemaConflict, SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from tests.unit.schema_registry.strategies import STEPS, random_document, random_schema, random_text

USUAL_SEEDS = 60
EVENTS, TEXTS, CHANGES = 24, 10, 3
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def versions_of_a_schema(rng: random.Random) -> list[Schema]:
    versions = [Schema.from_dict(random_schema(rng))]
    for number in range(CHANGES):
        try:
            versions.append(rng.choice(STEPS)(versions[-1], rng, f"new_{number}"))
        except SchemaConflict:
            continue
    return versions


def test_columns_judge_as_the_oracle_does_whatever_the_schema_and_its_versions(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    for seed in range(9_000, 9_000 + (pytestconfig.getoption("deep") or USUAL_SEEDS)):
        rng = random.Random(seed)
        versions = versions_of_a_schema(rng)
        documents = [(schema, random_document(rng, schema)) for schema in rng.choices(versions, k=EVENTS)]
        events = [
            RecentEvent(3 * place + 1, place, schema.validate(document))
            for place, (schema, document) in enumerate(documents)
        ]
        cut = rng.randint(1, EVENTS - 1)
        parts = [encode(events[:cut]), encode(events[cut:])]
        whole = merged(*parts)
        files.write_segment(tmp_path / str(seed), whole)
        segments = [encode(events), whole, files.read_segment(tmp_path / str(seed), thoroughly=True)]
        for segment in (*parts, *segments):
            segment.check_invariants()
        for schema in rng.choices(versions, k=TEXTS):
            try:
                subscription = parse(random_text(rng, schema), schema)
            except SubscriptionError:
                continue  # it can never match
            expected = [subscription.matches(each.event) for each in events]
            judge = Judge(subscription.conjunctions, versions[-1])
            for segment in segments:
                found = judge.matches(segment).tolist()
                assert found == expected, f"seed {seed}: {subscription.text}"
            assert judge.matches(parts[0]).tolist() == expected[:cut], f"seed {seed}: {subscription.text}"


LOTS = Schema.from_dict(
    {
        "domains": {"money": {"kind": "numeric"}, "words": {"kind": "text"}, "name": {"kind": "string"}},
        "attributes": {"price": "money", "title": "words", "seller": "name"},
        "event_types": {
            "lot": {
                "price": ["optional", "multiple"],
                "title": ["optional", "unique"],
                "seller": ["optional", "multiple"],
            }
        },
    }
)


def lots(*documents: Mapping[str, object], hours_ago: int = 0, first: int = 1) -> Segment:
    return encode(
        [
            RecentEvent(
                first + place,
                microseconds(NOW - hours_ago * HOUR) + place,
                LOTS.validate({"event_type": ["lot"], **document}),
            )
            for place, document in enumerate(documents)
        ]
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("price > 10 and price < 15", [False, True, False, False]),
        ("not price < 5", [True, True, False, False]),
        ("price != 5", [True, True, False, False]),
        ("price contains 5", [True, False, False, False]),
        ("not price contains 5", [False, True, False, False]),
        ("not price exists", [False, False, True, True]),
        ("title exists", [False, False, True, True]),
        ("title contains omega", [False, False, False, True]),
        ("not title contains 'omega steel'", [False, False, True, True]),
        ("seller > 'b' and seller < 'd'", [False, True, False, False]),
        ("not seller between 'a' and 'c'", [True, False, False, False]),
    ],
)
def test_one_value_must_satisfy_all_and_absent_attributes_nothing(text: str, expected: list[bool]) -> None:
    segment = lots(
        {"price": [5, 20], "seller": ["a", "é"]},
        {"price": 12, "seller": ["b", "c"]},
        {"title": "!!!"},
        {"title": "Omega Seamaster"},
    )
    judge = Judge(parse(text, LOTS).conjunctions, LOTS)
    assert judge.matches(segment).tolist() == expected


def searched(
    parts: list[Segment], *, clock: Callable[[], float] = lambda: 0.0, most_events: int = 100
) -> Found:
    judge = Judge(parse("price < 20", LOTS).conjunctions, LOTS)
    masks = [Part(segment, np.ones(len(segment), np.bool_)) for segment in parts]
    since = NOW - 48 * HOUR
    return search(masks, judge, since=since, until=NOW, newest=3, clock=clock, most_events=most_events)


def test_a_search_counts_by_day_and_names_the_newest() -> None:
    cheap, dear = {"price": 5}, {"price": 50}
    today = lots(cheap, dear, cheap, hours_ago=1, first=10)
    yesterday = lots(cheap, cheap, hours_ago=13)
    found = searched([today, yesterday, lots(cheap, hours_ago=49)])
    assert found.days == {date(2026, 11, 16): 2, date(2026, 11, 15): 2}
    assert found.newest == (12, 10, 2)
    assert (found.looked_at, found.is_cut, found.oldest) == (5, False, NOW - 13 * HOUR)


def test_a_search_stops_between_two_segments_when_there_are_too_many_or_time_is_over() -> None:
    parts = [lots(*[{"price": 5}] * 4, hours_ago=1, first=10), lots({"price": 5}, hours_ago=2)]
    found = searched(parts, most_events=4)
    assert (found.looked_at, found.is_cut, found.oldest) == (4, True, NOW - HOUR)
    assert not searched(parts, most_events=5).is_cut
    times = iter(range(0, 100, 2))
    assert searched(parts, clock=lambda: next(times)).looked_at == 5
    times = iter(range(0, 100, 4))
    assert searched(parts, clock=lambda: next(times)).looked_at == 4


def test_a_file_that_is_cut_changed_or_foreign_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "segment"
    files.write_segment(path, lots({"price": 5, "title": "omega"}))
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place])
        with pytest.raises(BrokenFileError):
            files.read_segment(path)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(BrokenFileError):
            files.read_segment(path, thoroughly=True)
    path.write_bytes(b"something else" * 100)
    with pytest.raises(BrokenFileError):
        files.read_segment(path)
    path.unlink()
    with pytest.raises(BrokenFileError):
        files.read_segment(path)


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    files.write_mask(tmp_path / "mask", np.array([True, False]))
    files.write_mask(tmp_path / "mask", np.array([False]))
    assert [path.name for path in tmp_path.iterdir()] == ["mask"]
    assert files.read_mask(tmp_path / "mask").tolist() == [False]
    with pytest.raises(BrokenFileError):
        files.read_segment(tmp_path / "mask")


def test_a_manifest_is_read_as_it_was_written_or_refused(tmp_path: Path) -> None:
    assert manifest.read(tmp_path) is None
    entry = Entry("1.segment", "1.counting", 7, "digest", 5)
    written = Manifest(7, NOW, None, (3,), (entry,))
    manifest.write(tmp_path, written)
    assert manifest.read(tmp_path) == written
    for content in (b"", b"{}", b"[]", b'{"format": 0}', b"\xff", b'{"format": 1, "covered": "x"}'):
        (tmp_path / "manifest.json").write_bytes(content)
        with pytest.raises(BrokenFileError):
            manifest.read(tmp_path)
