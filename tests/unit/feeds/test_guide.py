"""The example of docs/feeds.md does what the page says, and its tables name what there is."""

import json
from typing import Any

from matching.feeds.casts import OPTIONS
from matching.feeds.event_types import TESTS
from matching.feeds.mapping import ENCODINGS, FeedMapping
from matching.feeds.reading import jsonl_rows
from matching.feeds.trying import tried
from schema_registry.core.schema import Schema
from tests.guides import blocks
from tests.running_system import ROOT

GUIDE = (ROOT / "docs" / "feeds.md").read_text()
OPTIONAL = ["optional", "multiple"]
SCHEMA = Schema.from_dict(
    {
        "domains": {
            "euro": {"kind": "numeric", "unit": "EUR"},
            "words": {"kind": "text"},
            "name": {"kind": "string"},
            "wood": {"kind": "enumerated", "values": ["maple", "spruce"]},
        },
        "attributes": {
            "asking_price": "euro",
            "title": "words",
            "woods": "wood",
            "maker": "name",
            "site": "name",
        },
        "event_types": {
            "violins": dict.fromkeys(("asking_price", "title", "woods", "maker", "site"), OPTIONAL),
            "bows": {"asking_price": OPTIONAL},
        },
    }
)


def test_the_example_gives_what_the_page_shows() -> None:
    row, document, after = (json.loads(block.text) for block in blocks(GUIDE) if block.kind == "json")
    mapping = FeedMapping.from_dict(document)
    assert mapping.faults_with(SCHEMA) == {}
    trial = tried(mapping, SCHEMA, jsonl_rows([json.dumps(row).encode()], mapping.format))
    assert trial.first[0].after == after


def test_the_page_names_every_cast_option_and_test() -> None:
    names: list[Any] = [*OPTIONS, *(option for options in OPTIONS.values() for option in options), *TESTS]
    assert [name for name in names if f"`{name}`" not in GUIDE] == []
    assert [name for name in ENCODINGS if name not in GUIDE] == []
