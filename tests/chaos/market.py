"""A small market for random runs: its schema, and seeded items and searches of which many fit together."""

from random import Random
from typing import Any

from schema_registry.core.schema import Schema

DOMAINS: dict[str, dict[str, Any]] = {
    "money": {"kind": "numeric", "min": 0, "unit": "EUR"},
    "grade": {
        "kind": "enumerated",
        "values": ["poor", "fair", "good"],
        "order": [["poor", "fair"], ["fair", "good"]],
    },
    "goods": {
        "kind": "hierarchical",
        "values": {
            "furniture": None,
            "table": "furniture",
            "dining table": "table",
            "desk": "table",
            "chair": "furniture",
            "clock": None,
            "watch": "clock",
        },
    },
    "substance": {"kind": "string"},
    "words": {"kind": "text"},
}
ATTRIBUTES = {
    "price": "money",
    "goods": "goods",
    "grade": "grade",
    "material": "substance",
    "title": "words",
    "crowd": "substance",
}
EVENT_TYPE = "lot"
LOT = {
    "price": ["mandatory", "unique"],
    "goods": ["mandatory", "unique"],
    "grade": ["optional", "unique"],
    "material": ["optional", "multiple"],
    "title": ["optional", "unique"],
    "crowd": ["optional", "unique"],
}
SCHEMA = Schema.from_dict(
    {
        "domains": DOMAINS,
        "attributes": ATTRIBUTES,
        "event_types": {EVENT_TYPE: LOT},
        "version": 1,
    }
)
MATERIALS = ("oak", "walnut", "brass", "steel")
WORDS = ("old", "rare", "signed", "swiss", "round", "small")
HIGHEST_PRICE = 100
CROWD_SHARE = 0.02
CROWD_TEXT = "crowd = all"


def item(random: Random) -> dict[str, Any]:
    """An event; now and then one that the whole crowd looks for."""
    document: dict[str, Any] = {
        "event_type": [EVENT_TYPE],
        "price": random.randint(0, HIGHEST_PRICE),
        "goods": random.choice(list(DOMAINS["goods"]["values"])),
    }
    if random.random() < 0.7:
        document["grade"] = random.choice(DOMAINS["grade"]["values"])
    if random.random() < 0.7:
        document["material"] = random.sample(MATERIALS, random.randint(1, 2))
    if random.random() < 0.7:
        document["title"] = " ".join(random.sample(WORDS, 3))
    if random.random() < CROWD_SHARE:
        document["crowd"] = "all"
    return document


def search(random: Random) -> str:
    """The text of a subscription, which about one item in four matches."""
    low, high = sorted((random.randint(0, HIGHEST_PRICE), random.randint(0, HIGHEST_PRICE)))
    goods = random.choice(list(DOMAINS["goods"]["values"]))
    material, word = random.choice(MATERIALS), random.choice(WORDS)
    return random.choice(
        (
            f"price <= {low}",
            f"price between {low} and {high}",
            f"goods <= '{goods}' and price >= {low}",
            f"goods <= '{goods}' or title contains {word}",
            f"material contains {material} and price <= {high}",
            f"not material contains {material}",
            f"grade > poor and title contains {word}",
            f"not grade exists or price < {low + 1}",
            f"not (price between {low} and {high}) and goods < furniture",
        )
    )
