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


def is_directory(place: str) -> bool:
    """Whether there is a directory. Of an object store: whether anything lies below that name."""
    system, path = filesystem(place)
    return bool(system.get_file_info(path).type == fs.FileType.Directory)


def absolute(place: str) -> str:
    """The same place for whoever works in another directory."""
    return place if is_url(place) else str(Path(place).expanduser().absolute())


def copied(directory: Path, place: str) -> None:
    """The files of a directory on this machine, put there. O(bytes)."""
    system, path = filesystem(place)
    system.create_dir(path, recursive=True)
    fs.copy_files(str(directory), path, destination_filesystem=system)


def removed(place: str) -> None:
    """With all that is in it, if it is there."""
    system, path = filesystem(place)
    if system.get_file_info(path).type == fs.FileType.Directory:
        system.delete_dir(path)


def joined(place: str, *names: str) -> str:
    return "/".join((place.rstrip("/"), *names))


def for_spark(place: str) -> str:
    """The place for a writer. A bare path would mean the cluster's default file system, such as HDFS."""
    return place if is_url(place) else f"file://{Path(place).absolute()}"


def to_read(place: str) -> str:
    """The place for a reader, which would take a file called `lots[1].csv` for a pattern."""
    return _OF_A_GLOB.sub(r"\\\1", for_spark(place))
