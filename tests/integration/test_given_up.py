"""A receiver that never takes what it is sent: how often and how long it is tried, by a clock of ours."""

from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from notifications import claims, outcomes, sending
from notifications.core.attempts import MOST_ATTEMPTS
from notifications.models import Attempt
from schema_registry.accounts.models import User
from tests.integration.waiting import add_channel, plan
from tests.limits.measuring import Measured
from tests.sinks import Behaviour, HttpSink
from tests.stress.service_clock import Clock, going_by

pytestmark = pytest.mark.django_db

A_MOMENT = timedelta(seconds=1)  # that clock has whole seconds for SQLite


def test_a_delivery_that_never_arrives_is_tried_twelve_times_over_four_days(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, measured: Measured
) -> None:
    settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
    monkeypatch.setattr(outcomes, "_chance", lambda: 0.0)  # it only ever makes the gaps longer
    clock = Clock()
    with HttpSink(tmp_path / "receipts") as sink, going_by(clock):
        sink.behave(Behaviour(status=500))
        channel = add_channel(User.objects.create_user("reader@example.org"), sink.url())
        (delivery,) = plan(channel)
        for _ in range(2 * MOST_ATTEMPTS):
            monkeypatch.setattr(claims, "_hints", claims.Hints())  # those there are go by another clock
            sending.deliver(seconds=600)
            delivery.refresh_from_db()
            channel.refresh_from_db()
            if delivery.state != "waiting":
                break
            assert channel.resume_at is not None
            clock.now = max(delivery.next_attempt_at, channel.resume_at) + A_MOMENT
        receipts = sink.receipts()
    assert (delivery.state, channel.state) == ("dead", "active")
    assert len({receipt.id for receipt in receipts}) == 1
    measured("attempts of a delivery that never arrives", len(receipts), at_least=12, at_most=12)
    began = list(Attempt.objects.order_by("number").values_list("began_at", flat=True))
    assert len(began) == len(receipts)
    hours = (began[-1] - began[0]) / timedelta(hours=1)
    measured("from the first attempt of a delivery to its last", hours, "h", at_least=96)
