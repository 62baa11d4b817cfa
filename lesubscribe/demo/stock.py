"""What the houses of the demo sell, as `stock.toml` tells it."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

STOCK = Path(__file__).with_name("stock.toml")


@dataclass(frozen=True, slots=True)
class Kind:
    """Items of one category; `materials` are choices, each of one or several."""

    category: str
    share: int
    median_price: int
    first_year: int
    last_year: int
    materials: tuple[tuple[str, ...], ...]
    phrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Kinds that have an event type, the end of their titles, and further attributes in common."""

    event_type: str
    share: int
    ending: str
    has_periods: bool
    further: Mapping[str, Sequence[Any]]
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Stock:
    """`words` are what phrases are filled with."""

    families: tuple[Family, ...]
    words: Mapping[str, Sequence[str]]


@cache
def stock() -> Stock:
    document = tomllib.loads(STOCK.read_text(encoding="utf-8"))
    return Stock(tuple(_family(each) for each in document["families"]), document["words"])


def _family(document: Mapping[str, Any]) -> Family:
    return Family(
        document["event_type"],
        document["share"],
        document["ending"],
        document.get("has_periods", True),
        {name: _values(given) for name, given in document.get("further", {}).items()},
        tuple(_kind(*row) for row in document["kinds"]),
    )


def _values(given: Any) -> Sequence[Any]:
    return range(given["from"], given["to"] + 1) if isinstance(given, dict) else given


def _kind(category: str, share: int, price: int, first: int, last: int, materials: str, phrases: Any) -> Kind:
    choices = tuple(tuple(choice.split("+")) for choice in materials.split()) or ((),)
    return Kind(category, share, price, first, last, choices, tuple(phrases))
