"""Requests of every shape that the OpenAPI document allows, and of many it does not: no answer is a surprise.

`python -m tests.hostile` is the long run of the same.
"""

import logging
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler

from tests.hostile.run import STREAM, Plan, run
from tests.hostile.stage import set_stage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database]

# The examples and what is enumerated of each operation, then some that are drawn, then some sequences.
SHORT = Plan(seed=secrets.randbelow(1_000_000), requests=1, examples=3, has_worker=False)


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """A line for each refusal would take as long as they do."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def test_every_answer_is_documented_and_none_is_a_server_error(capsys: pytest.CaptureFixture[str]) -> None:
    application = WSGIHandler()

    def load(config: schemathesis.Config) -> Any:
        whole = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application, config=config)
        return whole.exclude(path=STREAM)  # without an event loop it would never end

    with capsys.disabled():
        print(f" seed {SHORT.seed}", end=" ", flush=True)
    tally = run(SHORT, load, set_stage(), tell=lambda _tally: None)
    assert tally.is_good, tally.report()
    assert {"coverage", "fuzzing", "stateful"} <= set(tally.phases)
    answered_well = [
        name for name, found in tally.statuses.items() if any(200 <= each < 300 for each in found)
    ]
    assert len(answered_well) > len(tally.statuses) / 2, "most get past their keys"
