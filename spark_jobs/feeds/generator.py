"""A feed as scrapers leave it: items of the `auction` workload, with realistic dirt, in many files.

    python -m spark_jobs.feeds.generator --rows 1000000 --into FEEDS/demo/2026-11-17 --seed 1

The seed decides every byte. `world` is the seed of the workload whose schema the items follow: subscriptions
of `workloads.create("auction", seed=world)` match them. Rows are written as they are made, some 20 us each;
nothing but the last lines, of which duplicates and relists are drawn, is kept.
"""

import argparse
import gzip
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import IO, Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

from matching.workloads import auction_setting
from matching.workloads.auction import Auction
from spark_jobs.feeds.dirt import Dirt, broken, csv_line, encoded, json_line, price, spoil

FORMATS = ("jsonl", "csv", "both")
FIELDS = (
    *("id", "headline", "kind", "category", "price", "seller", "place", "state", "materials", "period"),
    *("url", "ends", "scraped"),
)
_CHUNK = 10_000  # rows whose values are drawn at a time
_REMEMBERED = 1_000  # rows that duplicates, changes and relists are drawn of
_FIRST_END = datetime(2026, 11, 18, tzinfo=UTC)


class AuctionItems(Auction):
    """The workload as an endless source of items."""

    def items(self, seed: int) -> Iterator[dict[str, Any]]:
        random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(len(FIELDS),)))
        while True:
            yield from self._documents(random, _CHUNK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What to write. `format` is one of FORMATS; with both, files take turns."""

    rows: int
    seed: int = 0
    world: int = 0
    files: int = 8
    format: str = "jsonl"
    is_gzip: bool = False
    dirt: Dirt = field(default_factory=Dirt)

    def write(self, into: Path) -> Iterator[int]:
        """Writes the files, and gives how many rows are written, every thousand and at the end."""
        into.mkdir(parents=True, exist_ok=True)
        rows, written = self.drawn(), 0
        breaking = Random(f"{self.seed} broken")  # noqa: S311 - no secret is made of it
        for number in range(self.files):
            is_csv = self.format == "csv" or (self.format == "both" and number % 2 == 1)
            size = self.rows * (number + 1) // self.files - self.rows * number // self.files
            name = f"part-{number:04}.{'csv' if is_csv else 'jsonl'}{'.gz' if self.is_gzip else ''}"
            with ExitStack() as stack:
                file = _opened(stack, into / name, is_gzip=self.is_gzip)
                if is_csv:
                    file.write(csv_line(FIELDS).encode() + b"\n")
                for row, is_broken in islice(rows, size):
                    line = encoded(csv_line([row[name] for name in FIELDS]) if is_csv else json_line(row))
                    file.write((broken(breaking, line) if is_broken else line) + b"\n")
                    written += 1
                    if written % 1_000 == 0:
                        yield written
        yield written

    def drawn(self) -> Iterator[tuple[dict[str, str], bool]]:
        """Rows without end, each with whether its line is to be broken."""
        random, dirt = Random(self.seed), self.dirt  # noqa: S311 - no secret is made of it
        earlier: deque[dict[str, str]] = deque(maxlen=_REMEMBERED)
        again = dirt.duplicates, dirt.duplicates + dirt.changes, dirt.duplicates + dirt.changes + dirt.relists
        items = AuctionItems(seed=self.world).items(self.seed)
        number = 0
        while True:
            draw = random.random()
            if earlier and draw < again[2]:
                row = dict(random.choice(earlier))
                if draw >= again[0]:
                    row["price"] = price(random, random.lognormvariate(3.7, 1.5))
                if draw >= again[1]:
                    row["id"] = f"{row['id'] or number}-R{number}"
            else:
                number += 1
                row = _row(random, number, next(items))
                spoil(random, dirt, row)
                earlier.append(row)
            yield row, random.random() < dirt.broken_lines


def mapping() -> dict[str, Any]:
    """The mapping that goes with such a feed."""
    chosen = {"place": "location", "state": "condition", "period": "period", "category": "category"}
    attributes: dict[str, Any] = {
        attribute: {"field": name, "cast": "category"} for name, attribute in chosen.items()
    }
    attributes |= {
        "material": {"field": "materials", "cast": "category", "separator": ";", "unmapped": "drop"},
        "price": {"field": "price", "cast": "money"},
        "seller": {"field": "seller"},
        "title": {"field": "headline"},
    }
    types = auction_setting.EVENT_TYPES
    return {
        "currency": "EUR",
        "rates": {"USD": "0.92", "GBP": "1.17"},
        "time_zone": "America/Los_Angeles",
        "external_id": {"field": "id"},
        "title": {"field": "headline"},
        "url": {"field": "url"},
        "ends_at": {"field": "ends", "formats": ["%b-%d-%y %H:%M:%S", "iso"]},
        "event_type": {"rules": [{"field": "kind", "is": name, "then": name} for name in types]},
        "attributes": attributes,
    }


def _row(random: Random, number: int, item: dict[str, Any]) -> dict[str, str]:
    ends = _FIRST_END + timedelta(seconds=random.randrange(14 * 86_400))
    return {
        "id": f"A{number:08}",
        "headline": item["title"],
        "kind": item["event_type"],
        "category": item["category"],
        "price": price(random, item["price"]),
        "seller": item["seller"],
        "place": item["location"],
        "state": item["condition"],
        "materials": "; ".join(item["material"]),
        "period": item["period"],
        "url": f"https://auctions.example/lot/{number}",
        "ends": ends.strftime("%b-%d-%y %H:%M:%S") if random.random() < 0.8 else ends.isoformat(),
        "scraped": "2026-11-17",
    }


def _opened(stack: ExitStack, path: Path, *, is_gzip: bool) -> IO[bytes] | gzip.GzipFile:
    file = stack.enter_context(path.open("wb"))
    # Without a name and a time, the same rows give the same bytes.
    return stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0)) if is_gzip else file


def _arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m spark_jobs.feeds.generator", description=__doc__)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--into", type=Path, required=True, help="the folder of a site and a date")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--world", type=int, default=0, help="the seed of the auction workload (0)")
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--format", choices=FORMATS, default="jsonl")
    parser.add_argument("--gzip", action="store_true")
    for each in fields(Dirt):
        name = f"--{each.name.replace('_', '-')}"
        parser.add_argument(name, type=float, default=each.default, help=f"share of rows ({each.default})")
    return parser.parse_args(given)


def main(given: list[str]) -> None:
    chosen = _arguments(given)
    dirt = Dirt(**{each.name: getattr(chosen, each.name) for each in fields(Dirt)})
    feed = Feed(
        rows=chosen.rows,
        seed=chosen.seed,
        world=chosen.world,
        files=chosen.files,
        format=chosen.format,
        is_gzip=chosen.gzip,
        dirt=dirt,
    )
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("rows", total=feed.rows)
        for written in feed.write(chosen.into):
            progress.update(task, completed=written)


if __name__ == "__main__":
    main(sys.argv[1:])
