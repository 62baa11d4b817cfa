"""When an operator has failed too often: it is left alone for a while, then tried again.

A failure counts one, and ten successes undo it; so both many in a row and many among others reach the limit.
An operator that is not ready in time has failed often enough at once, for starting takes long. After a pause
the next evaluation is a trial: if it fails too, the next pause is twice as long.
"""

from dataclasses import dataclass
from threading import Lock

from matching.operators.outcomes import Fault, OperatorFailedError


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """`limit` failures disable an operator for `pause` seconds, later ones for up to `longest_pause`."""

    limit: int = 5
    forgiven_by: int = 10
    pause: float = 60.0
    longest_pause: float = 3_600.0


@dataclass(frozen=True, slots=True)
class OperatorState:
    """How an operator has done in this process. Moments are those of the evaluator's clock.

    `skipped` are evaluations that did not take place because it was disabled, or had run out of time for the
    same event. `seconds` is what those that succeeded took together. `failing_since` is when it began to
    fail, `failures_since` how often it has since then; until successes have undone all of that.
    """

    name: str
    evaluations: int = 0
    failures: int = 0
    skipped: int = 0
    seconds: float = 0.0
    last_fault: Fault | None = None
    last_error: str = ""
    last_failure: float | None = None
    disabled_until: float | None = None
    failing_since: float | None = None
    failures_since: int = 0

    @property
    def mean_seconds(self) -> float | None:
        """The measured cost of one evaluation; None while none has succeeded."""
        succeeded = self.evaluations - self.failures
        return self.seconds / succeeded if succeeded else None


class Circuit:
    """The state of one operator, and whether it may be asked. Several threads may use it."""

    def __init__(self, name: str, policy: FailurePolicy) -> None:
        self._name = name
        self._policy = policy
        self._lock = Lock()
        self._evaluations = self._failures = self._skipped = 0
        self._seconds = 0.0
        self._score = 0.0
        self._pause = policy.pause
        self._until: float | None = None
        self._last: tuple[Fault, str, float] | None = None
        self._since: float | None = None
        self._failures_since = 0

    def allows(self, now: float) -> bool:
        """Whether it may be asked now; if not, that is counted."""
        if self._until is None or now >= self._until:
            return True
        self.skip()
        return False

    def skip(self) -> None:
        with self._lock:
            self._skipped += 1

    def succeeded(self, seconds: float) -> None:
        with self._lock:
            self._evaluations += 1
            self._seconds += seconds
            if self._until is not None:
                self._score, self._until, self._pause = 0.0, None, self._policy.pause
            elif self._score:
                self._score = max(0.0, self._score - 1 / self._policy.forgiven_by)
            if not self._score:
                self._since, self._failures_since = None, 0

    def failed(self, failure: OperatorFailedError, now: float) -> None:
        with self._lock:
            self._evaluations += 1
            self._failures += 1
            self._last = (failure.fault, str(failure), now)
            self._since = now if self._since is None else self._since
            self._failures_since += 1
            self._score += self._policy.limit if failure.fault == "not ready" else 1
            if self._until is None:
                if self._score >= self._policy.limit:
                    self._until = now + self._pause
            elif now >= self._until:  # and not one that another thread had begun before
                self._pause = min(2 * self._pause, self._policy.longest_pause)
                self._until = now + self._pause

    def state(self, now: float) -> OperatorState:
        with self._lock:
            fault, error, at = self._last or (None, "", None)
            disabled = self._until if self._until is not None and now < self._until else None
            return OperatorState(
                name=self._name,
                evaluations=self._evaluations,
                failures=self._failures,
                skipped=self._skipped,
                seconds=self._seconds,
                last_fault=fault,
                last_error=error,
                last_failure=at,
                disabled_until=disabled,
                failing_since=self._since,
                failures_since=self._failures_since,
            )
