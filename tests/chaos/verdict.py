"""The comparison of what was recorded with what the oracle expects: pure, so that it is tested itself."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf

from schema_registry.core.schema import Schema
from tests.chaos.history import History
from tests.chaos.oracle import Duty, Oracle

LONGEST_LIST = 20


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    number: int
    external_id: str
    state: str
    match_count: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the database says at the end. `matches` are (event, subscription), as often as there are rows."""

    events: tuple[RecordedEvent, ...]
    matches: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Fault:
    kind: str
    sentence: str
    event: int | None = None  # whose it is, if it is an event's


class Judged:
    """A verdict has faults, or is good."""

    __slots__ = ()
    faults: tuple[Fault, ...]

    @property
    def is_good(self) -> bool:
        return not self.faults

    @property
    def words(self) -> str:
        """In a few words: that all is well, or how many faults there are of each kind."""
        if self.is_good:
            return "nothing lost, nothing doubled"
        kinds = Counter(fault.kind for fault in self.faults)
        return ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))

    def report(self) -> Iterator[str]:
        """The first faults, a line each."""
        yield from (f"{fault.kind}: {fault.sentence}" for fault in self.faults[:LONGEST_LIST])
        if len(self.faults) > LONGEST_LIST:
            yield f"... and {len(self.faults) - LONGEST_LIST:,} more"


@dataclass(frozen=True, slots=True)
class Verdict(Judged):
    events: int
    matches: int
    duties: Mapping[str, int]
    sharp: int
    faults: tuple[Fault, ...]


def judge(
    schema: Schema,
    history: History,
    recorded: Recorded,
    *,
    seen_matched: Mapping[int, float],
    noticed: Iterable[Fault] = (),
) -> Verdict:
    """`seen_matched`: when each event was first seen to be matched; `noticed`: faults from elsewhere."""
    oracle = Oracle(schema, history.changes)
    rows = Counter(recorded.matches)
    matched: dict[int, set[int]] = {publication.event: set() for publication in history.publications}
    for event, subscription in rows:
        matched.setdefault(event, set()).add(subscription)
    faults = [*noticed, *_doubled(history, recorded, rows), *_unfinished(history, recorded, rows)]
    duties: Counter[str] = Counter()
    sharp = 0
    for publication in history.publications:
        found = matched[publication.event]
        allowed: set[int] = set()
        name = f"event {publication.event} ({publication.external_id})"
        matched_by = seen_matched.get(publication.event, inf)
        for decision in oracle.decisions(publication, matched_by=matched_by):
            duties[decision.duty.value] += 1
            sharp += decision.is_sharp
            if decision.duty is not Duty.MUST_NOT:
                allowed.add(decision.subscription)
            if decision.duty is Duty.MUST and decision.subscription not in found:
                said = f"{name} x {decision.subscription} must match and has no row."
                faults.append(Fault("lost", said, publication.event))
        for subscription in sorted(found - allowed):
            said = f"{name} x {subscription} must not match and has a row."
            faults.append(Fault("wrong", said, publication.event))
    return Verdict(
        events=len(history.publications),
        matches=len(recorded.matches),
        duties={duty.value: duties[duty.value] for duty in Duty},
        sharp=sharp,
        faults=tuple(faults),
    )


def _doubled(history: History, recorded: Recorded, rows: Counter[tuple[int, int]]) -> Iterator[Fault]:
    for (event, subscription), count in rows.items():
        if count > 1:
            yield Fault("doubled", f"event {event} x {subscription} has {count} rows.", event)
    names = Counter(event.external_id for event in recorded.events)
    for name, event in {each.external_id: each.event for each in history.publications}.items():
        if (count := names[name]) > 1:
            yield Fault("doubled", f"{name} is {count} events.", event)


def _unfinished(history: History, recorded: Recorded, rows: Counter[tuple[int, int]]) -> Iterator[Fault]:
    """Acknowledged events that are gone, do not end matched, or count their matches wrongly."""
    events = {event.number: event for event in recorded.events}
    counts = Counter(event for event, _ in rows.elements())
    for publication in history.publications:
        name = f"event {publication.event} ({publication.external_id})"
        event = events.get(publication.event)
        if event is None or event.external_id != publication.external_id:
            yield Fault("lost", f"{name} was acknowledged and is not there.", publication.event)
        elif event.state != "matched":
            reason = f": {event.reason}" if event.reason else "."
            yield Fault("unfinished", f"{name} is {event.state}{reason}", event.number)
        elif event.match_count != counts[event.number]:
            said = f"{name} says {event.match_count} and has {counts[event.number]}."
            yield Fault("miscounted", said, event.number)
