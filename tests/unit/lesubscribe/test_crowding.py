"""No more requests at a time than can be answered soon."""

import asyncio
import json
import threading
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from prometheus_client import REGISTRY

from lesubscribe.asgi import SynchronousHandler
from lesubscribe.crowding import Crowd, refusal


def test_programs_leave_a_quarter_of_the_room_to_people_and_probes_always_get_in() -> None:
    crowd = Crowd(8)
    paths = ("/api/v1/events", "/feed", "/healthz")

    def room(count: int) -> list[bool]:
        if count == 0:
            return [crowd.has_room(path) for path in paths]
        with crowd.entered():
            return room(count - 1)

    assert room(5) == [True, True, True]
    assert room(6) == [False, True, True]
    assert room(8) == [False, False, True]
    assert room(0) == [True, True, True]


def test_a_refusal_says_when_to_come_again_in_the_language_that_is_asked_for() -> None:
    before = REGISTRY.get_sample_value("lesubscribe_requests_shed_total") or 0
    request = RequestFactory().post("/api/v1/events", headers={"Accept-Language": "fr"})
    answer = refusal(request)
    problem = json.loads(answer.content)
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert answer["Content-Type"] == "application/problem+json"
    assert problem["type"] == "urn:lesubscribe:problem:overloaded"
    assert problem["detail"].startswith("Trop de requêtes")
    page = refusal(RequestFactory().get("/feed"))
    assert (page.status_code, page["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert page["Retry-After"] == "2"
    assert (REGISTRY.get_sample_value("lesubscribe_requests_shed_total") or 0) - before == 2


def test_who_comes_on_top_is_refused_while_the_others_are_worked_on(monkeypatch: Any) -> None:
    go_on = threading.Event()

    def answer(self: SynchronousHandler, request: HttpRequest) -> HttpResponse:
        go_on.wait(30)
        return HttpResponse("done")

    monkeypatch.setattr(SynchronousHandler, "_answer", answer)
    handler = SynchronousHandler()
    handler._crowd = Crowd(4)

    async def statuses() -> list[int]:
        requests = [RequestFactory().get("/api/v1/matches") for _ in range(5)]
        waiting = [asyncio.ensure_future(handler.get_response_async(request)) for request in requests]
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert {each.result().status_code for each in done} == {503}
        go_on.set()
        answers = await asyncio.gather(*waiting)
        return sorted(each.status_code for each in answers)

    assert asyncio.run(statuses()) == [200, 200, 200, 503, 503]
