"""The judge of hostile requests: no answer is a fault, but for the live stream, which has no end."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
import requests
import schemathesis
from schemathesis.engine.recorder import ScenarioRecorder

from tests.hostile.run import READ_STREAM, STREAM, Plan, run
from tests.hostile.stage import Keys
from tests.hostile.tally import NO_ANSWER, Tally

OTHER = "/api/v1/events"
DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "", "version": ""},
    "paths": {path: {"get": {"responses": {"200": {"description": ""}}}} for path in (STREAM, OTHER)},
}
KEYS = Keys(publisher="p", subscriber="s", others=())
Send = Callable[[dict[str, Any]], Awaitable[None]]


def unanswered(path: str) -> ScenarioRecorder:
    case = schemathesis.openapi.from_dict(DOCUMENT)[path]["GET"].Case()
    scenario = ScenarioRecorder(label="")
    scenario.record_case(case=case)
    request = requests.Request("GET", f"http://testserver{path}").prepare()
    scenario.record_request(case_id=case.id, request=request)
    return scenario


def test_a_request_without_an_answer_is_a_fault() -> None:
    tally = Tally(left_early=frozenset({READ_STREAM}), is_finished=True)
    tally.add("fuzzing", unanswered(STREAM))
    assert not tally.found
    tally.add("fuzzing", unanswered(OTHER))
    assert not tally.is_good
    assert tally.document()["faults"] == {NO_ANSWER: 1}
    assert f"GET http://testserver{OTHER}" in tally.report()


@pytest.mark.parametrize(("is_finished", "asked"), [(False, 1), (True, 2)])
def test_a_run_that_was_stopped_is_not_good(is_finished: bool, asked: int) -> None:
    tally = Tally(asked=asked, left_early=frozenset({READ_STREAM}), is_finished=is_finished)
    tally.add("fuzzing", unanswered(STREAM))
    assert not tally.is_good
    assert (tally.document()["asked"], tally.document()["is_finished"]) == (asked, is_finished)


async def never_begins(send: Send) -> None:
    await anyio.sleep_forever()


async def breaks(send: Send) -> None:
    raise RuntimeError("broken inside")


@pytest.mark.parametrize(("behaves", "is_good"), [(never_begins, True), (breaks, False)])
def test_the_stream_may_be_left_early_but_not_break(
    behaves: Callable[[Send], Awaitable[None]], is_good: bool
) -> None:
    async def application(scope: dict[str, Any], receive: object, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError  # which says that there is nothing to start
        if scope["path"] == STREAM:
            await behaves(send)
        body = json.dumps(DOCUMENT).encode()
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def load(config: schemathesis.Config) -> Any:
        whole = schemathesis.openapi.from_asgi("/openapi.json", application, config=config)
        return whole.include(path=STREAM)

    told: list[bool] = []
    plan = Plan(seed=7, requests=1, examples=1, phases=("fuzzing",))
    tally = run(plan, load, KEYS, tell=lambda so_far: told.append(so_far.is_finished))
    assert tally.is_good is is_good, tally.report()
    assert ("broken inside" in tally.report()) is not is_good
    assert told[-1] is True
