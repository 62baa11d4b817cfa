"""Random worlds whose subscriptions also call operators; an answer is a hash of what is given."""

import random
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.operators import Argument, OperatorDeclaration
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse
from tests.contract.cases import EVENTS_OF_A_CASE, SUBSCRIPTIONS_OF_A_CASE, Case
from tests.unit.schema_registry.strategies import random_world

GIVEN, KEY = Argument("given", "any"), Argument("key", "number")
X, Y = Argument("x", "number", is_result=True), Argument("y", "number", is_result=True)


def chance(*arguments: Any) -> random.Random:
    return random.Random(zlib.crc32(repr(arguments).encode()))


def often(given: Any, key: float) -> bool:
    return chance("often", given, key).random() < 0.6


def one(given: Any, key: float) -> list[tuple[int]]:
    rng = chance("one", given, key)
    return [(rng.randrange(6),) for _ in range(rng.randrange(4))]


def two(given: Any, key: float) -> list[tuple[int, int]]:
    rng = chance("two", given, key)
    return [(rng.randrange(4), rng.randrange(4)) for _ in range(rng.randrange(6))]


def faulty(given: Any, key: float) -> Any:
    rng = chance("faulty", given, key)
    if rng.random() < 0.3:
        raise RuntimeError(rng.random())
    return "rubbish" if rng.random() < 0.3 else rng.random() < 0.5


OPERATORS: Mapping[str, OperatorDeclaration] = {
    function.__name__: OperatorDeclaration(
        function.__name__, (GIVEN, KEY, *results), function=function, isolated=False
    )
    for function, results in ((often, ()), (one, (X,)), (two, (X, Y)), (faulty, ()))
}


@lru_cache(maxsize=500)
def case_with_operators(seed: int) -> Case:
    rng = random.Random(seed)
    world = random_world(rng, EVENTS_OF_A_CASE, SUBSCRIPTIONS_OF_A_CASE)
    texts = [_with_calls(rng, text, world.schema) for text in world.texts]
    subscriptions = [each for text in texts if (each := _parsed(text, world.schema))]
    events = [world.schema.validate(document) for document in world.documents]
    matching = [
        frozenset(number for number, each in enumerate(subscriptions) if each.matches(event))
        for event in events
    ]
    return Case(world.schema, subscriptions, events, matching)


def _with_calls(rng: random.Random, text: str, schema: Schema) -> str:
    calls = " and ".join(_call(rng, schema) for _ in range(rng.randint(1, 3)))
    plain = text.strip()
    if plain.startswith("["):
        plain = plain[1:-1]
    return rng.choice((f"({plain}) and {calls}", f"({plain}) or {calls}", calls, plain))


def _call(rng: random.Random, schema: Schema) -> str:
    attribute, key = rng.choice(list(schema.domain_of)), rng.randrange(3)
    x, y = rng.choice("abc"), rng.choice("abc")
    return rng.choice(
        (
            f"often({attribute}, {key})",
            f"not often({attribute}, {key})",
            f"faulty({attribute}, {key})",
            f"not faulty({attribute}, {key})",
            f"one({attribute}, {key}, ?{x})",
            f"not one({attribute}, {key}, ?{x})",
            f"(one({attribute}, {key}, ?{x}) and ?{x} {rng.choice('<>')} {rng.randrange(5)})",
            f"(two({attribute}, {key}, ?{x}, ?{y}) and ?{y} >= 2*?{x} - 1)",
            f"two({attribute}, {key}, ?{x}, ?{y})",
        )
    )


def _parsed(text: str, schema: Schema) -> Subscription | None:
    try:
        return parse(text, schema, operators=OPERATORS)
    except SubscriptionError:
        return None  # it can never match
