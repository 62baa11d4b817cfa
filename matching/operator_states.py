"""Publishing how the operators of this process have done, as metrics: what is new since the last time."""

from collections.abc import Iterable

from matching import metrics
from matching.operators.circuit import OperatorState

_counted: dict[str, OperatorState] = {}


def count(states: Iterable[OperatorState]) -> None:
    """Add what happened since this was last called in this process."""
    for state in states:
        before = _counted.get(state.name, OperatorState(state.name))
        if state.evaluations < before.evaluations:  # another evaluator took the place of the last
            before = OperatorState(state.name)
        _counted[state.name] = state
        failed = state.failures - before.failures
        succeeded = state.evaluations - before.evaluations - failed
        skipped = state.skipped - before.skipped
        for outcome, more in (("succeeded", succeeded), ("failed", failed), ("skipped", skipped)):
            if more:
                metrics.OPERATORS.labels(state.name, outcome).inc(more)
        if succeeded:
            metrics.OPERATOR_SECONDS.labels(state.name).inc(state.seconds - before.seconds)
        if state.disabled_until is not None or before.disabled_until is not None:
            metrics.OPERATORS_DISABLED.labels(state.name).set(state.disabled_until is not None)
