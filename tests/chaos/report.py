"""The outcome of fault runs in words."""

from collections.abc import Iterator, Sequence

from tests.chaos.outcome import Outcome


def verdict_line(outcomes: Sequence[Outcome]) -> str:
    """One sentence about all runs."""
    said = outcomes[0].verdict.words
    if any(outcome.verdict.words != said for outcome in outcomes):
        said = "; ".join(f"{outcome.verdict.words} on {outcome.database}" for outcome in outcomes)
    longest, after = max(outcome.longest_resumption for outcome in outcomes)
    telling, until_told = max(outcome.longest_telling for outcome in outcomes)
    figures = [
        f"{sum(outcome.verdict.events for outcome in outcomes):,} events",
        f"{sum(outcome.verdict.matches for outcome in outcomes):,} matches",
        f"{sum(outcome.deliveries for outcome in outcomes):,} deliveries",
        f"{sum(outcome.lease_kills for outcome in outcomes):,} kills that hit a held lease",
        f"{sum(outcome.hits.get('web', 0) for outcome in outcomes):,} that hit a request in flight",
        f"{sum(sum(outcome.hits.values()) - outcome.lease_kills for outcome in outcomes):,} other strikes",
        f"matched again after {longest:.1f} s at most ({after or 'no strike'})",
        f"told again after {telling:.1f} s at most ({until_told or 'no strike'})",
    ]
    databases = " and ".join(outcome.database for outcome in outcomes)
    plan = outcomes[0].plan
    shards = f", {plan.shards} shards" if plan.shards > 1 else ""
    left_out = sorted({name for outcome in outcomes for name in outcome.left_out})
    without = f"; left out: {', '.join(left_out)}" if left_out else ""
    return f"VERDICT: {said}: {', '.join(figures)} ({databases}{shards}, seed {plan.seed}{without})"


def describe(outcome: Outcome) -> Iterator[str]:
    """What a run did and found, in some lines."""
    verdict = outcome.verdict
    duties = ", ".join(f"{count:,} {duty}" for duty, count in verdict.duties.items())
    yield (
        f"  {outcome.seconds:.0f} s; {outcome.misses} strikes found nothing to hit; {outcome.nights} nights,"
        f" {outcome.nights_killed} killed"
    )
    yield f"  {outcome.unanswered:,} requests without an answer, each sent again"
    longest, settling = outcome.longest_wait, outcome.seconds_to_settle
    yield f"  an event waited {longest:.1f} s and was tried {outcome.most_attempts} times at most"
    yield f"  all was settled, and everybody told, {settling:.1f} s after the end"
    yield f"  {outcome.deliveries:,} deliveries, of which {outcome.came_twice:,} came twice under the same id"
    yield f"  decisions: {duties}; {verdict.sharp:,} hang on a change acknowledged in the second before"
    yield "  cause          strikes  lost  doubled  late  longest wait  matched again  told again"
    for name, toll in outcome.tolls.items():
        yield (
            f"  {name:<14} {toll.strikes:>7} {toll.lost:>5} {toll.doubled:>8} {toll.late:>5}"
            f" {toll.longest_wait:>11.1f} s {toll.longest_resumption:>12.1f} s {toll.longest_telling:>9.1f} s"
        )
    yield from (f"  left out: {name}, since {why}" for name, why in outcome.left_out.items())
    yield from (f"  {line}" for line in verdict.report())
