"""What can go wrong: the server refuses (and says why), or there is no answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

_PROBLEM = "urn:lesubscribe:problem:"
_MOST_OF_AN_ODD_BODY = 500


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong. In the text of a subscription it has a place; elsewhere `field` names it."""

    field: str
    code: str  # of an event: the rule, R1, R2 or R3
    detail: str
    suggestion: str | None = None
    line: int | None = None
    column: int | None = None
    expected: tuple[str, ...] = ()

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Violation:
        return cls(
            field=str(entry.get("field", "")),
            code=str(entry.get("code", "")),
            detail=str(entry.get("detail", "")),
            suggestion=entry.get("suggestion"),
            line=entry.get("line"),
            column=entry.get("column"),
            expected=tuple(entry.get("expected") or ()),
        )


class ClientError(Exception):
    """Every error of this package."""


class NoAnswer(ClientError):  # noqa: N818 - named for what happened
    """Nothing came back, as often as was right to ask. What was sent may have arrived, or not."""


class Refused(ClientError):  # noqa: N818 - named for what happened
    """An answer that says no. `kind` is for programs, `detail` a sentence for people."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        errors: tuple[Violation, ...] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{status} {kind}: {detail}" if kind else f"{status}: {detail}")
        self.status = status
        self.kind = kind  # such as "invalid-event"; empty if something on the way answered, not the server
        self.detail = detail
        self.errors = errors
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def type(self) -> str:
        """The problem's type as it came (RFC 9457)."""
        return _PROBLEM + self.kind if self.kind else "about:blank"

    @property
    def line(self) -> int | None:
        """Where in the text of a subscription, from 1."""
        return next((each.line for each in self.errors if each.line is not None), None)

    @property
    def column(self) -> int | None:
        return next((each.column for each in self.errors if each.column is not None), None)

    @property
    def suggestion(self) -> str | None:
        """What was perhaps meant; the first one, if there are several."""
        return next((each.suggestion for each in self.errors if each.suggestion), None)


def refusal(response: httpx.Response) -> Refused:
    """The error that a response is. Its body must have been read."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    wait = seconds_to_wait(response)
    if not isinstance(problem, dict) or "detail" not in problem:
        detail = response.text[:_MOST_OF_AN_ODD_BODY] or response.reason_phrase
        return Refused(response.status_code, "", detail, retry_after=wait)
    return Refused(
        response.status_code,
        str(problem.get("type", "")).removeprefix(_PROBLEM),
        str(problem["detail"]),
        errors=tuple(map(Violation.read, problem.get("errors") or ())),
        request_id=problem.get("request_id"),
        retry_after=wait,
    )


def seconds_to_wait(response: httpx.Response) -> float | None:
    """What `Retry-After` says. As a date, which this server never sends, it is passed over."""
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None
