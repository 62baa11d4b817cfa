"""Planning deliveries for what was matched: take announcements under a lease, decide, write, let them go.

Many small events are planned together, a big one in parts, owner by owner. They take turns, so that neither
makes the other wait. Everything may be done twice, by planners at the same time or one after another: keys
make it one delivery for each event and channel, and one entry for each match and channel. What may be told
only since it was planned first joins the delivery that there is.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from django.utils import timezone

from matching import announcements, failpoints
from matching.announcements import Taken
from notifications import candidates, metrics
from notifications.core.planning import Candidate, Telling, portions, tellings
from notifications.plan_rows import write
from notifications.told import told_before

MATCHES_AT_ONCE = 2_000  # an event with more of them is a big one
ROWS_IN_A_TURN = 4_000
_EVENTS_AT_ONCE = 500
_CANDIDATES_AT_ONCE = 10_000  # of a big event; finding some of them costs nearly as much as finding all

Clock = Callable[[], datetime]


def plan(*, seconds: float = float("inf"), clock: Clock = timezone.now) -> int:
    """Plan until nothing waits, or for about so many seconds; how many deliveries were planned."""
    deadline = time.monotonic() + seconds
    planned = 0
    while time.monotonic() < deadline:
        small = _take_small()
        planned += _plan_small(small, clock)
        big = announcements.take_big(above=MATCHES_AT_ONCE)
        if big is not None:
            planned += _plan_part(big, clock)
        elif not small:
            break
    return planned


def is_anything_waiting() -> bool:
    return announcements.is_any_free()


def _take_small() -> list[Taken]:
    return announcements.take_small(most_events=_EVENTS_AT_ONCE, most_matches=MATCHES_AT_ONCE)


def _plan_small(taken: Sequence[Taken], clock: Clock) -> int:
    if not taken:
        return 0
    failpoints.reached("plan.leased")
    now = clock()
    found = candidates.of_events([each.event for each in taken])
    wanted = _tellings(found.candidates, taken, now)
    planned = write(wanted, now=now, late=found.late, then=lambda: announcements.finish(taken))
    _measure(taken, clock())
    return planned


def _plan_part(big: Taken, clock: Clock) -> int:
    """The next owners of a big event, in several turns; between two of them small ones have theirs."""
    failpoints.reached("plan-part.leased")
    part = candidates.part_of(big.event, after=big.told_up_to, most=_CANDIDATES_AT_ONCE)
    *turns, last = list(portions(_tellings(part.candidates, [big], clock()), rows=ROWS_IN_A_TURN)) or [[]]
    planned, late = 0, part.late
    for turn in turns:
        planned += write(turn, now=clock(), late=late)
        late = []
        planned += _plan_small(_take_small(), clock)
    up_to = part.up_to
    if up_to is not None:
        go_on = partial(announcements.advance, big, told_up_to=up_to)
        return planned + write(last, now=clock(), late=late, then=go_on)
    planned += write(last, now=clock(), late=late, then=lambda: announcements.finish([big]))
    _measure([big], clock())
    return planned


def _tellings(found: Sequence[Candidate], taken: Sequence[Taken], now: datetime) -> list[Telling]:
    with_candidates = {candidate.event for candidate in found}
    changed = [each.event for each in taken if each.revision > 1 and each.event in with_candidates]
    return tellings(found, now=now, told=told_before(changed))


def _measure(taken: Sequence[Taken], now: datetime) -> None:
    for each in taken:
        metrics.PLAN_LATENCY.observe((now - each.accepted_at).total_seconds())
