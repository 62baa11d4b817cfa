"""The generator of dirty feeds: the seed decides every byte, and the shares are what they say."""

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from matching.feeds.mapping import FeedMapping, FileFormat
from matching.feeds.reading import rows_of
from matching.feeds.trying import Trial, tried
from matching.workloads.auction import Auction
from spark_jobs.feeds.dirt import CLEAN, Dirt
from spark_jobs.feeds.generator import Feed, main, mapping

WORLD = Auction(seed=0)
ROWS = 3_000


def written(feed: Feed, into: Path) -> dict[str, bytes]:
    assert list(feed.write(into))[-1] == feed.rows
    return {path.name: path.read_bytes() for path in sorted(into.iterdir())}


def trial(feed: Feed, into: Path) -> Trial:
    written(feed, into)
    rows = (row for path in sorted(into.iterdir()) for row in rows_of(path, FileFormat()))
    return tried(FeedMapping.from_dict(mapping()), WORLD.schema, rows, most_rows=10**9)


def test_its_mapping_fits_the_schema_of_the_workload() -> None:
    assert FeedMapping.from_dict(mapping()).faults_with(WORLD.schema) == {}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    feed = Feed(rows=500, seed=3, files=3, format="both", is_gzip=True)
    first = written(feed, tmp_path / "first")
    assert list(first) == ["part-0000.jsonl.gz", "part-0001.csv.gz", "part-0002.jsonl.gz"]
    assert written(feed, tmp_path / "second") == first
    assert written(Feed(rows=500, seed=4, files=3, format="both", is_gzip=True), tmp_path / "third") != first


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_without_dirt_every_row_is_an_event(form: str, tmp_path: Path) -> None:
    clean = trial(Feed(rows=1_000, format=form, dirt=CLEAN), tmp_path)
    assert [
        reason for reason in clean.reasons if reason.attribute != "price"
    ] == []  # £ 90,000 are over the most
    assert (clean.rows, clean.duplicates) == (1_000, 0)
    assert clean.rejected < 5


def test_dirt_shows_as_the_reasons_that_it_should(tmp_path: Path) -> None:
    dirt = Dirt(broken_lines=0.1, miscoded=0.1, missing_ids=0.1, unknown_categories=0.1, bad_prices=0.1)
    dirty = trial(Feed(rows=ROWS, format="both", dirt=dirt), tmp_path)
    counts = {(reason.rule, reason.attribute): reason.count for reason in dirty.reasons}
    for reason in [
        *[("mapping", name) for name in ("category", "price", "title", "ends_at")],
        ("corrupt", ""),
        ("envelope", "external_id"),
        ("R2", "seller"),
    ]:
        assert counts[reason] > 0, reason
    assert 0.05 * ROWS < counts["mapping", "category"] < 0.15 * ROWS
    assert dirty.duplicates > 0
    assert dirty.events > 0.3 * ROWS


def test_shares_of_repeated_rows_are_those_asked_for() -> None:
    dirt = Dirt(**{**dict.fromkeys(CLEAN.__slots__, 0.0), "duplicates": 0.2, "changes": 0.1, "relists": 0.1})
    rows = [row for row, _broken in islice(Feed(rows=ROWS, dirt=dirt).drawn(), ROWS)]
    exactly = Counter(tuple(row.values()) for row in rows)
    assert 0.15 < 1 - len(exactly) / ROWS < 0.25
    assert 0.25 < 1 - len({row["id"] for row in rows}) / ROWS < 0.35
    assert 0.06 < sum("-R" in row["id"] for row in rows) / ROWS < 0.14


def test_a_share_is_a_share() -> None:
    with pytest.raises(ValueError, match="shouting is a share"):
        Dirt(shouting=1.5)


def test_the_command_writes_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [
        "--rows",
        "120",
        "--into",
        str(tmp_path / "x"),
        "--seed",
        "5",
        "--files",
        "2",
        "--broken-lines",
        "0",
    ]
    main(given)
    lines = [line for path in sorted((tmp_path / "x").iterdir()) for line in path.read_bytes().splitlines()]
    assert len(lines) == 120
    assert capsys.readouterr().out == ""
