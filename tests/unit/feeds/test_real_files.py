"""The mappings of the real files, on the real files, which are not ours to give away and stand beside."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from matching.feeds.judging import Judge, Judged
from matching.feeds.mapping import FeedMapping
from matching.feeds.reading import rows_of
from matching.feeds.trying import tried
from schema_registry.core.schema import Schema
from tests.running_system import ROOT
from tests.unit.feeds.category_tree import hierarchy

DATA = ROOT.parent / "shared" / "data"
MAPPINGS = ROOT / "spark_jobs" / "feeds" / "mappings"
LISTINGS, AUCTIONS = DATA / "ebay-2001-listings.jsonl.gz", DATA / "eBayAuctions.csv"


def document(name: str) -> Any:
    return json.loads((MAPPINGS / name).read_text())


def schema_of_listings(rows: Iterator[Any]) -> Schema:
    schema = document("ebay-2001.schema.json")
    schema["domains"]["listing_category"] = hierarchy(json.loads(row["Category"]) for row in rows)
    return Schema.from_dict(schema)


@pytest.mark.parametrize("name", ["ebay-2001", "ebay-auctions"])
def test_a_mapping_fits_the_schema_beside_it(name: str) -> None:
    mapping = FeedMapping.from_dict(document(f"{name}.mapping.json"))
    assert mapping.faults_with(Schema.from_dict(document(f"{name}.schema.json"))) == {}


def test_every_listing_of_2001_is_an_event() -> None:
    mapping = FeedMapping.from_dict(document("ebay-2001.mapping.json"))
    schema = schema_of_listings(iter(rows_of(LISTINGS, mapping.format)))
    trial = tried(mapping, schema, rows_of(LISTINGS, mapping.format), most_rows=10**6, shown=1)
    assert (trial.rows, trial.rejected, trial.duplicates, trial.reasons) == (19_532, 0, 0, ())
    (first,) = trial.first
    assert first.after == {
        "external_id": "1043374545",
        "title": "christopher radko | fritz n_ frosty sledding",
        "ends_at": "2001-12-14T02:10:40+00:00",
        "event": {
            "bids": 0,
            "category": "Collectibles > Decorative & Holiday > Decorative by Brand > Christopher Radko",
            "country": "USA",
            "event_type": ["collectible"],
            "first_bid": 30,
            "location": "its a dry heat",
            "price": 30,
            "seller": "seller_00001",
            "seller_rating": 1035,
            "started": "2001-12-03",
            "title": "christopher radko | fritz n_ frosty sledding",
        },
    }


def test_a_listing_of_a_category_is_one_of_all_above_it() -> None:
    mapping = FeedMapping.from_dict(document("ebay-2001.mapping.json"))
    schema = schema_of_listings(iter(rows_of(LISTINGS, mapping.format)))
    domain = schema.domain_of["category"]
    verdict = Judge(mapping, schema).judge(next(iter(rows_of(LISTINGS, mapping.format))))
    assert isinstance(verdict, Judged)
    assert domain.below(verdict.event.values["category"][0], "Collectibles")


def test_rows_of_the_auctions_that_say_the_same_are_one_event() -> None:
    mapping = FeedMapping.from_dict(document("ebay-auctions.mapping.json"))
    schema = Schema.from_dict(document("ebay-auctions.schema.json"))
    trial = tried(mapping, schema, rows_of(AUCTIONS, mapping.format), most_rows=10**6, shown=1_972)
    assert (trial.rows, trial.rejected, trial.duplicates) == (1_972, 0, 346)
    for row in trial.first:
        assert row.after is not None
        event = row.after["event"]
        assert ("category" in event) == (row.before["Category"] != "EverythingElse")
        factor = {"US": 0.88, "EUR": 1, "GBP": 1.43}[str(row.before["currency"])]
        assert event["price"] == pytest.approx(float(str(row.before["ClosePrice"])) * factor, abs=0.0051)


@pytest.mark.parametrize(
    "path", [MAPPINGS / "ebay-2001.mapping.json", MAPPINGS / "ebay-auctions.mapping.json"]
)
def test_the_mappings_are_documents_that_come_back(path: Path) -> None:
    read = json.loads(path.read_text())
    assert FeedMapping.from_dict(read).to_dict() == read
