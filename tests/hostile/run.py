"""One round after another of what schemathesis can do, each with a seed of its own, until enough was sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import requests
import schemathesis
from schemathesis.engine import events, from_schema
from schemathesis.specs.openapi.schemas import OpenApiSchema

from tests.hostile.sending import teach
from tests.hostile.stage import Keys
from tests.hostile.tally import OTHERS, SERVER_ERROR, UNDOCUMENTED, Tally

Load = Callable[[schemathesis.Config], OpenApiSchema]
STREAM = "/api/v1/feed/stream"
READ_STREAM = f"GET {STREAM}"
_REQUESTS_BETWEEN_WORDS = 1_000
_SEEDS_APART = 1_000  # so that rounds of neighbouring seeds are not the same ones


@dataclass(frozen=True, slots=True)
class Plan:
    seed: int
    requests: int
    """At least so many; a round that has begun is finished."""

    examples: int = 50
    """Of each operation in a round, and sequences of operations as well."""

    steps: int = 8
    """Of such a sequence."""

    phases: Sequence[str] = ("examples", "coverage", "fuzzing", "stateful")
    has_worker: bool = True


def run(plan: Plan, load: Load, keys: Keys, *, tell: Callable[[Tally], None]) -> Tally:
    """Send, and tell how far it is, at the end and now and then. Stops where schemathesis cannot go on."""
    tally, number = Tally(asked=plan.requests, left_early=frozenset({READ_STREAM})), 0
    while tally.requests < plan.requests and not tally.broken:
        seed = plan.seed * _SEEDS_APART + number
        # What it enumerates would be the same in every round.
        phases = (
            plan.phases if number == 0 else [name for name in plan.phases if name in ("fuzzing", "stateful")]
        )
        schema = load(_config(plan, seed, phases))
        teach(schema, keys, seed=seed, has_worker=plan.has_worker)
        _round(schema, tally, tell)
        number += 1
    tally.is_finished = True
    tell(tally)
    return tally


def _round(schema: OpenApiSchema, tally: Tally, tell: Callable[[Tally], None]) -> None:
    told = tally.requests
    for event in from_schema(schema).execute():
        match event:
            case events.ScenarioFinished():
                tally.add(event.phase.value, event.recorder)
                if tally.requests - told >= _REQUESTS_BETWEEN_WORDS:
                    told = tally.requests
                    tell(tally)
            case events.NonFatalError() if not _is_left_early(event):
                tally.broken.append(f"{event.label}: {event.info.title}: {event.info.message}")
            case events.FatalError():
                raise event.exception


def _is_left_early(event: events.NonFatalError) -> bool:
    """The live stream has half a second; on a busy machine it may not have begun by then."""
    return event.label == READ_STREAM and isinstance(event.value, requests.Timeout)


def _config(plan: Plan, seed: int, phases: Sequence[str]) -> schemathesis.Config:
    checked = (SERVER_ERROR, *UNDOCUMENTED, *OTHERS)
    document: dict[str, Any] = {
        "seed": seed,
        "continue-on-failure": True,
        "request-timeout": 120,  # the machine may have other work
        "generation": {
            "max-examples": plan.examples,
            "with-security-parameters": False,  # we choose the keys
            "database": "none",
            "no-shrink": True,
        },
        "checks": {"enabled": False, **{name: {"enabled": True} for name in checked}},
        "phases": {
            **{name: {"enabled": name in phases} for name in ("examples", "coverage", "fuzzing")},
            "stateful": {"enabled": "stateful" in phases, "max-steps": plan.steps},
        },
        # It has no end of its own.
        "operations": [{"include-path": STREAM, "request-timeout": 0.5, "max-stream-events": 1}],
    }
    return schemathesis.Config.from_dict(document)
