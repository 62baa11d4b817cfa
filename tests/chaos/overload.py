"""More comes than can be matched: most of what could be done is done, the rest is told to come again.

A fresh system is asked for more and more until it cannot follow; then for three times of what it could, for
some minutes. At the end every event that was accepted must be matched, or parked with a reason, and soon an
event must be matched as quickly as before: `python -m tests.chaos.overload --seconds 300`.
"""

import argparse
import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import machine
from lesubscribe.loadtest.figures import Percentiles
from matching import workloads
from tests.chaos.client import Client, NoAnswerError, Traffic
from tests.chaos.flood import Flood, Order, flooded
from tests.chaos.records import Records
from tests.chaos.stage import issued_keys
from tests.chaos.systems import DATABASES, clear_away, fresh_system
from tests.chaos.verdict import Fault
from tests.running_system import RunningSystem, wait_until

FIRST_RATE = 64.0
HALVINGS = 3  # after the first rate that was too much
SECONDS_TO_SETTLE = 900.0
LONGEST_RECOVERY = 600.0
PUBLISHERS = 8  # each has a limit of its own, which is not what is tried here
GOOD_IN_A_ROW = 5

LEAST_GOODPUT = 0.7  # of the peak
MOST_RECOVERY = 60.0  # seconds
LEAST_OFFERED = 0.9  # of what was to be offered: else the generator was the weak part
End = tuple[str, str, str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    seed: int
    seconds: float = 300.0
    trial: float = 10.0  # seconds of each rate that is tried
    times: float = 3.0  # the sustainable rate
    subscriptions: int = 10_000
    most: float = 1e6  # events a second; a higher rate is not tried
    least: float = 0.0  # taken for sustainable where less is; if it is 0 and no rate is, that is the end


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A rate, and whether the system followed it."""

    rate: float
    statuses: dict[str, int]
    matched_per_second: float
    left: int
    answer: Percentiles | None
    is_sustained: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    database: str
    plan: Plan
    trials: Sequence[Trial]
    sustainable: float
    peak: float  # the most that was matched in a second, of all trials
    offered: float  # a second, in the overload
    seconds: float
    statuses: dict[str, int]
    goodput: float  # matched in a second, meanwhile
    accepted: int
    parked: int
    answer: Percentiles | None
    normal: float  # how long an event may take to count as normal
    recovery: float
    settled: float  # seconds until nothing waited any more
    room: Mapping[str, int]  # bytes on the disk of an event and of a match
    faults: tuple[Fault, ...]

    @property
    def is_good(self) -> bool:
        return not self.faults


class Overload:
    def __init__(self, plan: Plan, system: RunningSystem, say: Callable[[str], None]) -> None:
        self._plan = plan
        self._system = system
        self._say = say
        self._records = Records(system.database_url)
        self._run = secrets.token_hex(3)
        self._core = max(os.sched_getaffinity(0))

    def outcome(self) -> Outcome:
        plan = self._plan
        self._prepare()
        normal = max(1.0, 3 * max(self._wait_of_one() or 1.0 for _ in range(10)))
        trials = self._trials()
        sustainable = max([plan.least, *(trial.rate for trial in trials if trial.is_sustained)])
        if not sustainable:
            sys.exit(f"Not even {trials[-1].rate:g} events a second were followed; the machine is too busy.")
        # Trials may be so short that nothing was matched in one.
        peak = max(trial.matched_per_second for trial in trials) or sustainable
        self._say(f"{sustainable:,.0f} events/s are sustained, at most {peak:,.0f}/s were matched.")
        flood = self._flood("over", plan.times * sustainable, plan.seconds)
        over = time.monotonic()
        recovery = self._recovered(normal)
        settled = self._settled(since=over)
        self._watcher.close()
        ends = self._records.ends_of(f"{self._run}-over-")
        goodput = _matched_meanwhile(ends, flood) / flood.seconds
        faults = judge(
            flood,
            ends,
            offer=plan.times * sustainable,
            goodput_share=goodput / peak,
            recovery=recovery,
        )
        return Outcome(
            database=self._records.kind,
            plan=plan,
            trials=trials,
            sustainable=sustainable,
            peak=peak,
            offered=flood.offered,
            seconds=flood.seconds,
            statuses=flood.statuses,
            goodput=goodput,
            accepted=len(flood.accepted),
            parked=sum(state == "parked" for _, state, _, _ in ends),
            answer=flood.answer,
            normal=normal,
            recovery=recovery,
            settled=settled,
            room=self._records.room(),
            faults=tuple(faults),
        )

    def _prepare(self) -> None:
        """The schema and subscriptions of the load test, and publishers with keys."""
        words = ("--subscriptions", str(self._plan.subscriptions), "--seed", str(self._plan.seed))
        answer = self._system.manage("loadtest", *words, "--rate", "10", "--seconds", "2")
        assert answer.returncode == 0, answer.stdout + answer.stderr
        wanted = [("publisher", f"House {number}") for number in range(PUBLISHERS + 1)]
        watcher, *self._keys = issued_keys(self._system, *wanted)
        self._watcher = Client(self._system.url, watcher, Traffic())
        (event,) = workloads.create("auction", seed=self._plan.seed).events(1)
        self._example = event.to_dict()

    def _trials(self) -> list[Trial]:
        """Twice as much each time until it is too much, then ever nearer to the most that is not."""
        trials = [self._trial(FIRST_RATE)]
        while trials[-1].is_sustained:
            if 2 * trials[-1].rate > self._plan.most:
                return trials
            trials.append(self._trial(2 * trials[-1].rate))
        too_much = trials[-1].rate
        good = trials[-2].rate if len(trials) > 1 else 0.0
        for _ in range(HALVINGS):
            trial = self._trial((good + too_much) / 2)
            trials.append(trial)
            if trial.is_sustained:
                good = trial.rate
            else:
                too_much = trial.rate
        return trials

    def _trial(self, rate: float) -> Trial:
        name = f"try{rate:g}"
        flood = self._flood(name, rate, self._plan.trial)
        left = self._records.waiting()
        self._settled(since=time.monotonic())
        matched = _matched_meanwhile(self._records.ends_of(f"{self._run}-{name}-"), flood)
        trial = Trial(
            rate=rate,
            statuses=flood.statuses,
            matched_per_second=matched / flood.seconds,
            left=left,
            answer=flood.answer,
            is_sustained=len(flood.accepted) == flood.sent
            and left <= rate  # no more than a second brings
            and flood.seconds < 1 + self._plan.trial * 1.05,
        )
        verb = "followed" if trial.is_sustained else "too much"
        self._say(f"  {rate:6,.0f}/s: {verb}; {trial.matched_per_second:,.0f}/s matched, {left:,} left")
        return trial

    def _flood(self, name: str, rate: float, seconds: float) -> Flood:
        return flooded(
            Order(
                url=self._system.url,
                keys=self._keys,
                name=f"{self._run}-{name}-",
                rate=rate,
                seconds=seconds,
                seed=self._plan.seed,
                core=self._core,
            )
        )

    def _wait_of_one(self) -> float | None:
        """How long an event takes from its request until it is matched; None if it is not taken."""
        began = time.monotonic()
        envelope = {"external_id": f"{self._run}-one-{secrets.token_hex(4)}", "event": self._example}
        try:
            answer = self._watcher.once("POST", "events", envelope, good={202})
        except NoAnswerError:
            return None
        if answer is None:
            return None
        number = answer.document["id"]
        wait_until(lambda: self._records.settled_after(number - 1) & {number}, seconds=SECONDS_TO_SETTLE)
        return time.monotonic() - began

    def _recovered(self, normal: float) -> float:
        """How long after the flood the first of several events came that all took as long as is normal."""
        over = time.monotonic()
        first, good = over, 0
        while good < GOOD_IN_A_ROW and time.monotonic() < over + LONGEST_RECOVERY:
            began = time.monotonic()
            seconds = self._wait_of_one()
            if seconds is None or seconds > normal:
                good = 0
                continue
            first = first if good else began
            good += 1
        return first - over if good == GOOD_IN_A_ROW else LONGEST_RECOVERY

    def _settled(self, *, since: float) -> float:
        """Wait until nothing waits; how long after `since` that was."""
        wait_until(lambda: not self._records.waiting(), seconds=SECONDS_TO_SETTLE)
        return time.monotonic() - since


def judge(
    flood: Flood, ends: Iterable[End], *, offer: float, goodput_share: float, recovery: float
) -> list[Fault]:
    """What went wrong in an overload."""
    faults = []
    states = {name: (state, reason) for name, state, reason, _ in ends}
    for name in flood.accepted:
        state, reason = states.get(name, ("gone", ""))
        if state != "matched" and not (state == "parked" and reason):
            faults.append(Fault("lost", f"{name} was accepted, and is {state}."))
    if flood.silent_refusals:
        faults.append(Fault("silent", f"{flood.silent_refusals:,} refusals do not say when to come again."))
    for status in sorted(flood.statuses.keys() - {"202", "429", "503"}):
        faults.append(Fault("wrong", f"{flood.statuses[status]:,} requests were answered {status}."))
    if goodput_share < LEAST_GOODPUT:
        faults.append(Fault("collapsed", f"only {goodput_share:.0%} of the peak was matched meanwhile."))
    if recovery > MOST_RECOVERY:
        faults.append(Fault("late", f"it was normal again after {recovery:.0f} s only."))
    if flood.offered < LEAST_OFFERED * offer:
        faults.append(Fault("unproven", "it was hardly overloaded: the generator could do no more."))
    if not flood.refused:
        faults.append(Fault("unrefused", "nobody was refused, so nothing is known about refusals."))
    return faults


def summary(outcome: Outcome) -> str:
    answers = ", ".join(f"{count:,} x {status}" for status, count in sorted(outcome.statuses.items()))
    words = "good" if outcome.is_good else f"{len(outcome.faults)} faults"
    return (
        f"{words}: {outcome.offered:,.0f} events/s for {outcome.seconds:.0f} s, {outcome.plan.times:g} times"
        f" the sustainable {outcome.sustainable:,.0f}/s; goodput {outcome.goodput:,.0f}/s,"
        f" {outcome.goodput / outcome.peak:.0%} of the peak of {outcome.peak:,.0f}/s; answers {answers};"
        f" normal again after {outcome.recovery:.1f} s, nothing waiting after {outcome.settled:.1f} s;"
        f" an event takes {outcome.room['event']:,} bytes on the disk, a match {outcome.room['match']:,}"
        f" ({outcome.database}, seed {outcome.plan.seed})"
    )


def _matched_meanwhile(ends: Iterable[End], flood: Flood) -> int:
    return sum(at is not None and flood.began <= at <= flood.ended for _, _, _, at in ends)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.overload")
    parser.add_argument("--seconds", type=float, default=300, help="of the overload (%(default)s)")
    parser.add_argument("--trial", type=float, default=10, help="seconds of each rate tried (%(default)s)")
    parser.add_argument("--times", type=float, default=3, help="the sustainable rate (%(default)s)")
    parser.add_argument("--subscriptions", type=int, default=10_000)
    parser.add_argument("--database", choices=(*DATABASES, "both"), default="both")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    plan = Plan(
        seed=options.seed,
        seconds=options.seconds,
        trial=options.trial,
        times=options.times,
        subscriptions=options.subscriptions,
    )
    chosen = DATABASES if options.database == "both" else (options.database,)
    outcomes = [_outcome(plan, database) for database in chosen]
    if options.json:
        document = {"machine": machine.description(), "runs": [asdict(outcome) for outcome in outcomes]}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    for outcome in outcomes:
        print("VERDICT:", summary(outcome))
    return 0 if all(outcome.is_good for outcome in outcomes) else 1


def _outcome(plan: Plan, database: str) -> Outcome:
    print(f"{database}, seed {plan.seed}: starting a fresh system ...", flush=True)
    with fresh_system(database) as system:
        system.start()
        try:
            outcome = Overload(plan, system, lambda line: print(line, flush=True)).outcome()
            print(summary(outcome), flush=True)  # also if stopping the system should fail
        finally:
            system.stop()
    for fault in outcome.faults[:20]:
        print(f"  {fault}", flush=True)
    clear_away(system, is_good=outcome.is_good)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
