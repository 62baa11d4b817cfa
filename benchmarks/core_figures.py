"""Figures of the schema and the language: `python -m benchmarks.core_figures` prints them as a table.

| figure | to reach |
|---|---|
| events validated per second, 10 attributes each | 20,000 |
| subscriptions parsed and checked per second, 4 predicates each | 3,000 |
| seconds to load a schema of 500 event types, 2,000 attributes and a 6,000-node hierarchy | 1 |
| CPU milliseconds to parse or refuse the slowest of many adversarial texts of 4 kB, on large schemas | 50 |

All are CPU time of one core; rates are the best of five runs, since other processes only ever slow one
down.
"""

import contextlib
import random
from collections.abc import Callable, Iterator
from itertools import islice
from string import ascii_letters
from time import process_time
from typing import Any

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.language import parse

_RUNS = 5


def figures() -> dict[str, float]:
    """All four figures by name. Takes some ten seconds."""
    schema = Schema.from_dict(_auction_schema())
    return {
        "events_validated_per_second": _rate(lambda: schema.validate(_EVENT), 4_000),
        "subscriptions_parsed_per_second": _rate(lambda: parse(_SUBSCRIPTION, schema), 1_000),
        "large_schema_load_seconds": min(_seconds(_load_large_schema) for _ in range(3)),
        "slowest_adversarial_text_ms": max(_milliseconds(schema, text) for _, schema, text in adversaries()),
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


def _milliseconds(schema: Schema, text: str) -> float:
    """The CPU time to parse or to refuse the text; the better of two, since the first may be disturbed."""

    def work() -> None:
        with contextlib.suppress(SubscriptionError):
            parse(text, schema)

    return min(_seconds(work) for _ in range(2)) * 1000


def adversaries() -> Iterator[tuple[str, Schema, str]]:
    """A name, a schema and a text made to take long on it."""
    ordinary = Schema.from_dict(_auction_schema())
    for text in adversarial_texts():
        yield text[:30], ordinary, text
    yield from _crowded_labels()
    yield from _long_paths()
    yield from _deep_hierarchies()
    yield from _dense_order()
    yield from _many_mandatory()
    yield from _similar_names()


def _with_domain(definition: dict[str, Any]) -> Schema:
    return Schema.from_dict({"domains": {"d": definition}, "attributes": {"d": "d"}})


def _both(each: str) -> str:
    """Six times two alternatives that differ in a number: 64 conjunctions."""
    return " and ".join(f"(d {each}{2 * i} or d {each}{2 * i + 1})" for i in range(1, 7))


def _all(predicate: str, numbers: range) -> str:
    return " and ".join(predicate.replace("#", str(number)) for number in numbers)


def _crowded_labels() -> Iterator[tuple[str, Schema, str]]:
    values: dict[str, str | None] = {f"r{i}": None for i in range(2_000)}
    values |= {f"o{i}": f"r{i}" if i < 2_000 else "r0" for i in range(198_000)}
    schema = _with_domain(
        {"kind": "hierarchical", "values": values, "labels": {v: "Other" for v in values if v[0] == "o"}}
    )
    yield "one label 198,000 times", schema, _all("d = 'r# > Other'", range(1, 61)).replace(" and ", " or ")
    yield "one crowded path", schema, "d = 'r0 > Other'"
    listed = ",".join(f"'r{i}>Other'" for i in range(1, 280))
    yield "many short paths", schema, f"d in ({listed})"


def _long_paths() -> Iterator[tuple[str, Schema, str]]:
    """Twenty-five values to a label, all but one found wrong only at the upper end of the path."""
    values: dict[str, str | None] = {}
    labels = {}
    for letter in ascii_letters:
        for chain in range(25):
            for depth in range(70):
                value = f"{letter}{chain}-{depth}"
                values[value] = f"{letter}{chain}-{depth - 1}" if depth else None
                labels[value] = letter if depth == 69 else "top" if depth == chain else "same"
    schema = _with_domain({"kind": "hierarchical", "values": values, "labels": labels})
    paths = (f"'top{'>same' * depth}>{letter}'" for depth in (50, 55, 60) for letter in ascii_letters)
    yield "long paths", schema, f"d in ({','.join(islice(paths, 13))})"
    same = Schema.from_dict(
        {
            "domains": {
                "d": {
                    "kind": "hierarchical",
                    "values": {
                        f"n{i}-{j}": f"n{i}-{j - 1}" if j else None for i in range(200) for j in range(1_000)
                    },
                    "labels": {f"n{i}-{j}": "L" for i in range(200) for j in range(1_000)},
                }
            },
            "attributes": {"d": "d"},
        }
    )
    yield "six steps, one label", same, _all("d != 'n#-# > L > L > L > L > L'", range(60))


def _deep_hierarchies() -> Iterator[tuple[str, Schema, str]]:
    chains = {f"c{j}-{i}": f"c{j}-{i - 1}" if i else None for j in range(100) for i in range(999)}
    chain = {f"d{i}": f"d{i - 1}" if i else None for i in range(999)}
    schema = _with_domain({"kind": "hierarchical", "values": {**chain, **chains, **_tree(6_000)}})
    both = " and ".join(f"(d >= d{998 - 2 * i} or d >= d{997 - 2 * i})" for i in range(6))
    yield "deep chain, unequal", schema, f"{both} and {_all('d != d#', range(116))}"
    yield "deep chain, not below", schema, f"{both} and {_all('not d <= d#', range(850, 966))}"
    yield "deep chain, not above", schema, f"{both} and {_all('not d >= d#', range(116))}"
    yield "deep chain, holes", schema, f"{both} and {_all('not d between d500 and d#', range(100))}"
    ends = " or ".join(f"d >= c{i}-998" for i in range(64))
    yield "64 deep chains", schema, f"({ends}) and {_all('not d >= c#-#', range(64))}"
    listed = ",".join(f"n{i}" for i in range(1_000, 1_330))
    for name, predicate in (("below", "not d<=n#"), ("above", "not d>=n#")):
        text = f"d in ({listed}) and {_both('!= n')} and {_all(predicate, range(3_000, 3_090))}"
        yield f"listed values, not {name}", schema, text
    yield "leaves", schema, f"{_both('!= n')} and {_all('not d < n#', range(3_000, 3_110))}"


def _dense_order() -> Iterator[tuple[str, Schema, str]]:
    pairs = [[f"p{i}", f"p{1_000 + (i * 37 + j) % 1_000}"] for i in range(1, 1_000) for j in range(20)]
    schema = _with_domain({"kind": "enumerated", "values": [f"p{i}" for i in range(2_000)], "order": pairs})
    both = _both("!= p")
    yield "order, above many", schema, f"{both} and {_all('d > p#', range(1, 117))}"
    yield "order, between", schema, f"{both} and {_all('d > p# and d < p1#', range(101, 158))}"
    yield "order, not above", schema, f"{both} and {_all('not d > p#', range(1, 117))}"
    yield "order, holes", schema, f"{both} and d > p1 and {_all('not d between p# and p1#', range(101, 190))}"
    listed = ",".join(f"p{i}" for i in range(300))
    yield "order, listed", schema, f"{both} and d in ({listed}) and {_all('not d > p#', range(1, 90))}"


def _many_mandatory() -> Iterator[tuple[str, Schema, str]]:
    schema = Schema.from_dict(
        {
            "domains": {"n": {"kind": "numeric"}},
            "attributes": {"d": "n", **{f"{letter}{i}": "n" for letter in "ab" for i in range(1_000)}},
            "event_types": {
                f"t{i}": {f"a{j}": ["mandatory", "unique"] for j in range(1_000)} for i in range(60)
            },
        }
    )
    either = " and ".join(f"(a{2 * i} = 1 or a{2 * i + 1} = 1)" for i in range(6))
    types = _all("event_type contains t#", range(60))
    yield "mandatory attributes", schema, f"{either} and {types} and {_all('not b# exists', range(55))}"
    yield "numbers, bounds", schema, f"{_both('!= ')} and {_all('d <= #', range(9_000, 9_116))}"
    lists = " and ".join(f"not d in ({','.join(str(100 * k + i) for i in range(7))})" for k in range(80))
    yield "numbers, lists", schema, f"{_both('!= ')} and {lists}"
    listed = ",".join(str(i) for i in range(100, 500))
    yield (
        "numbers, listed",
        schema,
        f"{_both('!= ')} and d in ({listed}) and {_all('d <= #', range(9_000, 9_110))}",
    )


def _similar_names() -> Iterator[tuple[str, Schema, str]]:
    names = [f"{'x' * 30}{i:06}" for i in range(200_000)]
    labels = {name: f"y{name[1:]}" for name in names}
    schema = _with_domain({"kind": "enumerated", "values": names, "labels": labels})
    for letter in "xyz":
        yield f"misspelt {letter}", schema, f"d = {letter * 33}z12"


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
    slowest = sorted(
        ((_milliseconds(schema, text), name) for name, schema, text in adversaries()), reverse=True
    )
    for milliseconds, name in slowest[:5]:
        print(f"  {name:32} {milliseconds:12,.3f}")


if __name__ == "__main__":
    main()
