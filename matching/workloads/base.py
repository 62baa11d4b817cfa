"""What a workload is: a schema, subscriptions as columns, and two separate streams of events.

All data follow from the seed. Each stream has a generator of its own, derived from the seed and the stream's
number, so asking for more subscriptions changes no event, and the same call always gives the same data.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np

from matching.algorithms.columns import SubscriptionColumns
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

EVENT = "event"
"""The event type of the workloads that have only one."""


class Stream(IntEnum):
    """What random numbers are drawn for. SETTING is what subscriptions and events share, such as a tree."""

    SETTING = 0
    SUBSCRIPTIONS = 1
    EVENTS = 2
    TRAINING = 3


@dataclass(frozen=True, kw_only=True)
class Workload(ABC):
    """A workload with its parameters, which are the fields. Not slotted: what is made once is kept in it."""

    seed: int = 0

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The schema of the events."""

    @abstractmethod
    def subscriptions(self, count: int) -> SubscriptionColumns:
        """So many subscriptions with the ids 0, 1, ..., in the core's normal form. O(count), vectorised."""

    @abstractmethod
    def _documents(self, random: np.random.Generator, count: int) -> Iterable[dict[str, Any]]:
        """So many events as publishers would send them."""

    def events(self, count: int) -> list[Event]:
        """So many validated events: those to match, and to time."""
        return self._validated(Stream.EVENTS, count)

    def training_events(self, count: int) -> list[Event]:
        """So many validated events of the same kind from another stream: those to learn frequencies on."""
        return self._validated(Stream.TRAINING, count)

    def parameters(self) -> dict[str, Any]:
        """The parameters without the seed, for reports."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "seed"}

    def _validated(self, stream: Stream, count: int) -> list[Event]:
        return [self.schema.validate(document) for document in self._documents(self._random(stream), count)]

    def _random(self, stream: Stream) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(stream,)))


def one_event_type(domains: dict[str, Any], attributes: dict[str, str], *, mandatory: bool = False) -> Schema:
    """A schema with the event type `event` that has all these attributes, each with one value."""
    marks = ["mandatory" if mandatory else "optional", "unique"]
    event_types = {EVENT: dict.fromkeys(attributes, marks)}
    return Schema.from_dict({"domains": domains, "attributes": attributes, "event_types": event_types})


def numbered(prefix: str, count: int, *, first: int = 1) -> tuple[str, ...]:
    """Names with numbers of equal width, so that they are in ascending order."""
    width = len(str(first + count - 1))
    return tuple(f"{prefix}{number:0{width}}" for number in range(first, first + count))


def require(condition: bool, message: str) -> None:
    """Refuse a parameter."""
    if not condition:
        raise ValueError(message)
