"""What a night looks like: in a terminal a bar for each stage, with rows, rate and time left; else lines."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from lesubscribe.nightly.spark import Progress
from matching.feeds.trying import TriedRow

SECONDS_BETWEEN_LINES = 10.0
MOST_REASONS = 10
COUNTED = (
    *("files", "quarantined", "rows", "rejected", "duplicates"),
    *("repeats", "overtaken", "events", "matches"),
)
LOADED = ("events", "repeats", "refused", "left", "matches")
_WORDS = {
    "prepare": "preparing",
    "preflight": "looking at the files",
    "judge": "reading and judging",
    "dedupe": "leaving out repeats",
    "match": "matching",
    "write": "writing",
    "load": "loading",
}


@contextmanager
def shown(console: Console) -> Iterator[Callable[[Progress], None]]:
    """What is to be told of the progress while the block lasts."""
    if not console.is_terminal:
        yield _Lines(console).tell
        return
    columns = (
        TextColumn("  {task.description:<22}"),
        BarColumn(),
        TextColumn("{task.fields[rows]:>12,} rows {task.fields[rate]:>9,.0f}/s"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=console) as bars:
        yield _Stages(bars).tell


def summary(
    *,
    counts: Mapping[str, Any],
    rejects: Sequence[Mapping[str, Any]],
    quarantined: Sequence[Mapping[str, str]],
    alerts: Sequence[str] = (),
    stages: Sequence[Mapping[str, Any]] = (),
) -> Iterator[str]:
    """What came of it, in lines."""
    yield ", ".join(f"{counts[name]:,} {name}" for name in COUNTED if counts.get(name))
    if isinstance(loaded := counts.get("loaded"), Mapping):
        yield "loaded: " + ", ".join(f"{loaded[name]:,} {name}" for name in LOADED if name in loaded)
    if stages:
        yield "seconds: " + ", ".join(f"{stage['name']} {stage['seconds']:,.1f}" for stage in stages)
    for file in quarantined[:MOST_REASONS]:
        yield f"not read: {file['file']}: {file['reason']}"
    for reject in rejects[:MOST_REASONS]:
        yield f"{reject['count']:>8,} x {reject['rule']}: {reject['message']}"
    if (more := len(rejects) - MOST_REASONS) > 0:
        yield f"{'':>8}   and {more} more reasons"
    for alert in alerts:
        yield f"look at this: {alert}"


def before_and_after(rows: Sequence[TriedRow]) -> Iterator[str]:
    """What becomes of rows, in lines."""
    for row in rows:
        yield f"row {row.number}: {json.dumps(dict(row.before), ensure_ascii=False)}"
        if row.after is not None:
            yield f"  becomes {json.dumps(row.after, ensure_ascii=False)}"
        for reject in row.rejects:
            where = " ".join(filter(None, (reject.rule, reject.attribute)))
            yield f"  is rejected: {where}: {reject.message}"


class _Stages:
    """A bar for each stage; one that has begun is the end of the one before."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._now: tuple[str, Any, float] | None = None

    def tell(self, progress: Progress) -> None:
        if self._now is None or self._now[0] != progress.stage:
            words = _WORDS.get(progress.stage, progress.stage)
            task = self._bars.add_task(words, total=None, rows=0, rate=0.0)
            self._now = progress.stage, task, time.monotonic()
        _, task, began = self._now
        rate = progress.rows / max(0.001, time.monotonic() - began)
        self._bars.update(
            task, completed=progress.done, total=progress.of or None, rows=progress.rows, rate=rate
        )


class _Lines:
    """A line when a stage begins, and then every few seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._began = self._told = 0.0

    def tell(self, progress: Progress) -> None:
        now = time.monotonic()
        is_new = progress.stage != self._stage
        if not is_new and now - self._told < SECONDS_BETWEEN_LINES:
            return
        if is_new:
            self._stage, self._began = progress.stage, now
        self._told = now
        words = _WORDS.get(progress.stage, progress.stage)
        self._console.print(f"  {words}{'' if is_new else self._how_far(progress, now - self._began)}")

    def _how_far(self, progress: Progress, seconds: float) -> str:
        rows = f": {progress.rows:,} rows, {progress.rows / seconds:,.0f}/s" if progress.rows else ""
        if not 0 < progress.done < progress.of:
            return rows
        left = seconds * (progress.of - progress.done) / progress.done
        return f"{rows}, about {left:,.0f} s left"
