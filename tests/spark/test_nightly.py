"""A whole night on a real Spark: every format, every kind of dirt, in one run, looked at from all sides."""

import csv
import gzip
import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from matching.feeds.judging import Judge, Judged
from matching.feeds.mapping import FeedMapping, FileFormat
from matching.feeds.night_order import Order
from matching.feeds.parquet_rows import parquet_rows
from spark_jobs.feeds.facts import Facts
from spark_jobs.feeds.landing import landed
from spark_jobs.feeds.reading import read
from spark_jobs.jobs.nightly import Nightly
from spark_jobs.transforms import columns, deduping
from tests.spark import small_site
from tests.spark.small_site import (
    MAPPING,
    SCHEMA,
    WITH_REVISION,
    item,
    job,
    lines,
    matched_documents,
    matching,
    rows,
)

KNOWN = pa.schema({"external_id": pa.string(), "revision": pa.int32(), "digest": pa.string()})


@dataclass(frozen=True)
class Night:
    """A run that is over: its directory, its manifest and what it said."""

    run: Path
    manifest: dict[str, Any]
    said: list[dict[str, Any]]


def judged(row: dict[str, str], mapping: Any = MAPPING) -> Judged:
    verdict = Judge(FeedMapping.from_dict(mapping), SCHEMA).judge(row)
    assert isinstance(verdict, Judged)
    return verdict


def write_known(path: Path, known: list[tuple[str, int, str]]) -> str:
    path.mkdir()
    columns = [list(column) for column in zip(*known, strict=True)]
    pq.write_table(pa.table(columns, schema=KNOWN), path / "part-0.parquet")
    return str(path)


def write_source(source: Path) -> None:
    """200 lots in a file that several tasks read, with dirt; other formats; and files to be refused."""
    source.mkdir()
    many = [item(number) for number in range(1, 201)]
    text = lines(many[:100]) + '\n{"id": "broken\n' + lines([item(0, price="dear")]) + lines(many[100:])
    (source / "a many [1].jsonl").write_text(text)
    (source / "b.jsonl.gz").write_bytes(gzip.compress(lines([item(301), item(5, price="5.5")]).encode()))
    with open(source / "c.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["kind", "id", "extra", "price", "name"], ["art", "lot-401", "", "3", 'A "cat"']])
        writer.writerows([["too", "few"], ["prints", "lot-402", "", "4", "Two\nlines"]])
    (source / "d.csv").write_text('id,name,price,kind\nlot-403,Dog,950,art\nlot-404,5" dog,1,art\n')
    columns = {
        "id": ["lot-501", "lot-502"],
        "name": ["cat", "dog"],
        "kind": ["art", None],
        "price": [1.5, 2.0],
    }
    pq.write_table(pa.table(columns), source / "e.parquet")
    (source / "f.txt").write_text("not a feed")
    (source / "g.jsonl").write_text('{"id": "cut')
    (source / "h.jsonl.gz").write_bytes(gzip.compress(b"{}\n")[:-4])
    (source / "i.parquet").write_text("PAR1")
    (source / "j.jsonl").write_text(lines([item(9, name="x" * 2_000_000)]))


@pytest.fixture(scope="module")
def night(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Night:
    directory = tmp_path_factory.mktemp("night")
    write_source(directory / "source")
    known = [
        ("lot-1", 1, "an older one"),
        ("lot-1", 2, judged(item(1)).digest),
        ("lot-2", 1, judged(item(2)).digest),
        ("lot-2", 4, "a newer one"),
        ("lot-999", 1, "of another day"),
    ]
    return over(
        spark,
        job(
            directory / "source",
            directory / "run",
            known=write_known(directory / "known", known),
            snapshots=small_site.save_snapshots(directory),
        ),
    )


def over(spark: SparkSession, told: Any) -> Night:
    said: list[dict[str, Any]] = []
    Nightly(told, say=said.append).run_on(spark, landed(told.source))
    return Night(told.run, json.loads((told.run / "_MANIFEST.json").read_text()), said)


def test_everything_is_counted(night: Night) -> None:
    assert night.manifest["counts"] == {
        "files": 10,
        "quarantined": 5,
        "rows": 202 + 2 + 3 + 2 + 2,
        "rejected": 1 + 1 + 1 + 1,
        "duplicates": 1,
        "repeats": 1,
        "overtaken": 0,
        "events": 205,
        "matches": sum(len(found) for (found,) in rows(night.run / "matches", "subscriptions")),
    }


def test_files_that_are_unfit_are_named_with_their_reason(night: Night) -> None:
    assert [each["file"] for each in night.manifest["quarantined"]] == [
        "f.txt",
        "g.jsonl",
        "h.jsonl.gz",
        "i.parquet",
        "j.jsonl",
    ]
    reasons = dict(rows(night.run / "files", "file", "reason"))
    assert {each["file"]: each["reason"] for each in night.manifest["quarantined"]} == {
        file: reason for file, reason in reasons.items() if reason
    }
    assert reasons["j.jsonl"] == "It has a line of more than 1,000,000 bytes."


def test_rows_are_numbered_in_their_file_though_several_tasks_read_it(night: Night) -> None:
    parts = {part for file, part in rows(night.run / "judged", "file", "block") if file == "a many [1].jsonl"}
    assert len(parts) > 2
    found = dict(rows(night.run / "events", "external_id", "row"))
    assert [found[f"lot-{number}"] for number in (3, 100, 101, 200)] == [3, 100, 103, 202]
    files = {file for _number, file in rows(night.run / "events", "external_id", "file")}
    assert files == {"a many [1].jsonl", "b.jsonl.gz", "c.csv", "d.csv", "e.parquet"}


def test_rejects_keep_the_row_and_say_why(night: Night) -> None:
    found = rows(night.run / "rejects", "file", "row", "rule", "attribute", "raw")
    assert [each[:4] for each in found] == [
        ("a many [1].jsonl", 101, "corrupt", ""),
        ("a many [1].jsonl", 102, "mapping", "price"),
        ("c.csv", 2, "corrupt", ""),
        ("e.parquet", 2, "R2", "category"),
    ]
    assert [json.loads(each[4]) for each in found] == [
        '{"id": "broken',
        item(0, price="dear"),
        "too,few",
        {"id": "lot-502", "name": "dog", "price": "2.0"},
    ]
    assert night.manifest["rejects_by_reason"][0] == {
        "rule": "corrupt",
        "attribute": "",
        "message": "This line is broken: it is not a whole row of the file's format.",
        "count": 2,
    }


def test_the_last_row_of_an_item_counts_and_what_is_known_with_this_content_does_not(night: Night) -> None:
    found = {name: rest for name, *rest in rows(night.run / "events", "external_id", "revision", "file")}
    assert found["lot-5"] == [1, "b.jsonl.gz"]
    assert "lot-1" not in found
    assert found["lot-2"] == [5, "a many [1].jsonl"]


def test_events_are_what_the_live_path_would_make_of_the_rows(night: Night) -> None:
    names = ("external_id", "digest", "schema_version", "document", "title", "url", "image_url", "ends_at")
    found = {row[0]: row for row in rows(night.run / "events", *names) if row[0] in ("lot-77", "lot-301")}
    for number in (77, 301):
        expected = judged(item(number))
        assert found[f"lot-{number}"] == tuple(getattr(expected, name) for name in names)


def test_matches_equal_the_oracle(night: Night) -> None:
    found = matched_documents(night.run)
    assert len(found) == 205
    assert [each for _document, each in found] == [
        matching(json.loads(document)) for document, _each in found
    ]
    assert any(2**40 in each for _document, each in found)
    assert any(each == [] for _document, each in found)


def test_it_tells_its_stages_and_leaves_nothing_half_done(night: Night) -> None:
    assert [each["name"] for each in night.manifest["stages"]] == [
        "preflight",
        "judge",
        "dedupe",
        "match",
        "write",
    ]
    told = {each["stage"]: each for each in night.said}
    assert told["judge"]["rows"] == 211
    assert told["match"]["rows"] == 205
    assert told["match"]["done"] == told["match"]["of"] > 0


def test_no_dirt_ends_a_night(spark: SparkSession, tmp_path: Path) -> None:
    """What once did: in a row, a row is rejected; in a file, the other files are read."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.csv").write_bytes(
        b"id,name,price,kind\nlot-1,A\rcat,5,art\n" + b",".join([b"x"] * 30_000) + b"\nlot-2,Dog,5,art\n"
    )
    huge = item(3, name=f"&#{'1' * 5_000};")
    (source / "b.jsonl").write_text(lines([huge, item(4)]))
    fields = {"name": ["Cat"], "kind": ["art"], "price": [1]}
    pq.write_table(pa.table(fields | {"id": [5]}), source / "c.parquet")
    pq.write_table(pa.table(fields | {"id": ["6"], "other": [1.5]}), source / "d.parquet")
    pq.write_table(
        pa.table(fields | {"id": [7], "other": pa.nulls(1, pa.time64("us"))}), source / "e.parquet"
    )
    no_text = pa.array([b"\xff\xfe"]).view(pa.string())
    pq.write_table(pa.table(fields | {"id": ["8"], "name": no_text}), source / "f.parquet")
    (source / "g.csv").write_bytes(b"id,name\r1,a\r")
    night = over(spark, job(source, tmp_path / "run", dry_run=True))
    assert [each["file"] for each in night.manifest["quarantined"]] == ["e.parquet", "g.csv"]
    assert [name for (name,) in rows(night.run / "events", "external_id")] == [
        *("5", "6", "lot-1", "lot-2", "lot-4"),
    ]
    assert rows(night.run / "rejects", "file", "row", "rule") == [
        ("a.csv", 2, "corrupt"),
        ("b.jsonl", 1, "mapping"),
        ("f.parquet", 1, "mapping"),
    ]


def test_a_trial_reads_parquet_as_a_night_does(spark: SparkSession, tmp_path: Path) -> None:
    moment = datetime(2026, 11, 16, 18, 10, 40, 120_000, tzinfo=UTC)
    fields = {
        "number": [1.5, 12_000_000.0, -0.00025, float("nan"), 0.0],
        "whole": [1, -2, None, 4, 5],
        "flag": [True, False, None, True, True],
        "moment": [moment, moment.replace(microsecond=0), None, None, None],
        "day": [date(2026, 11, 16)] + [None] * 4,
        "sum": [Decimal("1.20"), None, None, None, None],
        "list": [["a", None], [], None, ["b"], None],
        "object": [{"a": 1, "b": "x"}, {"a": None, "b": "y"}, None, None, None],
        "binary": [b"a\xff", None, None, None, None],
    }
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(fields), path)
    facts = Facts(path.name, "parquet", header=tuple(fields), types=())
    frame = read(spark, str(tmp_path), [facts], list(fields), FileFormat())
    as_bytes = frame.select(*(F.col(f"raw.{name}").cast("binary").alias(name) for name in fields))
    by_night = [
        {name: None if cell is None else bytes(cell).decode(errors="replace") for name, cell in each.items()}
        for each in (row.asDict() for row in as_bytes.collect())
    ]
    assert list(parquet_rows(path)) == by_night


def test_what_is_said_of_known_items_depends_on_the_nights_that_were_loaded(spark: SparkSession) -> None:
    last = 2**31 - 1
    known = spark.createDataFrame(
        [("a", 1, "old"), ("a", 2, "new"), ("full", last, "other"), ("same", last, "new")], columns.KNOWN
    )
    names = ("a", "b", "full", "same")
    found = [("f", row, name, None, "old", 1, "{}", "", "", "", None, None) for row, name in enumerate(names)]
    found[3] = (*found[3][:4], "new", *found[3][5:])
    events = spark.createDataFrame(found, columns.EVENTS)
    decided = {
        order: deduping.decided(events, known, has_revision=False, order=order).select(
            "file", "row", "external_id", "revision", "document", "decision"
        )
        for order in Order
    }
    assert {
        order: [(row.revision, row.decision) for row in frame.orderBy("external_id").collect()]
        for order, frame in decided.items()
    } == {
        Order.AFTER: [(3, "event"), (1, "event"), (last, "used_up"), (last, "repeat")],
        Order.SAME: [(3, "repeat"), (1, "event"), (last, "used_up"), (last, "repeat")],
        Order.BEFORE: [(3, "overtaken"), (1, "event"), (last, "overtaken"), (last, "repeat")],
    }
    (refused,) = deduping.refused(decided[Order.AFTER]).collect()
    assert (refused.rule, refused.message) == ("changed", "'full' has the highest revision there can be.")


def test_with_revisions_of_its_own_an_item_may_come_in_several(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    first = [
        item(1, rev="1"),
        item(1, rev="2"),
        item(2, rev="1"),
        item(3, rev="7"),
        item(1, rev="2", price="8"),
    ]
    (source / "a.jsonl").write_text(lines(first))
    known = [("lot-2", 1, judged(item(2, rev="1"), WITH_REVISION).digest), ("lot-3", 7, "another body")]
    told = job(
        source,
        tmp_path / "run",
        mapping=WITH_REVISION,
        dry_run=True,
        known=write_known(tmp_path / "known", known),
    )
    night = over(spark, told)
    assert rows(night.run / "events", "external_id", "revision", "row") == [("lot-1", 1, 1), ("lot-1", 2, 5)]
    assert rows(night.run / "rejects", "row", "rule", "message") == [
        (4, "changed", "Revision 7 of 'lot-3' was used for another body.")
    ]
    counts = night.manifest["counts"]
    assert (counts["duplicates"], counts["repeats"], counts["rejected"]) == (1, 1, 1)
    assert not (night.run / "matches").exists()


def test_a_night_without_any_usable_file_is_a_night_with_nothing(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "_MANIFEST.json").write_text(json.dumps({"files": [{"file": "a.jsonl"}]}))
    (source / "b.jsonl").write_text(lines([item(1)]))
    night = over(spark, job(source, tmp_path / "run", snapshots=small_site.save_snapshots(tmp_path)))
    assert night.manifest["quarantined"] == [
        {"file": "a.jsonl", "reason": "The manifest lists it, and it is missing."},
        {"file": "b.jsonl", "reason": "The manifest does not list it."},
    ]
    assert night.manifest["counts"]["events"] == night.manifest["counts"]["matches"] == 0
    assert rows(night.run / "matches", "number") == []
