"""What the service must do, in a hundred lines: no tables, no leases, no workers. Pure.

A search is a few versions one after another, of which the last counts; an event may be matched by any version
that its search had between its acceptance and its matching (SEMANTICS, section 5). `Subscription.matches`
decides the rest.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from schema_registry.core.events import Event
from schema_registry.language import Subscription

MATCHED = ("active", "muted")


@dataclass(frozen=True, slots=True)
class Version:
    """A search as it is for a while."""

    parsed: Subscription
    state: str
    expires_at: datetime | None

    def is_over(self, moment: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= moment

    def holds(self, item: "Item") -> bool:
        is_alive = self.state in MATCHED and not self.is_over(item.accepted_at)
        return is_alive and self.parsed.matches(item.event)


@dataclass(slots=True)
class Item:
    """An event that was acknowledged, and what each search may have been when it was matched."""

    name: str
    revision: int
    body: str
    event: Event
    accepted_at: datetime
    possible: dict[int, list[Version | None]]
    state: str = "accepted"
    deaths: int = 0  # of workers that may have had it
    since: dict[int, set[str]] = field(default_factory=dict)  # states of each search since it was matched

    def must(self) -> set[int]:
        return {number for number, seen in self.possible.items() if all(v and v.holds(self) for v in seen)}

    def may(self) -> set[int]:
        return {number for number, seen in self.possible.items() if any(v and v.holds(self) for v in seen)}

    def may_be_silent(self, search: int) -> bool:
        return self.since[search] != {"active"}


class Refused(Exception):  # noqa: N818 - named for what happened
    """It stands for another body."""


class Model:
    def __init__(self) -> None:
        self.searches: dict[int, Version] = {}
        self.owners: dict[int, int] = {}
        self.items: dict[int, Item] = {}
        self.keys: dict[str, int] = {}

    def revision(self, name: str, body: str, *, revision: int | None, key: str | None) -> tuple[int, int]:
        """Which one this is, and its number, 0 if it is new. Raises Refused."""
        if key in self.keys:
            number = self.keys[key]
            used = self.items[number]
            if (used.name, used.body) != (name, body) or revision not in (None, used.revision):
                raise Refused
            return used.revision, number
        known = {item.revision: number for number, item in self.items.items() if item.name == name}
        newest = max(known, default=0)
        if revision is None:
            revision = newest if newest and self.items[known[newest]].body == body else newest + 1
        if revision in known and self.items[known[revision]].body != body:
            raise Refused
        return revision, known.get(revision, 0)

    def accepted(self, number: int, item: Item) -> None:
        item.possible = {each: [version] for each, version in self.searches.items()}
        self.items[number] = item

    def subscribed(self, number: int, owner: int, version: Version) -> None:
        self.owners[number] = owner
        self._becomes(number, version)

    def changed(self, number: int, **changes: Any) -> None:
        self._becomes(number, replace(self.searches[number], **changes))

    def renewed(self, number: int, *, now: datetime, expires_at: datetime | None) -> None:
        """One whose time was over is active again, whatever it was."""
        is_over = self.searches[number].is_over(now)
        state = "active" if is_over else self.searches[number].state
        version = replace(self.searches[number], state=state, expires_at=expires_at)
        self._becomes(number, version, *(["expired"] if is_over else []))

    def tried_again(self, number: int, *, now: datetime) -> None:
        """A parked one: what has expired and was let go meanwhile is not made up for."""
        item = self.items[number]
        item.state, item.deaths = "accepted", 0
        for each, version in self.searches.items():
            seen = item.possible.setdefault(each, [None])
            seen += [version, *([None] if version.is_over(now - timedelta(minutes=10)) else [])]

    def _becomes(self, number: int, version: Version, *meanwhile: str) -> None:
        self.searches[number] = version
        for item in self.items.values():
            item.since.setdefault(number, set()).update([*meanwhile, version.state])
            if item.state == "accepted":
                item.possible.setdefault(number, [None]).append(version)
