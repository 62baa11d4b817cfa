"""Requests made to cost much are refused for little. `python -m tests.bombs` measures the same over HTTP."""

import tracemalloc

import pytest
from django.test import Client

from tests.bombs.arsenal import Bomb, bombs
from tests.bombs.senders import headers_of, set_stage, stored
from tests.effort import effort
from tests.limits.measuring import Measured

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

MOST_BYTES = 64_000_000
MOST_CALLS = 1_000_000  # the most, 920,000 for a long text, take 36 ms: see benchmarks/results/bombs.json


def test_each_bomb_is_refused_within_its_budget_and_leaves_nothing(
    measured: Measured,
) -> None:
    senders = set_stage()
    before, wrong = stored(), []
    peaks: list[int] = []
    for bomb in bombs():
        if bomb.needs_server:
            continue
        body = bomb.body()
        client = Client(headers=headers_of(bomb, senders, body))
        status, peak, calls = sent(client, bomb, body)
        peaks.append(peak)
        if status != bomb.status or peak > MOST_BYTES or calls > MOST_CALLS:
            wrong.append(f"{bomb.name}: {status}, {peak:,} bytes, {calls:,} calls")
    assert not wrong, "\n".join(wrong)
    measured("memory for a request that is refused", max(peaks) / 1e6, "MB", at_most=MOST_BYTES / 1e6)
    assert stored() == before


def sent(client: Client, bomb: Bomb, body: bytes) -> tuple[int, int, int]:
    tracemalloc.start()
    with effort() as counted:
        answer = client.generic(bomb.method, bomb.path, body, content_type=bomb.kind)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return answer.status_code, peak, counted.calls
