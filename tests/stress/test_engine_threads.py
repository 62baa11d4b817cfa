"""Many readers beside one writer: every answer is right for one moment between its beginning and its end."""

import math
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.engine import engine as production
from matching.engine.engine import Engine
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse
from tests.running_system import wait_until

READERS = 3
CHANGES = 3_000
CHANGES_OF_A_STEP = 100
IDS = 150
PAIRS = 20  # ids 1000 + 2k and 1001 + 2k, which always change together

SCHEMA = Schema.from_dict(
    {
        "domains": {
            "number": {"kind": "numeric"},
            "kind": {"kind": "hierarchical", "values": {"table": None, "desk": "table", "chair": None}},
        },
        "attributes": {"price": "number", "kind": "kind"},
        "event_types": {"lot": {"price": ["optional", "unique"], "kind": ["optional", "multiple"]}},
    }
)
LOTS: list[dict[str, Any]] = [
    {"price": 1, "kind": "desk"},
    {"price": 2, "kind": "chair"},
    {"price": 1, "kind": "chair"},
    {"kind": ["desk", "table"]},
]
EVENTS = [SCHEMA.validate({"event_type": ["lot"], **lot}) for lot in LOTS]
ONE_SIDE = ["price = 1", "price < 2 and kind <= table", "kind = desk or price <= 1", "kind < table"]
OTHER_SIDE = ["price = 2", "price > 1 and kind = chair", "kind = chair and not price = 1"]
SIDES = [[parse(text, SCHEMA) for text in texts] for texts in (ONE_SIDE, OTHER_SIDE)]
ANY = [each for side in SIDES for each in side]


@dataclass
class Story:
    """The answers after each change, written down before it is made; what has begun and what is done."""

    answers: list[list[set[int]]] = field(default_factory=lambda: [[set() for _ in EVENTS]])
    begun: int = 0
    done: int = 0
    is_over: bool = False
    paces: dict[str, float] = field(default_factory=dict)  # of those beside the writer, who waits for them

    def foretell(self, held: dict[int, Subscription], changed: set[int]) -> None:
        now = []
        for event, before in zip(EVENTS, self.answers[-1], strict=True):
            matching = {each for each in changed if each in held and held[each].matches(event)}
            now.append(before - changed | matching)
        self.answers.append(now)
        self.begun += 1

    def keep_together(self, steps: int) -> None:
        """However the machine shares its time among threads."""
        wait_until(lambda: min(self.paces.values()) >= steps, seconds=300, why=lambda: f"{self.paces}")


def test_readers_see_all_changes_up_to_one_and_none_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(production, "MOST_FRESH", 64)
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    engine, story = Engine(SCHEMA, merging="beside"), Story()
    story.paces = {f"reader {seed + number}": 0 for number in range(READERS)}
    with ThreadPoolExecutor(READERS + 1) as pool:
        readers = [pool.submit(read, engine, story, seed + number) for number in range(READERS)]
        try:
            pool.submit(write, engine, story, random.Random(seed)).result()
        finally:
            story.is_over = True
        reads = [reader.result() for reader in readers]
    assert min(reads) > 20
    assert engine.match_many(EVENTS) == story.answers[-1]
    engine.check_invariants()


def write(engine: Engine, story: Story, rng: random.Random) -> None:
    held: dict[int, Subscription] = {}
    for number in range(CHANGES):
        changes = dict(changes_of(rng, held))
        for each, subscription in changes.items():
            if subscription is None:
                del held[each]
            else:
                held[each] = subscription
        story.foretell(held, set(changes))
        if len(changes) > 1:
            engine.load(SubscriptionColumns.of((each, held[each]) for each in changes))
        for each, subscription in changes.items() if len(changes) == 1 else ():
            if subscription is None:
                engine.remove(each)
            else:
                engine.add(each, subscription)
        story.done += 1
        if number % 211 == 0:
            engine.merge()
        if number % CHANGES_OF_A_STEP == 0:
            story.keep_together(number // CHANGES_OF_A_STEP)


def changes_of(
    rng: random.Random, held: dict[int, Subscription]
) -> Iterator[tuple[int, Subscription | None]]:
    """One change: an id comes, goes or turns to the other side, or a pair turns at once."""
    number = rng.randrange(IDS)
    if rng.random() < 0.02:
        first, side = 1_000 + 2 * rng.randrange(PAIRS), rng.choice(SIDES)
        yield from ((each, rng.choice(side)) for each in (first, first + 1))
    elif number in held and rng.random() < 0.3:
        yield number, None
    elif number in held:
        yield number, rng.choice(SIDES[held[number] in SIDES[0]])
    else:
        yield number, rng.choice(ANY)


def read(engine: Engine, story: Story, seed: int) -> int:
    try:
        return read_on(engine, story, seed)
    finally:
        story.paces[f"reader {seed}"] = math.inf


def read_on(engine: Engine, story: Story, seed: int) -> int:
    rng, reads = random.Random(seed), 0
    while not story.is_over:
        story.paces[f"reader {seed}"] = reads
        asked = [rng.randrange(len(EVENTS))] if rng.random() < 0.5 else list(range(len(EVENTS)))
        first = story.done
        if len(asked) == 1:
            answer = [sorted(engine.match_ids(EVENTS[asked[0]]).tolist())]
        else:
            offsets, ids = engine.match_ids_many([EVENTS[at] for at in asked])
            answer = [sorted(ids[offsets[at] : offsets[at + 1]].tolist()) for at in asked]
        last = story.begun
        possible = ([sorted(story.answers[moment][at]) for at in asked] for moment in range(first, last + 1))
        assert answer in possible, f"{asked} between {first} and {last}"
        reads += 1
    return reads


def test_readers_wait_for_no_writer() -> None:
    """Nor for one who rearranges: a match takes no lock."""
    engine = Engine(SCHEMA, merging="when asked")
    engine.load(SubscriptionColumns.of(enumerate(ANY)))
    engine.add(100, ANY[0])
    expected = engine.match_many(EVENTS)
    with ThreadPoolExecutor(1) as pool, engine._rearranging, engine._writing:
        assert pool.submit(engine.match_many, EVENTS).result(timeout=600) == expected
        assert pool.submit(engine.match, EVENTS[0]).result(timeout=600) == expected[0]


def test_it_can_be_saved_while_it_is_matched_and_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each snapshot is the engine of one moment, and what is in it can be removed."""
    monkeypatch.setattr(production, "MOST_FRESH", 64)
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    engine, story = Engine(SCHEMA, merging="beside"), Story()
    story.paces = {f"reader {seed}": 0, "saves": 0}
    with ThreadPoolExecutor(2) as pool:
        reader = pool.submit(read, engine, story, seed)
        writer = pool.submit(write, engine, story, random.Random(seed))
        saves = 0
        try:
            while not writer.done():
                first = story.done
                engine.save(tmp_path / "snapshot")
                last = story.begun
                opened = Engine.open(tmp_path / "snapshot", merging="when asked")
                opened.check_invariants()
                answer = opened.match_many(EVENTS)
                assert answer in story.answers[first : last + 1], f"saved between {first} and {last}"
                for number in set().union(*answer):
                    opened.remove(number)
                assert opened.match_many(EVENTS) == [set() for _ in EVENTS]
                saves += 1
                story.paces["saves"] = 10 * saves
        finally:
            story.is_over, story.paces["saves"] = True, math.inf
        writer.result()
        reader.result()
    assert saves > 1


def test_changes_beside_each_other_are_all_made() -> None:
    """Writers take turns, whatever they do."""
    engine = Engine(SCHEMA, merging="beside")
    start = threading.Barrier(3)

    def add(first: int) -> None:
        start.wait()
        for number in range(first, first + 300):
            engine.add(number, ANY[number % len(ANY)])
            if number % 3 == 0:
                engine.remove(number)
            if number % 100 == 0:
                engine.merge()

    with ThreadPoolExecutor(3) as pool:
        for each in [pool.submit(add, first) for first in (0, 1_000, 2_000)]:
            each.result()
    there = [number for first in (0, 1_000, 2_000) for number in range(first, first + 300) if number % 3]
    assert len(engine) == len(there)
    for event in EVENTS:
        assert engine.match(event) == {each for each in there if ANY[each % len(ANY)].matches(event)}
    engine.check_invariants()
