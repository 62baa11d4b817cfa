"""What other processes do with a snapshot, in tests of sharing and killing."""

import os
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from matching.engine.engine import Engine
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse

SCHEMA = Schema.from_dict(
    {
        "domains": {"number": {"kind": "numeric"}},
        "attributes": {"price": "number"},
        "event_types": {"lot": {"price": ["optional", "unique"]}},
    }
)


def cheaper_than(price: float) -> Subscription:
    return parse(f"price < {price}", SCHEMA)


def ids_at(engine: Engine, price: float) -> list[int]:
    event = SCHEMA.validate({"event_type": ["lot"], "price": price})
    return sorted(engine.match_ids(event).tolist())


def save_without_end(directory: Path, parent: Connection) -> None:
    """Change the engine of the snapshot and save it, again and again; tell of each that is done.

    The n-th snapshot has the subscriptions 0 to n, all alike but the one before the last, which is gone.
    """
    engine = Engine.open(directory, merging="at once")
    number = engine.facts["number"]
    while True:
        number += 1
        engine.add(number, cheaper_than(5))
        engine.remove(number - 1)
        engine.add(number - 2, cheaper_than(5))
        if number % 7 == 0:
            engine.merge()
        engine.save(directory, number=number)
        parent.send(number)


def answer(directory: Path, parent: Connection) -> None:
    """Open the snapshot, and then say what it matches whenever a price is asked for; None ends it."""
    engine = Engine.open(directory)
    parent.send(mapped_files(directory))
    while (price := parent.recv()) is not None:
        parent.send(ids_at(engine, price))


def mapped_files(directory: Path) -> dict[str, Any]:
    """The files of the directory that this process has mapped, and whether it may write to them."""
    lines = (line.split() for line in Path(f"/proc/{os.getpid()}/maps").read_text().splitlines())
    here = (line for line in lines if line[-1].startswith(str(directory)))
    return {Path(line[-1]).name: line[1] for line in here}
