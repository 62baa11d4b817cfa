"""A snapshot that is not whole is refused with a sentence, and left as it is."""

import json
import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from matching.engine import snapshots
from matching.engine.engine import Engine
from matching.engine.snapshots import MANIFEST, SnapshotError
from tests.unit.matching.engine.filled import LOTS, filled

EPOCH = rb"\"epoch\": "  # the manifest is a text inside of JSON


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_where_there_is_none_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(SnapshotError, match=r"snapshot|cannot be read"):
            Engine.open(path)


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def lengthened(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\0")


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("kind", ["segment-*", "died-*", "documents-*", MANIFEST])
@pytest.mark.parametrize("damage", [flipped, truncated, lengthened, emptied, Path.unlink])
def test_a_damaged_file_is_refused_with_a_sentence(
    kind: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    filled().save(tmp_path, epoch=7)
    for path in sorted(tmp_path.glob(kind)):
        damaged = tmp_path.with_name("damaged")
        shutil.rmtree(damaged, ignore_errors=True)
        shutil.copytree(tmp_path, damaged)
        damage(damaged / path.name)
        before = files(damaged)
        with pytest.raises(SnapshotError) as refusal:
            Engine.open(damaged)
        assert str(damaged) in str(refusal.value)
        assert str(refusal.value).endswith(".")
        assert files(damaged) == before


def test_no_digit_of_the_manifest_can_change_unnoticed(tmp_path: Path) -> None:
    """It says where in memory the kernels may read, and what the owner wants to know."""
    filled().save(tmp_path, epoch=7)
    content = (tmp_path / MANIFEST).read_bytes()
    digits = [at for at, byte in enumerate(content) if chr(byte).isdigit()]
    for at in [*digits[::97], content.index(EPOCH + b"7") + len(EPOCH)]:
        changed = bytearray(content)
        changed[at] ^= 1
        (tmp_path / MANIFEST).write_bytes(changed)
        with pytest.raises(SnapshotError):
            snapshots.opened(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"no JSON", b"[]", b"null", b'"text"', b"{}", b"\xff\xfe", b'{"format": 1}', b"{" * 100_000],
)
def test_a_manifest_that_is_none_is_refused(content: bytes, tmp_path: Path) -> None:
    filled().save(tmp_path)
    (tmp_path / MANIFEST).write_bytes(content)
    before = files(tmp_path)
    with pytest.raises(SnapshotError):
        Engine.open(tmp_path)
    assert files(tmp_path) == before


def test_a_snapshot_of_another_format_is_refused(tmp_path: Path) -> None:
    filled().save(tmp_path)
    manifest = snapshots.read_manifest(tmp_path)
    for foreign in (snapshots.FORMAT + 1, 0, None, "1"):
        rewritten(tmp_path, json.dumps({**manifest, "format": foreign}))
        with pytest.raises(SnapshotError, match="another version of this program"):
            Engine.open(tmp_path)


def rewritten(directory: Path, text: str) -> None:
    """A manifest with this text and the right checksum."""
    written = {"checksum": zlib.crc32(text.encode()), "manifest": text}
    (directory / MANIFEST).write_text(json.dumps(written))


def foreign_table(manifest: dict[str, Any]) -> None:
    manifest["segments"][0]["table"][0] = -64


def short_table(manifest: dict[str, Any]) -> None:
    manifest["segments"][0]["table"].pop()


def long_array(manifest: dict[str, Any]) -> None:
    manifest["segments"][0]["table"][-1] += 1 << 30


def other_marks(manifest: dict[str, Any]) -> None:
    manifest["segments"][1]["died"] = manifest["segments"][0]["died"]


def no_documents(manifest: dict[str, Any]) -> None:
    manifest["documents"] = manifest["segments"][0]["block"]


@pytest.mark.parametrize("change", [foreign_table, short_table, long_array, other_marks, no_documents])
def test_a_manifest_of_something_else_is_refused(
    change: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    filled().save(tmp_path)
    manifest = snapshots.read_manifest(tmp_path)
    change(manifest)
    rewritten(tmp_path, json.dumps(manifest))
    with pytest.raises(SnapshotError, match="makes no sense"):
        Engine.open(tmp_path)


@pytest.mark.parametrize("text", ["[]", "null", "nothing", "{"])
def test_a_manifest_that_says_nothing_is_refused(text: str, tmp_path: Path) -> None:
    filled().save(tmp_path)
    rewritten(tmp_path, text)
    with pytest.raises(SnapshotError, match="makes no sense"):
        Engine.open(tmp_path)


@pytest.mark.parametrize("missing", ["schema", "vocabulary", "sample", "change", "subscriptions"])
def test_documents_that_lack_something_are_refused(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = json.dumps

    def without(document: Any, **options: Any) -> str:
        return plain({name: each for name, each in document.items() if name != missing}, **options)

    with monkeypatch.context() as patched:
        patched.setattr(json, "dumps", without)
        filled().save(tmp_path)
    with pytest.raises(SnapshotError, match="does not take"):
        Engine.open(tmp_path)


def test_other_files_in_the_directory_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    (tmp_path / "folder").mkdir()
    engine = filled()
    for _ in range(2):
        engine.save(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    assert len(list(tmp_path.glob("documents-*"))) == 1


def test_a_file_that_was_cut_is_written_anew(tmp_path: Path) -> None:
    engine = filled()
    engine.save(tmp_path)
    for path in tmp_path.glob("segment-*"):
        truncated(path)
    engine.save(tmp_path)
    assert Engine.open(tmp_path).match_many(LOTS) == engine.match_many(LOTS)


def test_a_refused_snapshot_can_be_written_anew(tmp_path: Path) -> None:
    engine = filled()
    engine.save(tmp_path)
    (tmp_path / MANIFEST).write_text("{")
    engine.save(tmp_path)
    assert Engine.open(tmp_path).match_many(LOTS) == engine.match_many(LOTS)
