"""The engine in each of its states: all of it fresh, all of it in one segment, all of it from a snapshot."""

import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from matching.algorithms.base import Ids, Matcher
from matching.algorithms.columns import Matchable, SubscriptionColumns
from matching.engine.engine import Engine
from schema_registry.core.events import Event
from schema_registry.core.predicates import Conjunction
from schema_registry.core.schema import Schema


@dataclass(frozen=True, slots=True)
class Stored:
    """A subscription as columns had it."""

    conjunctions: tuple[Conjunction, ...]
    schema: Schema


class OneByOne(Engine):
    """Everything comes singly and nothing is merged."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema, merging="when asked")

    def load(self, columns: SubscriptionColumns) -> None:
        for row, number in enumerate(columns.ids.tolist()):
            self.add(number, Stored(tuple(columns.conjunctions_of(row)), self.schema))


class Rearranged(Matcher):
    """An engine that is rearranged before every match that follows a change."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self.engine = Engine(schema, merging="when asked")
        self.operators = self.engine.operators
        self._is_changed = False

    def rearrange(self) -> None:
        raise NotImplementedError

    def follow(self, schema: Schema) -> None:
        self.engine.follow(schema)

    def _size(self) -> int:
        return self.engine._size()

    def _holds(self, number: int) -> bool:
        return self.engine._holds(number)

    def _add(self, number: int, subscription: Matchable) -> None:
        self._is_changed = True
        self.engine._add(number, subscription)

    def _remove(self, number: int) -> None:
        self._is_changed = True
        self.engine._remove(number)

    def _load(self, columns: SubscriptionColumns) -> None:
        self._is_changed = True
        self.engine._load(columns)

    def _match_ids(self, event: Event) -> Ids:
        return self.engine._match_ids(event)

    def _match_ids_many(self, events: Iterable[Event]) -> tuple[Ids, Ids]:
        return self.engine._match_ids_many(events)

    def match_ids(self, event: Event) -> Ids:
        self._settle()
        return super().match_ids(event)

    def match_ids_many(self, events: Iterable[Event]) -> tuple[Ids, Ids]:
        self._settle()
        return super().match_ids_many(events)

    def check_invariants(self) -> None:
        self.engine.check_invariants()

    def _settle(self) -> None:
        if self._is_changed:
            self.rearrange()
            self._is_changed = False


class Merged(Rearranged):
    def rearrange(self) -> None:
        self.engine.merge()


class Reopened(Rearranged):
    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._directory = Path(tempfile.mkdtemp(prefix="snapshot-"))
        weakref.finalize(self, shutil.rmtree, self._directory)

    def rearrange(self) -> None:
        evaluator = self.engine.operators.evaluator
        self.engine.save(self._directory)
        self.engine = Engine.open(self._directory, merging="when asked")
        self.operators = self.engine.operators
        self.operators.evaluator = evaluator
