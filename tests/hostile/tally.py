"""What was sent, what was answered, and which answers were wrong."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from schemathesis.engine.recorder import ScenarioRecorder

# The checks whose failure is an answer that the document does not know.
UNDOCUMENTED = (
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
SERVER_ERROR = "not_a_server_error"
NO_ANSWER = "no_answer"  # which is no check, since there is nothing to check
OTHERS = ("unsupported_method", "use_after_free", "ensure_resource_availability")
_MOST_KEPT = 3  # of one kind; the rest are only counted


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that must not be, with the request that brings it about."""

    check: str
    operation: str
    status: int
    message: str
    request: str


@dataclass(slots=True)
class Tally:
    """Of a run in which so many requests were `asked` for; it `is_finished` when it ended by itself."""

    asked: int = 1
    left_early: frozenset[str] = frozenset()
    """Operations whose answers have no end, so that we leave, perhaps before there was one."""

    is_finished: bool = False
    statuses: dict[str, Counter[int]] = field(default_factory=dict)
    phases: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """What kept schemathesis from going on: nothing was sent then, so this is a fault too."""

    @property
    def requests(self) -> int:
        return sum(self.phases.values())

    @property
    def server_errors(self) -> int:
        return self.found[SERVER_ERROR]

    @property
    def undocumented(self) -> int:
        return sum(self.found[check] for check in UNDOCUMENTED)

    @property
    def is_good(self) -> bool:
        is_whole = self.is_finished and self.requests >= self.asked
        return is_whole and not self.found and not self.broken

    def add(self, phase: str, scenario: ScenarioRecorder) -> None:
        for number, exchange in scenario.interactions.items():
            operation = scenario.cases[number].value.operation.label
            self.phases[phase] += 1
            status = 0 if exchange.response is None else exchange.response.status_code
            self.statuses.setdefault(operation, Counter())[status] += 1
            if exchange.response is None and operation not in self.left_early:
                request = f"{exchange.request.method} {exchange.request.uri}"
                self._note(Fault(NO_ANSWER, operation, status, "There was no answer.", request))
        for number, checks in scenario.checks.items():
            for check in checks:
                if check.failure_info is not None:
                    self._note(_fault(scenario, number, check.name, check.failure_info))

    def _note(self, fault: Fault) -> None:
        self.found[fault.check] += 1
        kind = fault.check, fault.operation, fault.status
        alike = [each for each in self.faults if (each.check, each.operation, each.status) == kind]
        if len(alike) < _MOST_KEPT:
            self.faults.append(fault)

    def words(self) -> str:
        """The verdict in a line."""
        said = "every answer is documented" if self.is_good else "NOT GOOD"
        return (
            f"VERDICT: {said}: {self.requests:,} requests to {len(self.statuses)} operations,"
            f" {self.server_errors:,} server errors, {self.undocumented:,} undocumented answers,"
            f" {self.found[NO_ANSWER]:,} without an answer,"
            f" {sum(self.found[check] for check in OTHERS):,} other faults"
        )

    def document(self) -> dict[str, Any]:
        return {
            "asked": self.asked,
            "is_finished": self.is_finished,
            "requests": self.requests,
            "by_phase": dict(self.phases),
            "server_errors": self.server_errors,
            "undocumented": self.undocumented,
            "faults": dict(self.found),
            "broken": self.broken,
            "operations": {
                name: {str(status): count for status, count in sorted(counts.items())}
                for name, counts in sorted(self.statuses.items())
            },
        }

    def report(self) -> str:
        rows = [
            f"{fault.check} {fault.operation} {fault.status}\n{fault.message}\n{fault.request}\n"
            for fault in self.faults
        ]
        return "\n".join((*rows, *self.broken)) or json.dumps(self.document()["by_phase"])


def _fault(scenario: ScenarioRecorder, number: str, check: str, info: Any) -> Fault:
    response = scenario.interactions[number].response
    operation = scenario.cases[number].value.operation.label
    status = 0 if response is None else response.status_code
    return Fault(check, operation, status, info.failure.message, info.code_sample)
