"""A small market: its schema, a mapping of a site, and a row of the site's feed."""

import copy
from typing import Any

from matching.feeds.judging import Judge, Judged, Reject
from matching.feeds.mapping import FeedMapping
from schema_registry.core.schema import Schema

SCHEMA = Schema.from_dict(
    {
        "domains": {
            "euro": {"kind": "numeric", "min": 0, "max": 100_000, "unit": "EUR"},
            "words": {"kind": "text"},
            "name": {"kind": "string"},
            "place": {
                "kind": "hierarchical",
                "values": {
                    "eu": None,
                    "it": "eu",
                    "cremona": "it",
                    "fr": "eu",
                    "paris": "fr",
                    "paris-tx": None,
                },
                "labels": {
                    "it": "Italy",
                    "cremona": "Cremona",
                    "fr": "France",
                    "paris": "Paris",
                    "paris-tx": "Paris",
                },
            },
            "wood": {"kind": "enumerated", "values": ["maple", "spruce", "ebony"]},
            "year": {"kind": "numeric"},
        },
        "attributes": {
            "price": "euro",
            "title": "words",
            "maker": "name",
            "town": "place",
            "woods": "wood",
            "built": "year",
            "hairs": "year",
        },
        "event_types": {
            "violins": {
                "price": ["mandatory", "unique"],
                "title": ["mandatory", "unique"],
                "maker": ["optional", "unique"],
                "town": ["optional", "unique"],
                "woods": ["optional", "multiple"],
                "built": ["optional", "unique"],
            },
            "bows": {"price": ["mandatory", "unique"], "hairs": ["optional", "unique"]},
        },
    }
)

MAPPING: dict[str, Any] = {
    "currency": "EUR",
    "rates": {"USD": "0.5", "GBP": 2},
    "time_zone": "America/Los_Angeles",
    "external_id": {"field": "ItemID"},
    "title": {"field": "Name"},
    "url": {"field": "Link"},
    "ends_at": {"field": "Ends", "formats": ["%b-%d-%y %H:%M:%S"]},
    "event_type": {
        "rules": [{"field": "Name", "has_words": ["bow", "bows"], "then": "bows"}],
        "default": "violins",
    },
    "attributes": {
        "price": {"field": "Price", "cast": "money"},
        "title": {"field": "Name"},
        "maker": {"field": "Seller", "key": "UserID"},
        "town": {
            "field": "Town",
            "cast": "category",
            "table": {"Kremona": "cremona", "Moon": None},
            "unmapped": "reject",
        },
        "woods": {"field": "Woods", "cast": "category", "separator": ",", "unmapped": "drop"},
        "built": {"field": "Built", "cast": "number"},
        "hairs": {"field": "Hairs", "cast": "number"},
    },
}

ROW: dict[str, str | None] = {
    "ItemID": " 17 ",
    "Name": "  Violin &quot;Mirecourt&quot;\tabout 1890 ",
    "Link": "https://violins.example/17",
    "Ends": "Dec-13-01 18:10:40",
    "Price": "US $1,200.00",
    "Seller": '{"UserID": "lupot", "Rating": 5}',
    "Town": "Kremona",
    "Woods": "spruce, maple, plastic",
    "Built": "1,890",
}


def mapping(**changes: Any) -> FeedMapping:
    """The site's mapping with other sections."""
    return FeedMapping.from_dict({**copy.deepcopy(MAPPING), **changes})


def with_attribute(name: str, source: dict[str, Any]) -> FeedMapping:
    return mapping(attributes={**MAPPING["attributes"], name: source})


def judged(row: dict[str, str | None], by: FeedMapping | None = None) -> Judged:
    verdict = Judge(by or mapping(), SCHEMA).judge(row)
    assert isinstance(verdict, Judged), verdict
    return verdict


def rejected(row: dict[str, str | None], by: FeedMapping | None = None) -> list[Reject]:
    verdict = Judge(by or mapping(), SCHEMA).judge(row)
    assert isinstance(verdict, list), verdict
    return verdict


def value(name: str, source: dict[str, Any], **fields: str | None) -> Any:
    """What the source makes of the fields, as the attribute of a violin."""
    event = judged({**ROW, **fields}, with_attribute(name, source)).event
    return event.to_dict().get(name)


def refusal(name: str, source: dict[str, Any], **fields: str | None) -> str:
    """Why the source cannot be made of the fields."""
    (reject,) = rejected({**ROW, **fields}, with_attribute(name, source))
    assert (reject.rule, reject.attribute) == ("mapping", name)
    return reject.message
