"""Where data lies: a path, or a URL of shared storage; pyarrow and Spark spell it differently."""

import re
from pathlib import Path

from pyarrow import fs

_URL = re.compile(r"^[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_OF_A_GLOB = re.compile(r"([{}\[\]*?\\])")


def is_url(place: str) -> bool:
    return bool(_URL.match(place))


def filesystem(place: str) -> tuple[fs.FileSystem, str]:
    """The file system a place is on, and its path there, as pyarrow takes them."""
    if place.startswith("file://"):
        place = place.removeprefix("file://")
    if not is_url(place):
        return fs.LocalFileSystem(), str(Path(place).absolute())
    found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(re.sub(r"^s3[an]:", "s3:", place))
    return found


def joined(place: str, *names: str) -> str:
    return "/".join((place.rstrip("/"), *names))


def for_spark(place: str) -> str:
    """The place for a writer. A bare path would mean the cluster's default file system, such as HDFS."""
    return place if is_url(place) else f"file://{Path(place).absolute()}"


def to_read(place: str) -> str:
    """The place for a reader, which would take a file called `lots[1].csv` for a pattern."""
    return _OF_A_GLOB.sub(r"\\\1", for_spark(place))
