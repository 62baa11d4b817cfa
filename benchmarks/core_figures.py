"""Figures of the schema and the language: `python -m benchmarks.core_figures` prints them as a table.

| figure | to reach |
|---|---|
| events validated per second, 10 attributes each | 20,000 |
| subscriptions parsed and checked per second, 4 predicates each | 3,000 |
| seconds to load a schema of 500 event types, 2,000 attributes and a 6,000-node hierarchy | 1 |
| CPU milliseconds of the slowest of many adversarial 4 kB texts, parsed or refused | 50 |

All are CPU time of one core; rates are the best of five runs, since other processes only ever slow one
down.
"""

import contextlib
import random
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.language import parse

_RUNS = 5


def figures() -> dict[str, float]:
    """All four figures by name. Takes some seconds."""
    schema = Schema.from_dict(_auction_schema())
    return {
        "events_validated_per_second": _rate(lambda: schema.validate(_EVENT), 4_000),
        "subscriptions_parsed_per_second": _rate(lambda: parse(_SUBSCRIPTION, schema), 1_000),
        "large_schema_load_seconds": min(_seconds(_load_large_schema) for _ in range(3)),
        "slowest_adversarial_text_ms": _slowest_text(schema) * 1000,
    }


def _rate(work: Callable[[], object], times: int) -> float:
    def run() -> None:
        for _ in range(times):
            work()

    work()
    return times / min(_seconds(run) for _ in range(_RUNS))


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def _auction_schema() -> dict[str, Any]:
    attributes = {
        "price": "money",
        "shipping": "money",
        "quantity": "money",
        "category": "category",
        "period": "period",
        "condition": "condition",
        "material": "name",
        "seller": "name",
        "location": "name",
        "title": "words",
    }
    return {
        "domains": {
            "money": {"kind": "numeric", "min": 0},
            "name": {"kind": "string"},
            "words": {"kind": "text"},
            "category": {"kind": "hierarchical", "values": _tree(6_000)},
            "condition": {"kind": "enumerated", "values": ["new", "good", "used"]},
            "period": {
                "kind": "enumerated",
                "values": [f"p{i}" for i in range(200)],
                "order": [[f"p{i}", f"p{i + 1}"] for i in range(199)],
            },
        },
        "attributes": attributes,
        "event_types": {"lot": {name: ["mandatory", "multiple"] for name in attributes}},
        "version": 1,
    }


_EVENT = {
    "event_type": "lot",
    "price": 199.5,
    "shipping": 12,
    "quantity": 1,
    "category": "n4321",
    "period": "p3",
    "condition": "good",
    "material": ["oak", "brass"],
    "seller": "maison dupont",
    "location": "Lyon",
    "title": "Omega Seamaster 300, steel, automatic, 1965",
}
_SUBSCRIPTION = (
    "category <= n12 and price <= 200 and title contains 'omega seamaster' and location in (Lyon, Paris)"
)


def _tree(size: int) -> dict[str, str | None]:
    return {f"n{i}": f"n{(i - 1) // 8}" if i else None for i in range(size)}


def _load_large_schema() -> None:
    attributes = {f"a{i}": ("category", "name", "money")[i % 3] for i in range(2_000)}
    names = list(attributes)
    rng = random.Random(7)
    Schema.from_dict(
        {
            "domains": {
                "category": {"kind": "hierarchical", "values": _tree(6_000)},
                "name": {"kind": "string"},
                "money": {"kind": "numeric"},
            },
            "attributes": attributes,
            "event_types": {
                f"t{i}": {name: ["optional", "multiple"] for name in rng.sample(names, 20)}
                for i in range(500)
            },
            "version": 1,
        }
    )


def _slowest_text(schema: Schema) -> float:
    slowest = 0.0
    for text in adversarial_texts():
        start = process_time()
        with contextlib.suppress(SubscriptionError):
            parse(text, schema)
        slowest = max(slowest, process_time() - start)
    return slowest


def adversarial_texts() -> Iterator[str]:
    """Texts of at most 4 kB made to take long: to read, to check, to expand, to decide, to diagnose."""
    full = 4096
    yield from (
        opening * (full // len(opening)) for opening in ("(", "'", '"', "not ", "[", "a", "\n", "x = ")
    )
    yield "price in (" + ",".join(["1"] * 2_000) + ")"
    yield "price in (" + ",".join(["1"] * 2_000)
    yield " or ".join(["price=1"] * 350)
    yield " and ".join(["(price=1 or price=2)"] * 160)
    numbers = ",".join(str(i) for i in range(100, 940))
    branches = " and ".join(["(price<=8 or price<7 or price<6 or price<5)"] * 3)
    yield f"price in ({numbers}) and {branches}"
    many = " and ".join(
        "(" + " or ".join(f"price!={i}" for i in range(first, first + 8)) + ")" for first in (1, 11)
    )
    yield f"price in ({numbers}) and price > 9999 and {many}"
    yield f"price in ({numbers}) and not price between 0 and 9999 and {many}"
    nodes = ",".join(f"n{i}" for i in range(100, 800))
    yield f"category in ({nodes}) and category > n0 and {many.replace('price!=', 'category!=n')}"
    points = " and ".join(f"price != {1 + i * 1e-14:.14f}" for i in range(100))
    yield f"price >= 1 and price < 1.000000000001 and {points} and {branches}"
    holes = " and ".join(f"not price between {i} and {i + 1}" for i in range(90))
    yield f"{holes} and {branches}"
    chain = " and ".join(f"period > p{i} and period < p{199 - i}" for i in range(50))
    yield f"{chain} and (period != p1 or period != p2) and " + " and ".join(
        ["(period<=p190 or period<p180)"] * 4
    )
    yield " and ".join(f"category <= n{i}" for i in range(120))
    yield " and ".join(f"not category < n{5000 + i}" for i in range(120))
    yield " and ".join(f"title contains '{'ab ' * 8}w{i}'" for i in range(80))
    yield "title contains '" + "ﷺ" * 1_300 + "'"
    yield "material = '" + "e\u0301\u0323" * 600 + "'"
    yield "category = " + "x" * 39
    rng = random.Random(11)
    pieces = "price category title ( ) , = < <= and or not in between contains exists 5 'x' oak n7 period p3"
    for _ in range(300):
        yield " ".join(rng.choices(pieces.split(), k=900))[:full]


def main() -> None:
    for name, value in figures().items():
        print(f"{name:34} {value:12,.3f}")


if __name__ == "__main__":
    main()
