"""One run: a fresh system under load and under attack, then quiet, then the verdict."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from random import Random

from tests.chaos import market
from tests.chaos.adversary import Adversary
from tests.chaos.client import NoAnswerError, Traffic, WrongAnswerError
from tests.chaos.history import History, Ledger
from tests.chaos.records import Records, Watch
from tests.chaos.stage import Stage
from tests.chaos.verdict import Fault, Verdict, judge
from tests.running_system import RunningSystem

SECONDS_TO_SETTLE = 60.0
SECONDS_BETWEEN_REPORTS = 5.0
LONGEST_RUN = 3_600.0
LONGEST_PAUSES = {"publisher": 0.04, "subscriber": 0.4, "adversary": 5.0}
PAUSE_AHEAD_OF_KILLS = 0.25


@dataclass(frozen=True, slots=True)
class Plan:
    """It goes on for so many seconds, and until there were so many events, kills and flushes."""

    seed: int
    seconds: float = 60.0
    events: int = 0
    kills: int = 0
    flushes: int = 0
    publishers: int = 2
    subscribers: int = 2
    shards: int = 1
    crowd: int = 600  # who all look for the same rare item, so that its matches need several transactions


@dataclass(frozen=True, slots=True)
class Outcome:
    database: str
    plan: Plan
    verdict: Verdict
    seconds: float
    hits: Mapping[str, int]
    misses: int
    unanswered: int
    seconds_to_settle: float
    most_attempts: int  # for one event; at 5 it would be parked
    longest_wait: float
    longest_wait_began: float  # these and the strikes in seconds since the beginning
    strikes: Sequence[tuple[float, str]]

    @property
    def lease_kills(self) -> int:
        return self.hits.get("worker child", 0) + self.hits.get("worker", 0)


def run(plan: Plan, system: RunningSystem, ledger: Ledger, *, say: Callable[[str], None] = print) -> Outcome:
    """Start the system, attack it, stop it, and judge what came of it."""
    system.start()
    try:
        return Run(plan, system, ledger, say).outcome()
    finally:
        if system.process.poll() is None:
            system.stop()


class Run:
    def __init__(self, plan: Plan, system: RunningSystem, ledger: Ledger, say: Callable[[str], None]) -> None:
        self._plan = plan
        self._system = system
        self._ledger = ledger
        self._say = say
        self._records = Records(system.database_url)
        self._traffic = Traffic()
        self._adversary = Adversary(system, self._records, self._traffic, self._random("adversary"))
        self._watch = Watch(self._records)
        self._stopping = threading.Event()
        self._counting = threading.Lock()
        self._faults: list[Fault] = []
        self._events = 0

    def outcome(self) -> Outcome:
        plan = self._plan
        stage = Stage(self._system, self._ledger, self._traffic, self._random)
        with closing(stage), ThreadPoolExecutor(plan.publishers + plan.subscribers + 2) as pool:
            stage.set_up(publishers=plan.publishers, subscribers=plan.subscribers, crowd=plan.crowd)
            watching = pool.submit(self._watch.run)
            try:
                seconds = self._attack(stage, pool)
                seconds_to_settle = self._settle()
            finally:
                self._watch.stop()
            watching.result()
        return self._judge(seconds, seconds_to_settle)

    def _attack(self, stage: Stage, pool: ThreadPoolExecutor) -> float:
        """Load and adversary together, until it is over; how long that took."""
        loads: list[tuple[str, Callable[[], int]]] = [
            *(("publisher", each.publish) for each in stage.publishers),
            *(("subscriber", each.change_something) for each in stage.subscribers),
            ("adversary", self._strike),
        ]
        self._began = time.monotonic()
        threads = [pool.submit(self._repeat, *load) for load in loads]
        try:
            self._report_until_over()
        finally:
            self._stopping.set()
        for thread in threads:
            thread.result()
        return time.monotonic() - self._began

    def _repeat(self, role: str, act: Callable[[], int]) -> None:
        """Act again and again until it is over; `act` answers how many events it published."""
        random = self._random(f"pauses of {role}")
        while not self._stopping.is_set():
            try:
                published = act()
            except (NoAnswerError, WrongAnswerError) as error:
                self._notice("stopped", f"a {role}: {error}")
                return
            with self._counting:
                self._events += published
            is_ahead = role == "publisher" and self._is_ahead_of_kills()
            self._stopping.wait(PAUSE_AHEAD_OF_KILLS if is_ahead else random.uniform(0, LONGEST_PAUSES[role]))

    def _strike(self) -> int:
        plan = self._plan
        self._adversary.strike(most_kills=plan.kills or None, most_flushes=plan.flushes or None)
        return 0

    def _is_ahead_of_kills(self) -> bool:
        """Events are spread over the kills; some go on meanwhile, or there would be nothing to hit."""
        plan = self._plan
        hits = self._adversary.lease_kills
        return bool(plan.kills) and self._events * plan.kills > plan.events * (hits + 1)

    def _is_over(self) -> bool:
        plan, passed = self._plan, time.monotonic() - self._began
        if passed > LONGEST_RUN:
            self._notice("unproven", f"there was not all that was asked for within {LONGEST_RUN:g} s.")
        return bool(self._faults) or (
            passed >= plan.seconds
            and self._events >= plan.events
            and self._adversary.lease_kills >= plan.kills
            and self._adversary.hits["flush"] >= plan.flushes
        )

    def _report_until_over(self) -> None:
        report_at = self._began + SECONDS_BETWEEN_REPORTS
        while not self._is_over():
            self._stopping.wait(0.1)
            if time.monotonic() > report_at:
                self._say(self._progress())
                report_at += SECONDS_BETWEEN_REPORTS

    def _progress(self) -> str:
        hits = ", ".join(f"{name} {count}" for name, count in sorted(self._adversary.hits.items())) or "none"
        passed = time.monotonic() - self._began
        return f"  {passed:4.0f} s: {self._events:,} events, {self._records.waiting():,} wait; hits: {hits}"

    def _settle(self) -> float:
        """Wait until nothing waits any more; how long that took."""
        began = time.monotonic()
        acknowledged = {each.event for each in self._ledger.history().publications}
        if waiting := self._watch.wait_for(acknowledged, seconds=SECONDS_TO_SETTLE):
            said = f"{len(waiting):,} events wait {SECONDS_TO_SETTLE:g} s after the last fault."
            self._notice("stalled", said)
        return time.monotonic() - began

    def _judge(self, seconds: float, seconds_to_settle: float) -> Outcome:
        for status, count in self._traffic.statuses.items():
            if status >= 500 and status != 503:
                self._notice("failed", f"{count} requests were answered {status}.")
        if not self._adversary.lease_kills:
            self._notice("unproven", "no kill hit a held lease; let it run longer.")
        self._system.stop()
        self._faults += self._records.integrity_faults()
        history = self._ledger.history()
        wait, wait_began = _longest_wait(history, self._watch.seen)
        verdict = judge(
            market.SCHEMA,
            history,
            self._records.recorded(),
            seen_matched=self._watch.seen,
            noticed=self._faults,
        )
        return Outcome(
            database=self._records.kind,
            plan=self._plan,
            verdict=verdict,
            seconds=seconds,
            hits=dict(self._adversary.hits),
            misses=self._adversary.misses,
            unanswered=self._traffic.unanswered,
            seconds_to_settle=seconds_to_settle,
            most_attempts=self._watch.most_attempts,
            longest_wait=wait,
            longest_wait_began=wait_began - self._began,
            strikes=[(moment - self._began, name) for moment, name in self._adversary.log],
        )

    def _notice(self, kind: str, sentence: str) -> None:
        self._faults.append(Fault(kind, sentence))

    def _random(self, purpose: str) -> Random:
        """A stream of its own for each purpose, so that threads do not take turns unpredictably."""
        return Random(f"{self._plan.seed}: {purpose}")


def _longest_wait(history: History, seen: Mapping[int, float]) -> tuple[float, float]:
    """How long an event waited from its acknowledgement until it was seen to be matched, and since when."""
    waits = (
        (seen[each.event] - each.ended, each.ended) for each in history.publications if each.event in seen
    )
    return max(waits, default=(0.0, 0.0))
