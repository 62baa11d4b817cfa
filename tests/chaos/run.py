"""One run: a fresh system under load and under attack, then quiet, then the verdict."""

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from random import Random

from tests.chaos import market, told
from tests.chaos.adversary import EAGER, NOT_TOO_EAGER, Adversary
from tests.chaos.causes import SECONDS_TO_RESUME, Causes
from tests.chaos.client import SECONDS_OF_PATIENCE, NoAnswerError, Traffic, WrongAnswerError
from tests.chaos.clocks import UnavailableError
from tests.chaos.floods import Flood
from tests.chaos.grounds import Grounds
from tests.chaos.history import History
from tests.chaos.kills import Kills
from tests.chaos.nightly import HOUSE, NIGHTLY_NEEDS_SECONDS, Nights
from tests.chaos.outcome import Outcome, Plan
from tests.chaos.readers import address_of, new_reader
from tests.chaos.records import SECONDS_BETWEEN_LOOKS, BusyError, Watch
from tests.chaos.stage import Stage
from tests.chaos.strikes import LEASE_KILLS, NIGHTLY, in_order
from tests.chaos.told import Reader
from tests.chaos.troubles import Troubles
from tests.chaos.verdict import Fault, judge

SECONDS_TO_SETTLE, SECONDS_TO_TELL = 60.0, 60.0
SECONDS_BETWEEN_REPORTS = 5.0
LONGEST_RUN = 4 * 3_600.0
TIMES_LONGER_FOR_A_KILL = 10
LONGEST_PAUSES = {"publisher": 0.04, "subscriber": 0.4, "adversary": 4.0}
# Between strikes when so many kills are asked for that they decide how long it takes.
LONGEST_PAUSE_FOR_MANY_KILLS = 0.8
PAUSE_AHEAD_OF_KILLS = 0.25
FLOODERS, FLOOD = 4, 1_000
FLOODS = 50  # that bring all the events that were asked for, if these are many


def run(
    plan: Plan, grounds: Grounds, *, say: Callable[[str], None] = print, slowness: float = 1.0
) -> Outcome:
    """Start the system, attack it, stop it, and judge what came of it.

    On a machine that others use too, all may take so many times as long as it does on a quiet one.
    """
    system = grounds.system
    try:
        system.start()
        return Run(plan, grounds, say, slowness).outcome()
    finally:
        if system.is_running:
            system.stop()


class Run:
    def __init__(self, plan: Plan, grounds: Grounds, say: Callable[[str], None], slowness: float) -> None:
        self._plan = plan
        self._grounds = grounds
        self._system = grounds.system
        self._ledger = grounds.ledger
        self._say = say
        self._slowness = slowness
        self._records = grounds.records
        self._traffic = Traffic()
        self._watch = Watch(self._records)
        self._stopping = threading.Event()
        self._counting = threading.Lock()
        self._faults: list[Fault] = []
        self._published = 0
        self._readers: list[Reader] = []
        self._nights: Nights | None = None
        try:
            self._nights = Nights(self._system, grounds.directory, self._random("nights"))
        except UnavailableError as error:
            grounds.left_out[NIGHTLY] = str(error)

    def outcome(self) -> Outcome:
        plan = self._plan
        patience = SECONDS_OF_PATIENCE * self._slowness
        stage = Stage(self._system, self._ledger, self._traffic, self._random, patience=patience)
        with closing(stage), ThreadPoolExecutor(plan.publishers + plan.subscribers + 2) as pool:
            self._set_up(stage)
            watching = pool.submit(self._watch.run)
            try:
                with closing(self._flood):
                    seconds = self._attack(stage, pool, watching)
                self._finish_the_nights()
                seconds_to_settle = self._settle()
            finally:
                self._watch.stop()
                if self._nights is not None:
                    self._nights.close()
            watching.result()
        return self._judge(seconds, seconds_to_settle, stage)

    def _set_up(self, stage: Stage) -> None:
        plan = self._plan
        names = [f"reader-{number}" for number in range(plan.readers)]
        _, *keys = stage.set_up(
            publishers=plan.publishers + FLOODERS,
            subscribers=plan.subscribers,
            crowd=plan.crowd,
            others=[("publisher", HOUSE), *(("subscriber", address_of(name)) for name in names)],
        )
        self._set_up_readers(names, keys)
        assert stage.architect is not None
        self._growth = stage.growth
        publishers, flooders = stage.publishers[: plan.publishers], stage.publishers[plan.publishers :]
        self._loads = [("publisher", each.publish) for each in publishers]
        self._flood = Flood(
            flooders,
            events=max(FLOOD, plan.events // FLOODS),
            notice=lambda said: self._notice("stopped", said),
        )
        kills = Kills(self._system, self._records, self._traffic, self._random("victims"))
        troubles = Troubles(
            self._grounds,
            self._random("troubles"),
            growth=stage.growth,
            architect=stage.architect,
            flood=self._flood,
            nights=self._nights,
        )
        order = in_order(self._random("order of strikes"), many_kills=bool(plan.kills))
        self._adversary = Adversary(
            order,
            kills.strikes() | kills.disowning(troubles.strikes()),
            self._random("tries"),
            longest_pause=EAGER if plan.kills else NOT_TOO_EAGER,
        )

    def _set_up_readers(self, names: Sequence[str], keys: Sequence[str]) -> None:
        """Those who are told. Of very many events they want to hear less, as people do."""
        self._readers = [
            new_reader(
                self._system,
                self._grounds.sinks,
                self._ledger,
                self._random(name),
                name=name,
                key=key,
                has_webhook=number % 2 == 0,
                searches=1,
                search=market.rare_search if self._plan.events else market.search,
            )
            for number, (name, key) in enumerate(zip(names, keys, strict=True))
        ]

    def _attack(self, stage: Stage, pool: ThreadPoolExecutor, watching: Future[None]) -> float:
        """Load and adversary together, until it is over; how long that took."""
        loads: list[tuple[str, Callable[[], int]]] = [
            *self._loads,
            *(("subscriber", each.change_something) for each in stage.subscribers),
            ("adversary", self._strike),
        ]
        self._began = time.monotonic()
        threads = [pool.submit(self._repeat, *load) for load in loads]
        try:
            self._report_until_over([watching, *threads])
        finally:
            self._stopping.set()
        for thread in threads:
            thread.result()
        return time.monotonic() - self._began

    def _repeat(self, role: str, act: Callable[[], int]) -> None:
        """Act again and again until it is over; `act` answers how many events it published."""
        random = self._random(f"pauses of {role}")
        longest = LONGEST_PAUSES[role]
        if role == "adversary" and self._plan.kills:
            longest = LONGEST_PAUSE_FOR_MANY_KILLS
        while not self._stopping.is_set():
            try:
                published = act()
            except (NoAnswerError, WrongAnswerError) as error:
                self._notice("stopped", f"a {role}: {error}")
                return
            with self._counting:
                self._published += published
            is_ahead = role == "publisher" and self._is_ahead_of_kills()
            self._stopping.wait(PAUSE_AHEAD_OF_KILLS if is_ahead else random.uniform(0, longest))

    def _strike(self) -> int:
        self._adversary.strike(spared=self._spared())
        if self._plan.kills:
            self._let_it_resume()
        return 0

    def _let_it_resume(self) -> None:
        """Until something is matched that came after the strike.

        Whoever kills each worker at its first lease keeps all events waiting, and nobody could prevent it.
        """
        newest, deadline = None, time.monotonic() + SECONDS_TO_RESUME * self._slowness
        while time.monotonic() < deadline and not self._stopping.wait(SECONDS_BETWEEN_LOOKS):
            with suppress(BusyError):
                newest = newest or self._records.newest()
            if newest is not None and self._watch.newest > newest:
                return

    def _spared(self) -> Collection[str]:
        """Of what there were as many as asked for; and a night takes longer than the rest of the run."""
        plan = self._plan
        spared: set[str] = set()
        if plan.kills and self._adversary.lease_kills >= plan.kills:
            spared.update(LEASE_KILLS)
        if plan.flushes and self._adversary.hits["flush"] >= plan.flushes:
            spared.add("flush")
        if self._seconds_left() < NIGHTLY_NEEDS_SECONDS:
            spared.add(NIGHTLY)
        if plan.events and self._events >= plan.events:
            spared.add("flood")
        if self._growth.is_full:
            spared.add("schema")
        return spared

    @property
    def _events(self) -> int:
        return self._published + self._flood.events

    def _is_ahead_of_kills(self) -> bool:
        """Events are spread over the kills; some go on meanwhile, or there would be nothing to hit."""
        plan = self._plan
        hits = self._adversary.lease_kills
        return bool(plan.kills) and self._events * plan.kills > plan.events * (hits + 1)

    def _share_done(self) -> float:
        """Of all that was asked for, whichever is the furthest behind."""
        plan, hits = self._plan, self._adversary.hits
        passed = time.monotonic() - self._began
        wanted = [
            (passed, plan.seconds),
            (self._events, plan.events),
            (self._adversary.lease_kills, plan.kills or self._waits_for_a_kill(passed)),
            (hits["flush"], plan.flushes),
        ]
        return min((min(1.0, done / most) for done, most in wanted if most), default=1.0)

    def _waits_for_a_kill(self, passed: float) -> int:
        """One, without which nothing is proven, however few strikes a slow machine allows; not for ever."""
        return 1 if passed < TIMES_LONGER_FOR_A_KILL * self._plan.seconds else 0

    def _seconds_left(self) -> float:
        """As it went so far."""
        passed, share = time.monotonic() - self._began, self._share_done()
        return passed / share - passed if share else LONGEST_RUN

    def _is_over(self) -> bool:
        if time.monotonic() - self._began > LONGEST_RUN:
            self._notice("unproven", f"there was not all that was asked for within {LONGEST_RUN:g} s.")
        return bool(self._faults) or self._share_done() >= 1.0

    def _report_until_over(self, threads: Collection[Future[None]]) -> None:
        """Raises what ended a thread: without an adversary, say, all would be well for hours."""
        report_at = self._began + SECONDS_BETWEEN_REPORTS
        while not self._is_over():
            self._stopping.wait(0.1)
            for thread in threads:
                if thread.done():
                    thread.result()
            if time.monotonic() > report_at:
                with suppress(BusyError):
                    self._say(self._progress())
                report_at += SECONDS_BETWEEN_REPORTS

    def _progress(self) -> str:
        hits = ", ".join(f"{name} {count}" for name, count in sorted(self._adversary.hits.items())) or "none"
        passed = time.monotonic() - self._began
        waiting = self._records.waiting()
        return (
            f"  {passed:4.0f} s, {self._share_done():.0%}, about {self._seconds_left() / 60:.0f} min left:"
            f" {self._events:,} events, {waiting:,} wait; hits: {hits}"
        )

    def _finish_the_nights(self) -> None:
        if self._nights is not None and (problem := self._nights.finish(say=self._say)):
            self._notice("stalled", problem)

    def _settle(self) -> float:
        """Wait until nothing waits any more, and everybody was told; how long that took."""
        began = time.monotonic()
        acknowledged = {each.event for each in self._ledger.history().publications}
        to_settle, to_tell = SECONDS_TO_SETTLE * self._slowness, SECONDS_TO_TELL * self._slowness
        if waiting := self._watch.wait_for(acknowledged, seconds=to_settle):
            said = f"{len(waiting):,} events wait {to_settle:g} s after the last fault."
            self._notice("stalled", said)
        while untold := self._untold():
            if time.monotonic() - began > to_settle + to_tell:
                self._notice("stalled", f"{untold} wait {to_tell:g} s after all was matched.")
                break
            time.sleep(0.2)
        return time.monotonic() - began

    def _untold(self) -> dict[str, int]:
        try:
            return self._records.untold()
        except BusyError as error:
            return {str(error): 1}

    def _judge(self, seconds: float, seconds_to_settle: float, stage: Stage) -> Outcome:
        for status, count in self._traffic.statuses.items():
            if status >= 500 and status != 503:
                self._notice("failed", f"{count} requests were answered {status}.")
        if not self._adversary.lease_kills:
            self._notice("unproven", "no kill hit a held lease; let it run longer.")
        self._system.stop()
        self._faults += self._records.integrity_faults()
        live, seen = self._ledger.history(), self._watch.seen
        at_night = tuple(self._nights.publications(self._records)) if self._nights is not None else ()
        history = replace(live, publications=live.publications + at_night)
        rows, receipts = self._records.told(), self._grounds.sinks.receipts()
        schema, readers = stage.growth.schema, self._readers
        messages = told.judge(schema, history, readers=readers, told=rows, receipts=receipts)
        causes = Causes(self._adversary.log, live.publications, seen, told.first_arrivals(rows, receipts))
        verdict = judge(
            schema,
            history,
            self._records.recorded(),
            seen_matched=seen,
            noticed=[*self._faults, *messages.faults, *causes.late(after=SECONDS_TO_RESUME * self._slowness)],
        )
        wait, wait_began = _longest_wait(live, seen)
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
            strikes=[(round(each.began - self._began, 1), each.name) for each in self._adversary.log],
            tolls=causes.tolls(verdict.faults),
            left_out=self._grounds.left_out,
            deliveries=messages.deliveries,
            came_twice=messages.doubled,
            nights=len({each.ended for each in at_night}),
            nights_killed=self._nights.kills if self._nights is not None else 0,
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
