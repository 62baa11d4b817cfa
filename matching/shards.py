"""Subscriptions split into shards, each with matchers of its own, while every event goes to all. Pure.

Which shard a subscription belongs to follows from its number alone, so nobody has to note or look up where it
is. Work and snapshots say of how many shards theirs is one: another number of shards is another split, and
what was made for one is of no use in the other.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

MOST = 64


@dataclass(frozen=True, slots=True)
class Shard:
    """The subscriptions whose number leaves `number` when divided by `of`."""

    number: int = 0
    of: int = 1

    @property
    def is_whole(self) -> bool:
        return self.of == 1

    @property
    def queue(self) -> str:
        """Where its workers hear of work."""
        return "match" if self.is_whole else f"match-{self.number}"

    def holds(self, subscription: int) -> bool:
        return subscription % self.of == self.number

    def folder_in(self, snapshots: Path) -> Path:
        """Where its snapshots are kept."""
        return snapshots if self.is_whole else snapshots / f"shard-{self.number}"

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"


WHOLE = Shard()


@cache
def split(count: int) -> tuple[Shard, ...]:
    """All subscriptions in so many shards."""
    return tuple(Shard(number, count) for number in range(count))


def of_queue(queue: str, count: int) -> Shard | None:
    """The shard whose workers take from this queue, of so many; None if it is a queue for something else."""
    return next((shard for shard in split(count) if shard.queue == queue), None)
