"""A random life of an engine: it is told and asked everything there is, and the oracle checks each answer.

A seed names a life. Subscriptions and events come from a random world whose schema grows in the middle of it,
so old and new versions meet. Going back to a snapshot goes back to what was held when it was taken.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from matching.algorithms.columns import SubscriptionColumns
from matching.engine.engine import Engine, Merging
from schema_registry.core.errors import SchemaConflict, SubscriptionError
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse
from tests.unit.schema_registry.strategies import STEPS, random_document, random_schema, random_text

MOST_IDS = 400
FIRST_SUBSCRIPTIONS, FIRST_EVENTS = 60, 15
MERGING: tuple[Merging, ...] = ("beside", "at once", "when asked")


class DifferenceError(AssertionError):
    """The engine said something else than the oracle."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What was held when a snapshot was taken, by numbers of the life's subscriptions."""

    directory: Path
    held: dict[int, int]
    moment: int


class Life:
    """`held` has for each id the number of its subscription; `answers` counts what was compared."""

    def __init__(self, seed: int, directory: Path) -> None:
        self.seed = seed
        self.answers = 0
        self._rng = random.Random(seed)
        self._directory = directory
        self._schema = Schema.from_dict(random_schema(self._rng))
        self._subscriptions: list[Subscription] = []
        self._events: list[Event] = []
        self._truth: dict[tuple[int, int], bool] = {}
        self._held: dict[int, int] = {}
        self._saved: Saved | None = None
        self._moment = 0
        self._engine = Engine(self._schema, merging=self._rng.choice(MERGING))
        for _ in range(FIRST_SUBSCRIPTIONS):
            self._write_subscription()
        for _ in range(FIRST_EVENTS):
            self._write_event()

    def step(self) -> None:
        """Do one thing. Raises DifferenceError."""
        self._moment += 1
        actions: dict[Callable[[], None], int] = {
            self._match: 40,
            self._match_many: 15,
            self._add: 30,
            self._remove: 14,
            self._load: 4,
            self._merge: 3,
            self._save: 2,
            self._reopen: 2,
            self._go_back: 1,
            self._grow: 2,
            self._write_event: 3,
            self._write_subscription: 5,
        }
        action = self._rng.choices(list(actions), list(actions.values()))[0]
        action()
        if len(self._engine) != len(self._held):
            counts = f"it has {len(self._engine)} subscriptions, not {len(self._held)}"
            raise DifferenceError(f"{self._where()}, after {action.__name__}: {counts}")

    def check_invariants(self) -> None:
        self._engine.check_invariants()

    def _match(self) -> None:
        at = self._rng.randrange(len(self._events))
        self._compare(at, self._engine.match_ids(self._events[at]).tolist())

    def _match_many(self) -> None:
        chosen = self._rng.choices(range(len(self._events)), k=self._rng.randint(0, 12))
        offsets, ids = self._engine.match_ids_many([self._events[at] for at in chosen])
        for place, at in enumerate(chosen):
            self._compare(at, ids[offsets[place] : offsets[place + 1]].tolist())

    def _add(self) -> None:
        number, at = self._rng.randrange(MOST_IDS), self._any_subscription()
        self._engine.add(number, self._subscriptions[at])
        self._held[number] = at

    def _remove(self) -> None:
        if not self._held:
            return
        number = self._rng.choice(list(self._held))
        self._engine.remove(number)
        del self._held[number]

    def _load(self) -> None:
        wanted = self._rng.sample(range(MOST_IDS), self._rng.randint(0, 60))
        chosen = {number: self._any_subscription() for number in wanted}
        rows = [(number, self._subscriptions[at]) for number, at in chosen.items()]
        for _, subscription in rows:
            self._engine.follow(subscription.schema)
        self._engine.load(SubscriptionColumns.of(rows))
        self._held |= chosen

    def _merge(self) -> None:
        self._engine.merge()

    def _save(self) -> None:
        self._engine.save(self._directory, moment=self._moment)
        self._saved = Saved(self._directory, dict(self._held), self._moment)

    def _reopen(self) -> None:
        self._save()
        self._go_back()

    def _go_back(self) -> None:
        if self._saved is None:
            return
        self._engine = Engine.open(self._saved.directory, merging=self._rng.choice(MERGING))
        if self._engine.facts != {"moment": self._saved.moment}:
            raise DifferenceError(f"{self._where()}: it was saved with other facts than {self._engine.facts}")
        self._held = dict(self._saved.held)

    def _grow(self) -> None:
        try:
            self._schema = self._rng.choice(STEPS)(self._schema, self._rng, f"new{self._moment}")
        except SchemaConflict:
            return  # the next version would be none
        if self._rng.random() < 0.3:
            self._engine.follow(self._schema)
        for _ in range(3):
            self._write_event()
            self._write_subscription()

    def _write_event(self) -> None:
        self._events.append(self._schema.validate(random_document(self._rng, self._schema)))

    def _write_subscription(self) -> None:
        try:
            self._subscriptions.append(parse(random_text(self._rng, self._schema), self._schema))
        except SubscriptionError:
            return  # it can never match

    def _any_subscription(self) -> int:
        """Some come often, so that many ids share them."""
        often = self._rng.random() < 0.3
        return self._rng.randrange(5 if often else len(self._subscriptions))

    def _compare(self, at: int, answer: list[int]) -> None:
        self.answers += 1
        expected = {number for number, which in self._held.items() if self._is_true(which, at)}
        if set(answer) == expected and len(answer) == len(expected):
            return
        wrong = sorted(set(answer) ^ expected) or sorted({each for each in answer if answer.count(each) > 1})
        said = "lacked" if wrong[0] in expected - set(answer) else "had once too often"
        which = self._held.get(wrong[0])
        text = "which is not held" if which is None else repr(self._subscriptions[which].text)
        event = self._events[at]
        raise DifferenceError(
            f"{self._where()}: the answer {said} {wrong[0]} ({text}, {len(wrong)} in all) "
            f"for {event.to_dict()} of version {event.schema.version}"
        )

    def _is_true(self, which: int, at: int) -> bool:
        key = which, at
        if key not in self._truth:
            self._truth[key] = self._subscriptions[which].matches(self._events[at])
        return self._truth[key]

    def _where(self) -> str:
        return f"seed {self.seed}, step {self._moment}"
