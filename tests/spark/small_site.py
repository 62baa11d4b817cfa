"""A small site: its schema and mapping, subscriptions for it, and a job with all that."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from matching.engine.engine import Engine
from matching.nightly import computed
from matching.operators import plugins
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse
from spark_jobs.jobs.job import Job

SCHEMA = Schema.from_dict(
    {
        "domains": {
            "category": {
                "kind": "hierarchical",
                "values": {"art": None, "paintings": "art", "prints": "art"},
            },
            "price": {"kind": "numeric", "min": 0, "max": 1_000_000},
            "title": {"kind": "text"},
        },
        "attributes": {"category": "category", "price": "price", "title": "title"},
        "event_types": {"lot": {name: ["mandatory", "unique"] for name in ("category", "price", "title")}},
        "version": 3,
    }
)
MAPPING: Mapping[str, Any] = {
    "external_id": {"field": "id"},
    "title": {"field": "name"},
    "url": {"field": "URL"},
    "event_type": {"default": ["lot"]},
    "attributes": {
        "category": {"field": "kind"},
        "price": {"field": "price", "cast": "number"},
        "title": {"field": "name"},
    },
}
WITH_REVISION: Mapping[str, Any] = {**MAPPING, "revision": {"field": "rev"}}
SUBSCRIPTIONS: dict[int, Subscription] = {
    number: parse(text, SCHEMA, operators=plugins.operators())
    for number, text in {
        7: "category <= art and price <= 50",
        8: "title contains 'cat'",
        9: "category = prints or price >= 900",
        10: "price < 800 and similar(title, 'a cat', ?score) and ?score >= 90",
        11: "price between 100 and 500 and similar(title, 'dog', ?score) and ?score > 70 or category = art"
        " and title contains 'cat'",
        2**40: "category = paintings and not title contains 'cat'",
    }.items()
}


def item(number: int, **others: str) -> dict[str, str]:
    """A row, as scrapers write it."""
    kind = ("paintings", "prints", "art")[number % 3]
    name = f"Lot {number} with a {'cat' if number % 2 else 'dog'}"
    return {"id": f"lot-{number}", "name": name, "kind": kind, "price": str(number)} | others


def save_snapshots(directory: Path, *, shards: int = 1) -> list[str]:
    """The subscriptions dealt out to so many snapshots."""
    places = [directory / f"snapshot-{number}" for number in range(shards)]
    for shard, place in enumerate(places):
        engine = Engine(SCHEMA, merging="when asked")
        for number, (name, subscription) in enumerate(SUBSCRIPTIONS.items()):
            if number % shards == shard:
                engine.add(name, subscription)
        engine.save(place)
    return [str(place) for place in places]


def job(source: Path, run: Path, *, mapping: Mapping[str, Any] = MAPPING, **others: Any) -> Job:
    run.mkdir(exist_ok=True)
    return Job(
        site="small",
        date="2026-11-16",
        source=str(source),
        run=run,
        mapping=mapping,
        schema=SCHEMA.to_dict(),
        **others,
    )


def rows(directory: Path, *columns: str) -> list[tuple[Any, ...]]:
    """These columns of a dataset, sorted."""
    found = ds.dataset(directory, format="parquet").to_table(columns=list(columns)).to_pydict()
    return sorted(zip(*found.values(), strict=True))


def matching(document: Mapping[str, Any]) -> list[int]:
    """By the oracle: the subscriptions that match an event, one by one."""
    event = SCHEMA.validate(document)
    return sorted(number for number, each in SUBSCRIPTIONS.items() if each.matches(event))


def lines(items: Sequence[Mapping[str, str]]) -> str:
    return "".join(json.dumps(each) + "\n" for each in items)


def matched_documents(run: Path) -> list[tuple[str, list[int]]]:
    """The events of a run and the subscriptions each matches, as the loader reads them."""
    portions = computed.events(run, at_once=50, most_matches=1_000)
    return [(event.document, sorted(event.subscriptions.tolist())) for each in portions for event in each]
