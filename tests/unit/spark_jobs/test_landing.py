"""The landing zone: which files are there, which should be, and which are none of a feed."""

import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.feeds.landing import MANIFEST, Landed, Listing, landed


def listed(directory: Path, manifest: Any = None, *names: str) -> dict[str, Landed]:
    for name in names:
        (directory / name).write_text("")
    if manifest is not None:
        (directory / MANIFEST).write_text(manifest if isinstance(manifest, str) else json.dumps(manifest))
    return {each.file: each for each in landed(str(directory))}


def test_files_are_known_by_how_their_names_end(tmp_path: Path) -> None:
    found = listed(
        tmp_path, None, "a.jsonl", "b.csv.gz", "c.parquet", "d.parquet.gz", "e.txt", ".f.csv", "_g.csv"
    )
    assert [(each.format, each.is_gzip) for each in found.values()] == [
        ("jsonl", False),
        ("csv", True),
        ("parquet", False),
        ("parquet", True),
        ("", False),
    ]
    assert {name for name, each in found.items() if each.refused} == {"d.parquet.gz", "e.txt"}


def test_a_manifest_says_what_is_missing_and_what_nobody_announced(tmp_path: Path) -> None:
    files = [{"file": "a.jsonl", "bytes": 0, "sha256": "AB", "rows": 0}, {"file": "b.jsonl"}]
    found = listed(tmp_path, {"files": files}, "a.jsonl", "c.jsonl")
    assert found["a.jsonl"].listing == Listing(0, "ab", 0)
    assert {name: each.refused for name, each in found.items()} == {
        "a.jsonl": None,
        "b.jsonl": "The manifest lists it, and it is missing.",
        "c.jsonl": "The manifest does not list it.",
    }


@pytest.mark.parametrize(
    "manifest",
    [
        "{",
        "[]",
        "[" * 100_000,
        {"files": [{"bytes": 1}]},
        {"files": [{"file": "../a"}]},
        {"files": [{"file": "\ud800.jsonl"}]},
        {"files": [{"file": "a", "rows": -1}]},
    ],
)
def test_with_a_manifest_that_makes_no_sense_no_file_is_trusted(tmp_path: Path, manifest: Any) -> None:
    found = listed(tmp_path, manifest, "a.jsonl", "b.csv")
    assert len(found) == 2
    assert all(str(each.refused).startswith("_MANIFEST.json cannot be understood") for each in found.values())


def test_a_manifest_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    found = listed(tmp_path, " " * 20_000_001, "a.jsonl")
    assert found["a.jsonl"].refused == "_MANIFEST.json has more than 20,000,000 bytes."


def test_a_directory_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        landed(str(tmp_path / "2026-11-16"))
