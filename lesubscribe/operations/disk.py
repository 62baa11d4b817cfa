"""What takes the space under VAR, by its parts. Going through the files takes time, so a task does it now and
then, and lays the sizes down for the page."""

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import caches

MOST_FILES = 20_000  # of a part: the outbox, say, may have any number
MEASURED_EVERY = 600
PARTS_SHOWN = 8
_KEY = "operations:disk"


@dataclass(frozen=True, slots=True)
class Part:
    """A file or folder of VAR; `is_more` says that it has more files than were looked at."""

    name: str
    bytes: int
    is_more: bool


def measure() -> None:
    """Unless it was done lately."""
    cache = caches["between_processes"]
    if cache.add(f"{_KEY}:is-fresh", True, timeout=MEASURED_EVERY - 30):
        found = sorted(map(_measured, settings.VAR.iterdir()), key=lambda part: -part.bytes)
        cache.set(_KEY, [asdict(part) for part in found[:PARTS_SHOWN]], timeout=3 * MEASURED_EVERY)


def parts() -> list[Part]:
    """As they were last measured, the largest first. Raises what Redis raises."""
    known: list[dict[str, Any]] = caches["between_processes"].get(_KEY) or []
    return [Part(**each) for each in known]


def _measured(place: Path) -> Part:
    total = count = 0
    for count, size in enumerate(_sizes(place), start=1):
        total += size
        if count == MOST_FILES:
            break
    return Part(place.name, total, count == MOST_FILES)


def _sizes(place: Path) -> Iterator[int]:
    """Of the files there; what goes meanwhile is passed over, and links are not followed."""
    try:
        if not place.is_dir() or place.is_symlink():
            yield place.lstat().st_size
            return
        for folder, _folders, files in os.walk(place):
            for name in files:
                try:
                    yield Path(folder, name).lstat().st_size
                except FileNotFoundError:
                    continue
    except FileNotFoundError:
        return
