"""No more requests at a time than can be answered soon."""

import asyncio
import json
from collections import Counter
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from prometheus_client import REGISTRY

from lesubscribe.asgi import SynchronousHandler
from lesubscribe.crowding import AT_WORK, Crowd, CrowdLimit

Answers = list[dict[str, Any]]


def asked(application: CrowdLimit, path: str, languages: str = "") -> Answers:
    """What it sends."""
    sent: Answers = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        raise AssertionError("nothing of it is read")

    headers = [(b"accept-language", languages.encode())] if languages else []
    asyncio.run(application({"type": "http", "path": path, "headers": headers}, receive, send))
    return sent


async def answering(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "answered"})


def test_programs_leave_a_quarter_of_the_room_to_people_and_probes_always_get_in() -> None:
    crowd = Crowd(8)
    paths = ("/api/v1/events", "/feed", "/healthz")

    async def room(count: int) -> list[bool]:
        if count == 0:
            return [crowd.has_room(path) for path in paths]
        async with crowd.entered("/feed"):
            return await room(count - 1)

    assert asyncio.run(room(5)) == [True, True, True]
    assert asyncio.run(room(6)) == [False, True, True]
    assert asyncio.run(room(8)) == [False, False, True]
    assert asyncio.run(room(0)) == [True, True, True]


def test_only_some_are_worked_on_and_probes_do_not_wait_for_their_turn() -> None:
    crowd = Crowd(2 * AT_WORK)
    at_work: list[str] = []

    async def enter(path: str, go_on: asyncio.Event) -> None:
        async with crowd.entered(path):
            at_work.append(path)
            await go_on.wait()

    async def run() -> None:
        go_on = asyncio.Event()
        tasks = [asyncio.create_task(enter("/feed", go_on)) for _ in range(AT_WORK + 5)]
        tasks.append(asyncio.create_task(enter("/healthz", go_on)))
        for _ in range(3):
            await asyncio.sleep(0)
        assert Counter(at_work) == {"/feed": AT_WORK, "/healthz": 1}
        go_on.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())
    assert Counter(at_work) == {"/feed": AT_WORK + 5, "/healthz": 1}
    assert crowd._count == 0


def test_a_refusal_says_when_to_come_again_in_the_language_that_is_asked_for() -> None:
    before = REGISTRY.get_sample_value("lesubscribe_requests_shed_total") or 0
    full = CrowdLimit(answering, Crowd(0))
    start, body = asked(full, "/api/v1/events", "fr")
    problem = json.loads(body["body"])
    assert (start["status"], dict(start["headers"])[b"retry-after"]) == (503, b"2")
    assert dict(start["headers"])[b"content-type"] == b"application/problem+json"
    assert dict(start["headers"])[b"content-length"] == str(len(body["body"])).encode()
    assert problem["type"] == "urn:lesubscribe:problem:overloaded"
    assert problem["detail"].startswith("Trop de requêtes")
    page, _ = asked(full, "/feed")
    assert dict(page["headers"])[b"content-type"] == b"text/html; charset=utf-8"
    assert asked(full, "/healthz") == [{"type": "answered"}]
    assert (REGISTRY.get_sample_value("lesubscribe_requests_shed_total") or 0) - before == 2


def test_a_request_counts_while_it_is_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Crowd(4)
    handler = SynchronousHandler(crowd)
    seen: list[int] = []

    async def answer(request: HttpRequest) -> HttpResponse:
        seen.append(crowd._count)
        return HttpResponse("done")

    monkeypatch.setattr(handler, "_answer_in_a_thread", answer)
    asyncio.run(handler.get_response_async(RequestFactory().get("/api/v1/matches")))
    assert (seen, crowd._count) == ([1], 0)
