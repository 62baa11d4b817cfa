"""What each kind of fault cost: events lost, doubled and late, the longest wait, the longest pause after it.

An event is charged to the first fault that struck while it was on its way, else to the last one before it.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from tests.chaos.history import Publication
from tests.chaos.strikes import Strike
from tests.chaos.verdict import Fault

SECONDS_TO_RESUME = 60.0
NOTHING = "no fault"


@dataclass(frozen=True, slots=True)
class Toll:
    """`late` are events that waited for longer than a minute. `resumption` is how long it took, at most, from
    the end of such a fault until an event that was sent after it was seen to be matched, `telling` until a
    message about one had arrived."""

    strikes: int = 0
    lost: int = 0
    doubled: int = 0
    late: int = 0
    longest_wait: float = 0.0
    longest_resumption: float = 0.0
    longest_telling: float = 0.0


class Causes:
    """Of the events that were acknowledged, when each was seen to be matched, and when somebody was told."""

    def __init__(
        self,
        strikes: Iterable[Strike],
        publications: Iterable[Publication],
        seen: Mapping[int, float],
        told: Mapping[int, float],
    ) -> None:
        self._strikes = sorted(strikes, key=lambda strike: strike.ended)
        self._ends = [strike.ended for strike in self._strikes]
        self._publications = {each.event: each for each in publications}
        self._seen = seen
        self._told = told

    def of(self, event: int | None) -> str:
        """The name of the fault that an event is charged to."""
        publication = self._publications.get(event) if event is not None else None
        if publication is None or not self._strikes:
            return NOTHING
        place = bisect_left(self._ends, publication.began)
        is_during = place < len(self._strikes) and self._strikes[place].began < self._seen.get(
            publication.event, inf
        )
        if not is_during:
            place -= 1
        return self._strikes[place].name if place >= 0 else NOTHING

    def resumptions(self) -> list[tuple[Strike, float]]:
        """After each strike, but those that nothing was sent after."""
        return self._first_after(
            (each.began, self._seen.get(each.event, inf)) for each in self._publications.values()
        )

    def tellings(self) -> list[tuple[Strike, float]]:
        """The same, until somebody was told. Of what nobody was told at all others judge."""
        return self._first_after(
            (each.began, self._told[each.event])
            for each in self._publications.values()
            if each.event in self._told
        )

    def _first_after(self, spans: Iterable[tuple[float, float]]) -> list[tuple[Strike, float]]:
        """How long after each strike the first of those ended that began after it."""
        by_time = sorted(spans)
        began = [moment for moment, _ in by_time]
        first_end = [end for _, end in by_time]
        for place in reversed(range(len(first_end) - 1)):
            first_end[place] = min(first_end[place], first_end[place + 1])
        found = []
        for strike in self._strikes:
            place = bisect_left(began, strike.ended)
            if place < len(began):
                found.append((strike, first_end[place] - strike.ended))
        return found

    def late(self, *, after: float = SECONDS_TO_RESUME) -> list[Fault]:
        """Resumptions that took too long."""
        return [
            Fault("late", f"after a strike at {strike.name} {what} for {seconds:.1f} s.")
            for what, pauses in (
                ("nothing was matched", self.resumptions()),
                ("nobody was told anything", self.tellings()),
            )
            for strike, seconds in pauses
            if seconds > after
        ]

    def tolls(self, faults: Sequence[Fault]) -> dict[str, Toll]:
        """By kind of fault."""
        strikes = Counter(strike.name for strike in self._strikes)
        charged: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for fault in faults:
            if fault.kind in ("lost", "doubled"):
                charged[self.of(fault.event)][fault.kind] += 1
        waits: defaultdict[str, float] = defaultdict(float)
        for publication in self._publications.values():
            name = self.of(publication.event)
            wait = self._seen.get(publication.event, inf) - publication.ended
            waits[name] = max(waits[name], wait)
            charged[name]["late"] += wait > SECONDS_TO_RESUME
        matched, told = _longest(self.resumptions()), _longest(self.tellings())
        return {
            name: Toll(
                strikes[name],
                charged[name]["lost"],
                charged[name]["doubled"],
                charged[name]["late"],
                waits[name],
                matched[name],
                told[name],
            )
            for name in sorted(strikes.keys() | charged.keys())
        }


def _longest(pauses: Iterable[tuple[Strike, float]]) -> defaultdict[str, float]:
    """By kind of fault."""
    found: defaultdict[str, float] = defaultdict(float)
    for strike, seconds in pauses:
        found[strike.name] = max(found[strike.name], seconds)
    return found
