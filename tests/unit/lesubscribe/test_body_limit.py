import asyncio
import json
from typing import Any

import pytest

from lesubscribe.body_limit import BodyLimit


def answer_to(
    chunks: list[bytes], *, declared: int | None = None, path: str = "/"
) -> tuple[list[dict[str, Any]], bytes]:
    """What is sent for a body of these chunks, and what the application behind the limit read."""
    read = b""
    sent: list[dict[str, Any]] = []

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        nonlocal read
        while (message := await receive())["type"] == "http.request":
            read += message["body"]
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b"fine"})
                return

    waiting = [
        {"type": "http.request", "body": chunk, "more_body": number < len(chunks) - 1}
        for number, chunk in enumerate(chunks)
    ]

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [] if declared is None else [(b"content-length", str(declared).encode())]
    limit = BodyLimit(application, most_bytes=10, larger={"/api/": 20, "/api/lines": 30})
    asyncio.run(limit({"type": "http", "headers": headers, "path": path}, receive, send))
    return sent, read


def test_a_body_within_the_limit_passes() -> None:
    sent, read = answer_to([b"12345", b"67890"], declared=10)
    assert (sent[0]["status"], read) == (200, b"1234567890")


def test_a_declared_length_over_the_limit_is_refused_unread() -> None:
    sent, read = answer_to([b"x" * 21], declared=21, path="/api/one")
    assert (sent[0]["status"], read) == (413, b"")
    assert json.loads(sent[1]["body"])["title"] == "Too large"
    sent, read = answer_to([b"x" * 11], declared=11, path="/form")
    assert (sent[0]["status"], read) == (413, b"")
    assert sent[1]["body"] == b"The body is over 10 bytes, the most that is taken."


@pytest.mark.parametrize("declared", [None, 3])
def test_a_body_that_grows_over_the_limit_is_refused_once(declared: int | None) -> None:
    sent, read = answer_to([b"12345", b"67890", b"1"], declared=declared)
    assert [message["status"] for message in sent if message["type"] == "http.response.start"] == [413]
    assert read == b"1234567890"


@pytest.mark.parametrize(
    ("path", "most"), [("/", 10), ("/page/api/", 10), ("/api/one", 20), ("/api/lines", 30)]
)
def test_some_addresses_take_more(path: str, most: int) -> None:
    assert answer_to([b"x" * most], path=path)[0][0]["status"] == 200
    assert answer_to([b"x" * most, b"x"], path=path)[0][0]["status"] == 413
