"""A web server that takes POSTs. Each path may behave in its own way."""

import contextlib
import json
import time
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

from tests.running_system import free_port
from tests.sinks.record import Record, Table, lines

EVERY_PATH = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """How a path answers. Unless it `echoes`, it does not answer the challenge of a verification."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str = "Thank you."
    bytes_of_body: int = 0  # if it is set, a body of so many bytes
    echoes: bool = True
    after_seconds: float = 0.0
    drips: str = ""  # "headers" or "body": a byte a second, without end
    hangs: bool = False  # takes the request and never answers
    is_down: bool = False  # closes the connection at once, and takes nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReceipt:
    id: str
    path: str
    headers: dict[str, str]  # with names in lower case
    body: str
    at: float

    @property
    def content(self) -> Any:
        return json.loads(self.body)


class HttpSink:
    def __init__(self, file: Path, *, port: int = 0, is_synced: bool = False) -> None:
        self.port = port or free_port()
        self._file = file
        self._is_synced = is_synced
        self._behaviours = Table(_behaviours_of(file))
        self._server: _Server | None = None

    def start(self) -> Self:
        self._server = _Server(self.port, self._file, is_synced=self._is_synced)
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self) -> None:
        """From now on connections are refused; `start` takes the same port again."""
        if self._server:
            self._server.stop()
            self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *args: object) -> None:
        self.stop()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def behave(self, behaviour: Behaviour, *, path: str = EVERY_PATH) -> None:
        """From the next request on."""
        self._behaviours.set(path, asdict(behaviour))

    def receipts(self, *, path: str = "") -> list[HttpReceipt]:
        """What arrived, in order; of one path or of all."""
        receipts = [HttpReceipt(**line) for line in lines(self._file)]
        return [receipt for receipt in receipts if path in ("", receipt.path)]

    def arrivals(self, start: str) -> list[float]:
        """When something arrived at paths that begin so, since it was started in this process.

        Unlike `receipts` it costs next to nothing, so it may be asked again and again.
        """
        found = self._server.arrivals if self._server else []
        return [at for path, at in found if path.startswith(start)]

    @property
    def connections(self) -> int:
        """How many were made since it was started in this process."""
        return self._server.connections if self._server else 0


class _Server(ThreadingHTTPServer):
    request_queue_size = 200
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, file: Path, *, is_synced: bool) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.record = Record(file, is_synced=is_synced)
        self.behaviours = Table(_behaviours_of(file))
        self.stopping = Event()
        self.connections = 0
        self.arrivals: list[tuple[str, float]] = []

    def get_request(self) -> Any:
        accepted = super().get_request()
        self.connections += 1
        return accepted

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients may go away in the middle of anything."""

    def stop(self) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()
        self.record.close()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(length)
        if len(body) < length:
            return  # its sender was killed in the middle: this is no message
        behaviour = Behaviour(**(self.server.behaviours.get(self.path, EVERY_PATH) or {}))
        self.close_connection = True
        if behaviour.is_down:
            return
        self._write_down(body)
        if behaviour.hangs:
            self.server.stopping.wait()
        if behaviour.after_seconds:
            self.server.stopping.wait(behaviour.after_seconds)
        with contextlib.suppress(ConnectionError):
            self._answer(behaviour, body)

    def _write_down(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        receipt = HttpReceipt(
            id=headers.get("webhook-id", ""),
            path=self.path,
            headers=headers,
            body=body.decode(errors="replace"),
            at=time.time(),
        )
        self.server.record.append(asdict(receipt))
        self.server.arrivals.append((receipt.path, receipt.at))

    def _answer(self, behaviour: Behaviour, body: bytes) -> None:
        answer = b"x" * behaviour.bytes_of_body or behaviour.body.encode()
        if behaviour.echoes and (challenge := _challenge_in(body)):
            answer = challenge.encode()
        if behaviour.drips == "headers":
            self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            return
        self.send_response(behaviour.status)
        for name, value in behaviour.headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.send_header("Content-Length", str(10**6 if behaviour.drips else len(answer)))
        self.end_headers()
        if behaviour.drips == "body":
            self._drip(b"")
        else:
            self.wfile.write(answer)

    def _drip(self, first: bytes) -> None:
        self.wfile.write(first)
        while not self.server.stopping.wait(1):
            self.wfile.write(b"x")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the parent's
        """The record says it all."""


def _challenge_in(body: bytes) -> str:
    with contextlib.suppress(ValueError, TypeError, KeyError):
        content = json.loads(body)
        if content["type"] == "channel.verify":
            return str(content["data"]["challenge"])
    return ""


def _behaviours_of(file: Path) -> Path:
    return file.with_suffix(".behaviours")
