"""A client over HTTP that behaves as a careful one does: keep-alive, and patience until it has an answer."""

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

SECONDS_OF_PATIENCE = 60.0
# For tests that run beside others, and are about something else.
MUCH_PATIENCE = 600.0
PAUSE = 0.1
TOO_MANY_REQUESTS, FIRST_FAILURE = 429, 500

Body = dict[str, Any] | list[dict[str, Any]] | None
Headers = Mapping[str, str]
NONE: Headers = {}


class NoAnswerError(Exception):
    """The system did not answer for longer than anybody waits."""


class WrongAnswerError(Exception):
    """An answer that no fault excuses."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    document: Any
    began: float  # when it was first asked
    ended: float


class Traffic:
    """What all clients of a run see together: requests in flight, and how they were answered."""

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._in_flight = 0
        self.statuses: Counter[int] = Counter()
        self.unanswered = 0

    @property
    def in_flight(self) -> int:
        return self._in_flight

    @contextmanager
    def request(self) -> Iterator[None]:
        with self._counting:
            self._in_flight += 1
        try:
            yield
        finally:
            with self._counting:
                self._in_flight -= 1

    def answered(self, status: int) -> None:
        with self._counting:
            self.statuses[status] += 1

    def was_cut(self) -> None:
        with self._counting:
            self.unanswered += 1


class Client:
    """Not for several threads: a client has one connection."""

    def __init__(
        self, url: str, key: str, traffic: Traffic, *, patience: float = SECONDS_OF_PATIENCE
    ) -> None:
        """It asks for so many seconds; for an answer it waits half as long, and then asks anew."""
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=patience / 2)
        self._key = key
        self._traffic = traffic
        self._patience = patience

    def close(self) -> None:
        self._connection.close()

    def ask(
        self, method: str, path: str, body: Body = None, *, good: Collection[int], headers: Headers = NONE
    ) -> Answer:
        """Ask until there is an answer: for requests that may be repeated. Raises what `once` raises."""
        began = time.monotonic()
        while True:
            answer = self.once(method, path, body, good=good, headers=headers, began=began)
            if answer is not None:
                return answer

    def once(
        self,
        method: str,
        path: str,
        body: Body = None,
        *,
        good: Collection[int],
        headers: Headers = NONE,
        began: float | None = None,
    ) -> Answer | None:
        """The answer; None when there was none, or one that says "not now" or "failed", after a little pause.

        A list is sent as lines. Raises NoAnswerError when nothing came since `began` for too long, and
        WrongAnswerError.
        """
        began = time.monotonic() if began is None else began
        answer = self._exchange(method, path, body, headers, began)
        if answer is None or answer.status == TOO_MANY_REQUESTS or answer.status >= FIRST_FAILURE:
            if time.monotonic() - began > self._patience:
                raise NoAnswerError(f"{method} {path} got no answer within {self._patience:g} s.")
            time.sleep(PAUSE)
            return None
        if answer.status not in good:
            raise WrongAnswerError(f"{method} {path} was answered {answer.status}: {answer.document}")
        return answer

    def _exchange(self, method: str, path: str, body: Body, headers: Headers, began: float) -> Answer | None:
        kind, content = _encoded(body)
        sent = {"Authorization": f"Bearer {self._key}", "Content-Type": kind, **headers}
        try:
            with self._traffic.request():
                self._connection.request(method, f"/api/v1/{path}", content, sent)
                response = self._connection.getresponse()
                answer = response.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            self._traffic.was_cut()
            return None
        ended = time.monotonic()
        self._traffic.answered(response.status)
        return Answer(response.status, _decoded(answer), began, ended)


def _encoded(body: Body) -> tuple[str, bytes | None]:
    if isinstance(body, list):
        return "application/x-ndjson", "\n".join(map(json.dumps, body)).encode()
    return "application/json", None if body is None else json.dumps(body).encode()


def _decoded(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode(errors="replace")
