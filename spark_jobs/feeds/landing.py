"""The landing zone: the files of a site and a date, and what their manifest says of them.

FEEDS/<site>/<YYYY-MM-DD>/*.{jsonl,csv,parquet}[.gz], with a `_MANIFEST.json` or without. Names that begin
with a dot or an underscore are none of a feed: by them writers hide what they have not finished.

    {"files": [{"file": "lots.jsonl.gz", "bytes": 1234, "sha256": "9f86...", "rows": 500}]}
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyarrow import fs

from matching.feeds import unfit_files
from matching.feeds.file_kinds import PARQUET, kind_of
from spark_jobs import places

MANIFEST = "_MANIFEST.json"
_MOST_OF_A_MANIFEST = 20_000_000  # some 100,000 files


@dataclass(frozen=True, slots=True)
class Listing:
    """What a manifest says of a file; None is what it does not say."""

    bytes: int | None = None
    sha256: str | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Landed:
    """A file that is there, or that the manifest lists. `refused` is known before it is read."""

    file: str
    place: str
    format: str
    is_gzip: bool
    listing: Listing = Listing()
    refused: str | None = None


class UnusableManifest(Exception):  # noqa: N818 - named for what happened
    """The manifest cannot be read; the message is a sentence."""


def landed(source: str) -> list[Landed]:
    """The files, by name. O(files). Raises FileNotFoundError if there is no such directory."""
    filesystem, path = places.filesystem(source)
    infos = filesystem.get_file_info(fs.FileSelector(path))
    names = {info.base_name for info in infos if info.type == fs.FileType.File}
    there = {name for name in names if not name.startswith((".", "_"))}
    try:
        listings = _read_manifest(filesystem, f"{path}/{MANIFEST}") if MANIFEST in names else None
    except UnusableManifest as unusable:
        return [_landed(source, name, Listing(), str(unusable)) for name in sorted(there)]
    if listings is None:
        return [_landed(source, name, Listing(), None) for name in sorted(there)]
    return [
        _landed(source, name, listings.get(name, Listing()), _why_unfit(name, there, listings))
        for name in sorted(there | listings.keys())
    ]


def _why_unfit(name: str, there: set[str], listings: Mapping[str, Listing]) -> str | None:
    if name not in there:
        return unfit_files.MISSING()
    return None if name in listings else unfit_files.NOT_LISTED()


def _landed(source: str, name: str, listing: Listing, refused: str | None) -> Landed:
    kind, is_gzip = kind_of(name)
    if not kind:
        refused = refused or unfit_files.OTHER_KIND()
    elif kind == PARQUET and is_gzip:
        refused = refused or unfit_files.PARQUET_IN_GZIP()
    return Landed(name, places.joined(source, name), kind, is_gzip, listing, refused)


def _read_manifest(filesystem: fs.FileSystem, path: str) -> dict[str, Listing]:
    with filesystem.open_input_stream(path) as stream:
        text = stream.read(_MOST_OF_A_MANIFEST + 1)
    if len(text) > _MOST_OF_A_MANIFEST:
        raise UnusableManifest(unfit_files.LARGE_MANIFEST(name=MANIFEST, most=_MOST_OF_A_MANIFEST))
    try:
        files = json.loads(text)["files"]
        return {_name(each): _listing(each) for each in files}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        fault = f"{type(error).__name__}: {error}"
        raise UnusableManifest(unfit_files.ODD_MANIFEST(name=MANIFEST, error=fault)) from None


def _name(entry: Mapping[str, Any]) -> str:
    name = entry["file"]
    if not isinstance(name, str) or not name or "/" in name:
        raise ValueError(f"{name!r} is not the name of a file")
    name.encode()  # half a surrogate pair is no name either
    return name


def _listing(entry: Mapping[str, Any]) -> Listing:
    size, digest, rows = entry.get("bytes"), entry.get("sha256"), entry.get("rows")
    for number in (size, rows):
        if number is not None and (type(number) is not int or number < 0):
            raise ValueError(f"{number!r} is not a number of bytes or rows")
    if digest is not None and not isinstance(digest, str):
        raise ValueError("a SHA-256 is a string")
    return Listing(size, None if digest is None else digest.lower(), rows)
