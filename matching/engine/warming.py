"""Having the kernels ready before the first event comes: from the cache, or compiled, which takes long."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from numba.core.event import Listener, install_listener

from matching.algorithms.columns import SubscriptionColumns
from matching.engine import kernel_cache
from matching.engine.batches import starts_of
from matching.engine.engine import Engine
from schema_registry.core.events import Event
from schema_registry.core.predicates import Conjunction, Predicate
from schema_registry.core.schema import Schema

_SCHEMA = {
    "domains": {"money": {"kind": "numeric"}, "name": {"kind": "string"}},
    "attributes": {"maker": "name", "price": "money"},
}
# Which kernels there are depends on the kinds of predicates only: a few subscriptions go through all of them.
_PREDICATES = (
    Predicate("maker", "=", ("x",)),
    Predicate("maker", "in", ("x", "y")),
    Predicate("price", "=", (1,)),
    Predicate("price", "<=", (1,)),
    Predicate("price", "between", (0, 1), negated=True),
)


@dataclass(frozen=True, slots=True)
class _Subscription:
    conjunctions: tuple[Conjunction, ...]
    schema: Schema


def warm(*, on_compiling: Callable[[], object]) -> None:
    """Go once through everything that is compiled; `on_compiling` is called if that is not in the cache.

    Processes that begin together, as workers of several shards do, compile it once for all of them.
    """
    schema = Schema.from_dict(_SCHEMA)
    subscriptions = [
        (number, _Subscription((Conjunction.of([predicate]),), schema))
        for number, predicate in enumerate(_PREDICATES)
    ]
    events = [Event({"maker": ("x",), "price": (1,)}, {}, schema)] * 2
    with kernel_cache.compiled_once(), telling_of_compiling(on_compiling):
        engine = Engine(schema, merging="when asked")
        engine.load(SubscriptionColumns.of(subscriptions))
        for number, subscription in subscriptions:
            engine.add(len(subscriptions) + number, subscription)
        engine.match_many(events)
        engine.merge()
        engine.match(events[0])
        starts_of(engine.coded(events))


@contextmanager
def telling_of_compiling(on_compiling: Callable[[], object]) -> Iterator[None]:
    """Call this once if anything is compiled meanwhile; what is read from the cache does not count."""
    with install_listener("numba:compile", _Once(on_compiling)):
        yield


class _Once(Listener):  # type: ignore[no-any-unimported, unused-ignore]  # Numba has no stubs
    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._was_called = False

    def on_start(self, event: Any) -> None:
        if not self._was_called:
            self._was_called = True
            self._call()

    def on_end(self, event: Any) -> None:
        """Nobody asks when it is done."""
