"""The outcome of fault runs in words, and as a document to keep."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks import machine
from tests.chaos.run import Outcome


def verdict_line(outcomes: Sequence[Outcome]) -> str:
    """One sentence about all runs."""
    said = outcomes[0].verdict.words
    if any(outcome.verdict.words != said for outcome in outcomes):
        said = "; ".join(f"{outcome.verdict.words} on {outcome.database}" for outcome in outcomes)
    figures = [
        f"{sum(outcome.verdict.events for outcome in outcomes):,} events",
        f"{sum(outcome.verdict.matches for outcome in outcomes):,} matches",
        f"{sum(outcome.lease_kills for outcome in outcomes):,} kills that hit a held lease",
        f"{sum(outcome.hits.get('web', 0) for outcome in outcomes):,} that hit a request in flight",
        f"{sum(outcome.hits.get('flush', 0) for outcome in outcomes):,} flushes",
    ]
    databases = " and ".join(outcome.database for outcome in outcomes)
    plan = outcomes[0].plan
    shards = f", {plan.shards} shards" if plan.shards > 1 else ""
    return f"VERDICT: {said}: {', '.join(figures)} ({databases}{shards}, seed {plan.seed})"


def describe(outcome: Outcome) -> Iterator[str]:
    """What a run did and found, in a few lines."""
    verdict = outcome.verdict
    hits = ", ".join(f"{name} {count}" for name, count in sorted(outcome.hits.items()))
    duties = ", ".join(f"{count:,} {duty}" for duty, count in verdict.duties.items())
    yield f"  {outcome.seconds:.0f} s; hits: {hits}; {outcome.misses} strikes found nothing to hit"
    yield f"  {outcome.unanswered:,} requests without an answer, each sent again"
    longest, settling = outcome.longest_wait, outcome.seconds_to_settle
    yield f"  an event waited {longest:.1f} s and was tried {outcome.most_attempts} times at most"
    yield f"  all was settled {settling:.1f} s after the end"
    yield f"  decisions: {duties}; {verdict.sharp:,} hang on a change acknowledged in the second before"
    yield from (f"  {line}" for line in verdict.report())


def document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Figures with the machine, date and commit they are from."""
    runs = [
        {
            **asdict(outcome),
            "lease_kills": outcome.lease_kills,
            "verdict": asdict(outcome.verdict) | {"words": outcome.verdict.words},
        }
        for outcome in outcomes
    ]
    return {"machine": machine.description(), "runs": runs}
