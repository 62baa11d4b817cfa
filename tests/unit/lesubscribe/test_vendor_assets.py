"""The vendored front-end files are those of the manifest, and only a verified package replaces them."""

import hashlib
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lesubscribe.management.commands import vendor_assets
from lesubscribe.management.commands.vendor_assets import VENDOR, fetch_from_npm, find_problems, refresh


def test_every_vendored_file_is_listed_with_its_checksum() -> None:
    assert list(find_problems(VENDOR)) == []


def test_every_package_brings_its_licence_text() -> None:
    for package in json.loads((VENDOR / "manifest.json").read_text())["packages"]:
        assert any(file["file"].endswith(".LICENSE.txt") for file in package["files"]), package["name"]


def test_the_check_names_what_is_missing_changed_or_unknown(folder: Path) -> None:
    (folder / "tool.min.js").write_text("changed")
    (folder / "tool.LICENSE.txt").unlink()
    (folder / "stray.js").write_text("")

    assert list(find_problems(folder)) == [
        "tool.LICENSE.txt is in the manifest, but missing.",
        "stray.js is not in the manifest.",
        "tool.min.js is not the file the manifest recorded.",
    ]


def test_the_check_fails_on_a_changed_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor_assets, "VENDOR", folder)
    (folder / "tool.min.js").write_text("changed")

    with pytest.raises(CommandError, match="not the file the manifest recorded"):
        call_command("vendor_assets", check=True)


def test_a_refresh_restores_a_file_that_was_changed_here(folder: Path) -> None:
    (folder / "tool.min.js").write_text("changed")

    assert refresh(folder, versions={}, fetch=npm) == ["tool 1.0.0: wrote tool.min.js"]
    assert refresh(folder, versions={}, fetch=npm) == ["tool 1.0.0: nothing to change"]
    assert list(find_problems(folder)) == []


def test_an_update_writes_the_new_files_version_and_checksums(folder: Path) -> None:
    assert refresh(folder, versions={"tool": "2.0.0"}, fetch=npm) == [
        "tool 1.0.0 -> 2.0.0: wrote tool.min.js"
    ]
    assert (folder / "tool.min.js").read_text() == "code of 2.0.0"
    assert json.loads((folder / "manifest.json").read_text())["packages"][0]["version"] == "2.0.0"
    assert list(find_problems(folder)) == []


@pytest.mark.parametrize(
    ("packed", "sentence"),
    [
        (
            {"dist/tool.js": b"something else"},
            "tool.min.js of tool 1.0.0 is not the file the manifest recorded.",
        ),
        (
            {"package.json": b'{"name": "tool", "version": "1.0.0", "license": "GPL"}'},
            "The licence of tool 1.0.0",
        ),
        (
            {"package.json": b'{"name": "loot", "version": "1.0.0", "license": "MIT"}'},
            "The name of tool 1.0.0",
        ),
    ],
)
def test_a_package_that_is_not_the_recorded_one_is_refused(
    folder: Path, packed: dict[str, bytes], sentence: str
) -> None:
    before = _contents(folder)

    with pytest.raises(CommandError, match=sentence):
        refresh(folder, versions={}, fetch=lambda name, version: npm(name, version) | packed)

    assert _contents(folder) == before


def test_a_version_that_lost_a_file_is_refused(folder: Path) -> None:
    with pytest.raises(CommandError, match=r"tool 1\.0\.0 has no file dist/tool\.js"):
        refresh(
            folder,
            versions={},
            fetch=lambda name, version: {"package.json": npm(name, version)["package.json"]},
        )


def test_an_unknown_package_is_named(folder: Path) -> None:
    with pytest.raises(CommandError, match="no package named loot"):
        refresh(folder, versions={"loot": "1"}, fetch=npm)


def test_an_update_without_a_version_is_explained() -> None:
    with pytest.raises(CommandError, match="Write --update NAME=VERSION, not 'htmx"):
        call_command("vendor_assets", update=["htmx.org"])


def test_without_npm_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(CommandError, match="npm was not found"):
        fetch_from_npm("tool", "1.0.0")


def test_when_npm_fails_one_sentence_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = tmp_path / "npm"
    failing.write_text(
        "#!/bin/sh\necho 'npm error code GONE' >&2\necho 'npm error no such version' >&2\nexit 1\n"
    )
    failing.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(CommandError, match=r"^npm could not fetch tool 1\.0\.0: no such version$"):
        fetch_from_npm("tool", "1.0.0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vendor folder with one package, one file of it, and a licence text kept by hand."""
    code, licence = b"code of 1.0.0", b"do as you like"
    (tmp_path / "tool.min.js").write_bytes(code)
    (tmp_path / "tool.LICENSE.txt").write_bytes(licence)
    files = [
        {"file": "tool.min.js", "from": "dist/tool.js", "sha256": hashlib.sha256(code).hexdigest()},
        {"file": "tool.LICENSE.txt", "from": None, "sha256": hashlib.sha256(licence).hexdigest()},
    ]
    package = {"name": "tool", "version": "1.0.0", "licence": "MIT", "files": files}
    (tmp_path / "manifest.json").write_text(json.dumps({"packages": [package]}))
    return tmp_path


def npm(name: str, version: str) -> dict[str, bytes]:
    about = {"name": name, "version": version, "license": "MIT"}
    return {"package.json": json.dumps(about).encode(), "dist/tool.js": f"code of {version}".encode()}


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
