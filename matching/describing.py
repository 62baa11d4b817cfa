"""What a worker can tell of its matcher, for staff to look at: nobody else has it in memory.

It is handed over as JSON; reading it needs neither the engine nor its libraries.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from matching.live import LiveMatcher

_STATUS = Path("/proc/self/status")
_OF_US = "VmRSS:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """`shape` is that of an engine, see `matching.engine.shapes`; other matchers have none. Moments are in
    ISO format, bytes of the process include what it shares with others."""

    subscriptions: int
    sequence: int
    shape: dict[str, Any] | None
    changes_since_merge: int
    merged_at: str
    saved_at: str
    bytes_of_process: int
    operators: tuple[dict[str, Any], ...] = ()
    """States of those that were called, see `matching.operators.circuit.OperatorState`."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def described(live: LiveMatcher) -> Description:
    """O(conjunctions), some milliseconds for a million."""
    engine, saved = live.engine, live.snapshot
    return Description(
        subscriptions=len(live),
        sequence=live.sequence,
        shape=None if engine is None else asdict(engine.shape()),
        changes_since_merge=live.changes,
        merged_at="" if live.merged_at is None else live.merged_at.isoformat(),
        saved_at="" if saved is None else saved.saved_at,
        bytes_of_process=_bytes_of_process(),
        operators=tuple(
            asdict(state) for state in live.operator_states() if state.evaluations or state.skipped
        ),
    )


def _bytes_of_process() -> int:
    """0 where the system does not tell."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(_OF_US)), 0)
