"""How things stand at a moment, as values. Pure."""

from dataclasses import dataclass
from datetime import datetime

from schema_registry.core.numbers import grouped


@dataclass(frozen=True, slots=True)
class Count:
    """Counted only so far; `is_more` says that there are more than `number`."""

    number: int = 0
    is_more: bool = False

    @classmethod
    def up_to(cls, most: int, found: int) -> "Count":
        """`found` were looked for up to one more than `most`."""
        return cls(min(found, most), found > most)

    def __bool__(self) -> bool:
        return self.number > 0

    def __str__(self) -> str:
        return grouped(self.number) + "+" if self.is_more else grouped(self.number)


@dataclass(frozen=True, slots=True)
class Queue:
    """So many of something wait, the first of them since then."""

    count: Count = Count()
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Worker:
    """`answered_at` is when one that takes from this queue last did a probe; None if none is known."""

    queue: str
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Failing:
    """Channels of a kind at which nothing arrives; or that were switched off for it."""

    kind: str
    is_off: bool
    queue: Queue


@dataclass(frozen=True, slots=True)
class Halt:
    since: datetime | None
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Night:
    """The last night of a site that failed, or was out of the usual range."""

    name: str
    has_failed: bool
    said: str
    since: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """How an operator has done in a worker since that began; `since` is when it began to fail.

    `failures` are those since then; it is left alone until `disabled_until`.
    """

    name: str
    evaluations: int
    skipped: int
    mean_seconds: float | None
    failures: int = 0
    since: datetime | None = None
    disabled_until: datetime | None = None
    error: str = ""

    @property
    def milliseconds(self) -> float | None:
        """What one evaluation takes; None while none has succeeded."""
        return None if self.mean_seconds is None else 1_000 * self.mean_seconds


@dataclass(frozen=True, slots=True)
class Disk:
    free: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    waiting: Queue
    """Events that wait to be matched."""
    is_shedding: bool
    """So many wait that publishers are asked to come again later."""
    planning: Queue
    """Matched events of which nobody was told yet."""
    due: Queue
    """Deliveries that could be sent now, and since when the first could."""
    deliveries: Count
    """All that wait, be it for a later hour or for a channel that is off."""
    workers: tuple[Worker, ...]
    parked: Queue
    failing: tuple[Failing, ...]
    given_up: Queue
    """Deliveries of the last day."""
    halt: Halt | None
    nights: tuple[Night, ...]
    redis_problem: str
    """Empty if it answers."""
    disk: Disk
    changes_behind: int
    """That the matcher furthest behind did not know when it last told."""
    sampled_at: datetime | None
    operators: tuple[Operator, ...] = ()
    """Those that searches call, by name."""
    left_out: tuple[str, ...] = ()
    """Why operators that are installed cannot be used, in sentences."""
