"""Keeps the front-end files we carry (Pico CSS, htmx, Alpine) as the manifest beside them says.

    manage.py vendor_assets                          fetch the recorded versions again
    manage.py vendor_assets --update htmx.org=2.0.12 move one package to another version
    manage.py vendor_assets --check                  only compare checksums; needs no npm

Everything is fetched and verified before the first file is written. A file whose `from` is null is kept by
hand: the Alpine package brings no licence text.
"""

import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

VENDOR = Path(__file__).resolve().parents[2] / "static" / "vendor"
MANIFEST = "manifest.json"
NPM_SECONDS = 120

Package = dict[str, Any]
PackedFiles = Mapping[str, bytes]
Fetch = Callable[[str, str], PackedFiles]


class Command(BaseCommand):
    help = "Refreshes the vendored front-end files from npm, or checks them."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django declares it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="compare checksums only")
        parser.add_argument(
            "--update",
            action="append",
            default=[],
            metavar="NAME=VERSION",
            help="take this version of a package",
        )

    def handle(self, *args: Any, check: bool, update: list[str], **options: Any) -> None:
        if check:
            if problems := list(find_problems(VENDOR)):
                raise CommandError("\n".join(problems))
            self.stdout.write("Every vendored file is as the manifest says.")
            return
        for line in refresh(VENDOR, versions=dict(map(_name_and_version, update)), fetch=fetch_from_npm):
            self.stdout.write(line)


def find_problems(folder: Path) -> Iterator[str]:
    """One sentence for each file that is missing, changed, or not in the manifest."""
    recorded = {
        file["file"]: file["sha256"] for package in _read_manifest(folder) for file in package["files"]
    }
    present = {path.name for path in folder.iterdir()} - {MANIFEST}
    for name in sorted(recorded.keys() - present):
        yield f"{name} is in the manifest, but missing."
    for name in sorted(present - recorded.keys()):
        yield f"{name} is not in the manifest."
    for name in sorted(present & recorded.keys()):
        if _sha256((folder / name).read_bytes()) != recorded[name]:
            yield f"{name} is not the file the manifest recorded."


def refresh(folder: Path, *, versions: Mapping[str, str], fetch: Fetch) -> list[str]:
    """Fetches every package, `versions` overriding the recorded ones, then writes; returns what changed.

    Raises CommandError before anything is written if a package is not what the manifest says.
    """
    packages = _read_manifest(folder)
    if unknown := versions.keys() - {package["name"] for package in packages}:
        raise CommandError(f"The manifest has no package named {', '.join(sorted(unknown))}.")
    contents: dict[str, bytes] = {}
    changes = []
    for package in packages:
        before, after = package["version"], versions.get(package["name"], package["version"])
        taken = _take(package, fetch(package["name"], after), folder=folder, version=after)
        changed = [name for name, content in taken.items() if _differs(folder / name, content)]
        changes.append(_change(package["name"], before, after, changed))
        contents |= taken
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / MANIFEST).write_text(json.dumps({"packages": packages}, indent=2) + "\n")
    return changes


def fetch_from_npm(name: str, version: str) -> PackedFiles:
    """The files of a package by their path in it. npm itself checks the download against its registry."""
    npm = shutil.which("npm")
    if npm is None:
        raise CommandError(
            "npm was not found; install Node.js to refresh vendored files (--check works without)."
        )
    with tempfile.TemporaryDirectory() as folder:
        command = [
            npm,
            "pack",
            f"{name}@{version}",
            "--loglevel=error",
            "--ignore-scripts",
            "--pack-destination",
            folder,
        ]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=NPM_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise CommandError(f"npm did not fetch {name} {version} within {NPM_SECONDS} s.") from None
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode or not archives:
            raise CommandError(f"npm could not fetch {name} {version}: {_npm_reason(done.stderr)}")
        with tarfile.open(archives[0]) as archive:
            return {
                member.name.partition("/")[2]: file.read()
                for member in archive
                if (file := archive.extractfile(member)) is not None
            }


def _npm_reason(errors: str) -> str:
    """The first sentence of npm's complaint, without its error code and the place of its log."""
    lines = [line.removeprefix("npm error ") for line in errors.splitlines()]
    return next((line for line in lines if line and not line.startswith("code ")), "it gave no reason")


def _take(package: Package, packed: PackedFiles, *, folder: Path, version: str) -> dict[str, bytes]:
    """Our files out of a fetched package; `package` gets their version and checksums."""
    name = package["name"]
    about = json.loads(packed["package.json"])
    for what, expected, found in [
        ("name", name, about["name"]),
        ("version", version, about["version"]),
        ("licence", package["licence"], about["license"]),
    ]:
        if found != expected:
            raise CommandError(f"The {what} of {name} {version} should be {expected!r}, but is {found!r}.")
    taken = {}
    for file in package["files"]:
        source = file["from"]
        if source is not None and source not in packed:
            raise CommandError(f"{name} {version} has no file {source}.")
        content = (folder / file["file"]).read_bytes() if source is None else packed[source]
        if version == package["version"] and _sha256(content) != file["sha256"]:
            raise CommandError(f"{file['file']} of {name} {version} is not the file the manifest recorded.")
        file["sha256"] = _sha256(content)
        taken[file["file"]] = content
    package["version"] = version
    return taken


def _change(name: str, before: str, after: str, changed: list[str]) -> str:
    version = after if before == after else f"{before} -> {after}"
    return f"{name} {version}: {'wrote ' + ', '.join(changed) if changed else 'nothing to change'}"


def _differs(path: Path, content: bytes) -> bool:
    return not path.exists() or path.read_bytes() != content


def _read_manifest(folder: Path) -> list[Package]:
    packages: list[Package] = json.loads((folder / MANIFEST).read_text())["packages"]
    return packages


def _name_and_version(text: str) -> tuple[str, str]:
    name, _, version = text.rpartition("=")
    if not name or not version:
        raise CommandError(f"Write --update NAME=VERSION, not {text!r}.")
    return name, version


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
