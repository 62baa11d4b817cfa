"""`manage.py loadtest --fanout` tells how soon very many people's messages are planned, and sends none."""

import json
from pathlib import Path

import pytest

from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database

COUNTS = """
from notifications.models import Attempt, Channel, Delivery, SendingSwitch
active = Channel.objects.filter(owner__email__startswith="crowd-", state="active")
is_halted = SendingSwitch.objects.get().is_halted
print(Delivery.objects.count(), Attempt.objects.count(), active.count(), is_halted)
"""


def test_it_plans_for_everybody_and_leaves_nothing_to_be_sent(
    own_system: RunningSystem, tmp_path: Path
) -> None:
    path = tmp_path / "report.json"
    words = ("--fanout", "200", "--seconds", "1", "--subscriptions", "0")
    answer = own_system.manage("loadtest", *words, "--json", str(path))
    assert answer.returncode == 0, answer.stdout + answer.stderr
    figures = json.loads(path.read_text())["fanout"]
    assert figures["deliveries"] == 200
    assert 0 < figures["seconds_from_match"] <= figures["seconds_from_acceptance"]
    assert figures["others"]["p50"] <= figures["others"]["p99"]
    assert figures["sustained_matches"] >= 500
    deliveries, attempts, active, is_halted = own_system.manage(
        "shell", "-v", "0", "-c", COUNTS
    ).stdout.split()
    assert int(deliveries) >= 200 + 20 * 4 + 500
    assert (attempts, active, is_halted) == ("0", "0", "False")
