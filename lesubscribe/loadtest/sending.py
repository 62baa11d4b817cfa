"""Sending requests at a given rate, whatever the answers do: what is late shows in the figures."""

import http.client
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 30
CLOSED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)


@dataclass(frozen=True, slots=True)
class Request:
    """What to send, and how many events it holds."""

    body: bytes
    events: int


@dataclass(frozen=True, slots=True)
class Sent:
    """A request and its answer. The status is 0 when none came; seconds count from when it was due."""

    status: int
    seconds: float
    events: int
    place: int = 0  # among the requests
    asks_to_come_again: bool = False  # by Retry-After
    late: float = 0.0  # seconds from when it was due until it was sent


class Sender:
    """Several connections that are kept alive, each with a thread of its own."""

    def __init__(self, url: str, path: str, *, key: str, content_type: str, connections: int) -> None:
        self._address = urlsplit(url)
        self._path = path
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": content_type}
        self._connections = connections

    def send(
        self, requests: Iterable[Request], *, per_second: float, progress: Callable[[int], None]
    ) -> list[Sent]:
        """The k-th request is due k / per_second seconds after the first; returns when all were answered."""
        sent: list[Sent] = []
        waiting = iter(enumerate(requests))
        taking = threading.Lock()
        began = time.monotonic()

        def run() -> None:
            connection = self._connect()
            while True:
                with taking:
                    place, request = next(waiting, (0, None))
                if request is None:
                    break
                due = began + place / per_second
                time.sleep(max(0.0, due - time.monotonic()))
                late = time.monotonic() - due
                status, waits, connection = self._post(connection, request.body)
                sent.append(Sent(status, time.monotonic() - due, request.events, place, waits, late))
                progress(request.events)
            connection.close()

        threads = [threading.Thread(target=run) for _ in range(self._connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sent

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        return kind(self._address.netloc, timeout=TIMEOUT_SECONDS)

    def _post(
        self, connection: http.client.HTTPConnection, body: bytes
    ) -> tuple[int, bool, http.client.HTTPConnection]:
        """A kept connection may have been closed meanwhile, for being idle; then it is sent on a new one."""
        was_kept = connection.sock is not None
        try:
            connection.request("POST", self._path, body, self._headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status, "Retry-After" in answer.headers, connection
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            if was_kept and isinstance(error, CLOSED):
                return self._post(self._connect(), body)
            return 0, False, self._connect()
