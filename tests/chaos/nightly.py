"""Nights in the middle of a run: feeds that `manage.py nightly` takes up, while it may be killed.

The items of a night count as sent when it was first begun, and as acknowledged when it was done.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import psutil

from tests.chaos import market
from tests.chaos.clocks import UnavailableError
from tests.chaos.history import Publication
from tests.chaos.records import OF_A_NIGHT, Records
from tests.running_system import ROOT, RunningSystem

SITE, HOUSE = "market", "night house"
FIRST_DAY = date(2026, 11, 1)
SECONDS_TO_FINISH = 600.0
NIGHTLY_NEEDS_SECONDS = 30.0  # at least
LONGEST_LIFE = 60.0  # of the first try of a night
SPARK = "spark_jobs.jobs.nightly"  # the driver of Spark, a process of its own
_SEPARATOR = ";"
MAPPING: dict[str, Any] = {
    "external_id": {"field": "id"},
    "event_type": {"rules": [], "default": market.EVENT_TYPE},
    "attributes": {
        "price": {"field": "price", "cast": "number"},
        "goods": {"field": "goods", "cast": "category"},
        "grade": {"field": "grade", "cast": "category"},
        "material": {"field": "material", "separator": _SEPARATOR},
        "title": {"field": "title"},
        "crowd": {"field": "crowd"},
    },
}
_SAVE = f"""
from django.utils import timezone
from matching.nightly import mappings
from schema_registry.accounts.models import Publisher
house = Publisher.objects.get(name={HOUSE!r})
mappings.save({SITE!r}, {MAPPING!r}, publisher=house, now=timezone.now())
"""


@dataclass(slots=True)
class Night:
    day: date
    items: dict[str, dict[str, Any]]  # by their ids
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    was_struck: bool = False


class Nights:
    """After each other. The first try of each is killed, unless it is done by then, and begun again."""

    def __init__(self, system: RunningSystem, directory: Path, random: Random, *, rows: int = 200) -> None:
        """Raises UnavailableError."""
        if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
            raise UnavailableError("there is no Java")
        self._system = system
        self._feeds = directory / "feeds"
        self._said = directory / "nightly.log"
        self._random = random
        self._rows = rows
        self._process: subprocess.Popen[bytes] | None = None
        self._nights: list[Night] = []
        self._has_mapping = False
        self.kills = 0

    def begin(self) -> bool:
        """The next one, or the last one again if it is not done; unless one runs."""
        if not self._has_mapping:
            self._has_mapping = self._system.manage("shell", "-c", _SAVE).returncode == 0
        if not self._has_mapping:
            return False
        if self._runs():
            return False
        if not self._nights or self._nights[-1].ended is not None:
            self._nights.append(self._new())
        self._begin()
        self._strike_once(self._nights[-1])
        return True

    def finish(self, *, say: Callable[[str], None]) -> str | None:
        """What is begun is done to its end; what went wrong, if anything."""
        deadline = time.monotonic() + SECONDS_TO_FINISH
        if self._nights and self._nights[-1].ended is None:
            say("  the nightly is done to its end ...")
        while self._nights and not (self._runs() or self._nights[-1].ended is not None):
            if time.monotonic() > deadline:
                return f"the nightly does not end: {self._said.read_text(errors='replace')[-2000:]}"
            self._begin()
            assert self._process is not None
            self._process.wait()
            time.sleep(1)
        if self._runs():
            assert self._process is not None
            self._process.wait()
            return self.finish(say=say)
        return None

    def close(self) -> None:
        """Whatever runs still, since the run was broken off, is ended."""
        if self._process is not None and self._process.poll() is None:
            kill(self._process, is_driver_meant=True)
            self._process.kill()
            self._process.wait()

    def publications(self, records: Records) -> Iterator[Publication]:
        """Of nights that are done. An item that is not there has a number that no event has."""
        for night in self._nights:
            if night.ended is None:
                continue
            numbers = records.numbers_of(_prefix(night.day))
            for name, document in night.items.items():
                yield Publication(numbers.get(name, -1), name, document, night.began, night.ended)

    def _runs(self) -> bool:
        """Whether it does; notes when it was done."""
        if self._process is None:
            return False
        code = self._process.poll()
        is_done = code == 0 and "Another process" not in self._said.read_text(errors="replace")
        if is_done and self._nights[-1].ended is None:
            self._nights[-1].ended = time.monotonic()
        return code is None

    def _strike_once(self, night: Night) -> None:
        """The command, or Spark's driver, which runs in a process of its own; some time later."""
        if night.was_struck:
            return
        night.was_struck = True
        process, seconds = self._process, self._random.uniform(0, LONGEST_LIFE)
        is_driver_meant = self._random.random() < 0.5
        assert process is not None
        threading.Thread(target=self._kill, args=(process, seconds, is_driver_meant), daemon=True).start()

    def _kill(self, process: subprocess.Popen[bytes], seconds: float, is_driver_meant: bool) -> None:
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            kill(process, is_driver_meant=is_driver_meant)
            self.kills += 1

    def _new(self) -> Night:
        day = FIRST_DAY + timedelta(days=len(self._nights))
        items = {f"{_prefix(day)}{number}": market.item(self._random) for number in range(self._rows)}
        folder = self._feeds / SITE / day.isoformat()
        folder.mkdir(parents=True)
        lines = (json.dumps(row(name, item)) for name, item in items.items())
        (folder / "lots.jsonl").write_text("".join(f"{line}\n" for line in lines))
        return Night(day, items)

    def _begin(self) -> None:
        day = self._nights[-1].day.isoformat()
        command = [sys.executable, "manage.py", "nightly", "--feeds", str(self._feeds), "--site", SITE]
        with open(self._said, "wb") as said:
            self._process = subprocess.Popen(
                [*command, "--date", day, "--memory", "1g"],
                cwd=ROOT,
                env=self._system.environment,
                stdout=said,
                stderr=said,
            )


def kill(process: subprocess.Popen[Any], *, is_driver_meant: bool) -> bool:
    """The driver of Spark that a command has started, if there is one just now; else the command itself.

    Answers whether it was the driver. What has ended meanwhile is left alone.
    """
    drivers = _drivers_of(process.pid) if is_driver_meant else []
    for driver in drivers:
        with suppress(psutil.NoSuchProcess):
            driver.kill()
    if not drivers:
        process.kill()
    return bool(drivers)


def _drivers_of(command: int) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        children = psutil.Process(command).children()
        return [child for child in children if SPARK in " ".join(child.cmdline())]
    return []


def _prefix(day: date) -> str:
    return f"{OF_A_NIGHT}{day.isoformat()}-"


def row(name: str, item: dict[str, Any]) -> dict[str, str]:
    """As a scraper leaves it: all strings."""
    values = {field: item[field] for field in MAPPING["attributes"] if field in item}
    said = {
        field: _SEPARATOR.join(value) if isinstance(value, list) else str(value)
        for field, value in values.items()
    }
    return {"id": name, **said}
