"""A small market for random runs: its schema, and seeded items and searches of which many fit together."""

from collections.abc import Sequence
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
DOMAIN_OF_EXTRAS = "substance"


def schema(extras: Sequence[str] = ()) -> Schema:
    """With these attributes more, which any item may have."""
    return Schema.from_dict(
        {
            "domains": DOMAINS,
            "attributes": ATTRIBUTES | dict.fromkeys(extras, DOMAIN_OF_EXTRAS),
            "event_types": {EVENT_TYPE: LOT | {extra: ["optional", "unique"] for extra in extras}},
            "version": 1 + len(extras),
        }
    )


SCHEMA = schema()
MATERIALS = ("oak", "walnut", "brass", "steel")
WORDS = ("old", "rare", "signed", "swiss", "round", "small")
HIGHEST_PRICE = 100
CROWD_SHARE = 0.02
CROWD_TEXT = "crowd = all"


def item(random: Random, extras: Sequence[str] = ()) -> dict[str, Any]:
    """An event; now and then one that the whole crowd looks for. Half have one of the extra attributes.

    However many of these there are, as much is drawn: the next item is the same.
    """
    chance, value = random.random(), random.choice(MATERIALS)
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
    if extra := _one_of(extras, chance):
        document[extra] = value
    return document


def search(random: Random, extras: Sequence[str] = ()) -> str:
    """The text of a subscription, which about one item in four matches. Half name one of the extras."""
    chance, value = random.random(), random.choice(MATERIALS)
    text = _search(random)
    extra = _one_of(extras, chance)
    return f"({text}) or {extra} = {value}" if extra else text


def rare_search(random: Random) -> str:
    """One that fewer match: one item in twenty, or so."""
    return f"({_search(random)}) and grade = good"


def _one_of(extras: Sequence[str], chance: float) -> str | None:
    """In half of all cases."""
    place = int(2 * chance * len(extras))
    return extras[place] if place < len(extras) else None


def _search(random: Random) -> str:
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
