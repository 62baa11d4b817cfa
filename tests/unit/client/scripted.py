"""A real HTTP server that answers by a script, for what a healthy system does not do."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

from lesubscribe_client.caller import Caller


@dataclass(frozen=True, slots=True)
class Reply:
    """`document` is sent as JSON, `content` as it is."""

    status: int
    document: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""


AClient = TypeVar("AClient", bound=Caller)
CUT = None  # the connection is closed without an answer


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@contextmanager
def client(
    kind: type[AClient], *replies: Reply | None, patience: float = 60
) -> Iterator[tuple[AClient, list[Asked]]]:
    """A client of such a server, and what the server was asked so far."""
    with answering(*replies) as (address, asked), kind(address, "ls_key", patience=patience) as made:
        yield made, asked


@contextmanager
def answering(*replies: Reply | None) -> Iterator[tuple[str, list[Asked]]]:
    """Its address, and what it was asked so far. It gives these answers one after another."""
    left, asked = list(replies), []

    class Answers(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append(Asked(self.command, self.path, dict(self.headers), body))
            reply = left.pop(0)
            if reply is CUT:
                return
            content = reply.content or (
                b"" if reply.document is None else json.dumps(reply.document).encode()
            )
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815 - names of the base class

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base class
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()
