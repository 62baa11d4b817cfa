"""/healthz, /readyz and /metrics: each part answers for itself."""

import time
from typing import Any

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import Settings

from lesubscribe import health
from matching.live import LiveMatcher
from matching.probing import MatcherState, probe_matcher
from tests.integration import cached

pytestmark = pytest.mark.django_db

QUEUES = ("match", "plan", "deliver", "maintenance")


@pytest.fixture(autouse=True)
def forget_probes() -> None:
    cached.forget()


def test_healthz_answers_without_looking_at_anything(client: Client, settings: Settings) -> None:
    settings.CACHES = nowhere(settings)
    assert client.get("/healthz").content == b"ok\n"


def test_readyz_is_green_when_every_queue_has_answered_a_probe(client: Client) -> None:
    for queue in QUEUES:
        health.record_probe(queue)
    health.record_matcher(MatcherState(subscriptions=7, sequence=0))
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["ready"] is True
    assert set(answer.json()["parts"]) == {
        "database",
        "migrations",
        "redis",
        *(f"worker:{q}" for q in QUEUES),
        "matcher",
    }
    assert answer.json()["parts"]["matcher"]["detail"] == "engine: 7 subscriptions, 0 changes behind"


def test_readyz_is_red_until_a_probe_event_was_matched(client: Client) -> None:
    for queue in QUEUES:
        health.record_probe(queue)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"]["matcher"]["detail"] == "no worker has matched a probe event yet"
    health.record_matcher(probe_matcher(LiveMatcher("quarantining")))
    assert client.get("/readyz").status_code == 200


def test_readyz_names_the_queue_that_has_not_answered(client: Client) -> None:
    for queue in ("match", "plan", "deliver"):
        health.record_probe(queue)
    health.record_matcher(MatcherState(subscriptions=7, sequence=0))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    red = {name: part["detail"] for name, part in answer.json()["parts"].items() if not part["ok"]}
    assert red == {"worker:maintenance": "no worker has answered a probe yet"}


def test_a_probe_answered_long_ago_does_not_count(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = time.time()
    monkeypatch.setattr(time, "time", lambda: moment)
    for queue in QUEUES:
        health.record_probe(queue)
    later = moment + health.STALE_AFTER_SECONDS + 5
    monkeypatch.setattr(time, "time", lambda: later)
    assert "no worker has answered a probe for 25 s" in client.get("/readyz").content.decode()


def test_a_missing_migration_shows(client: Client) -> None:
    MigrationRecorder.Migration.objects.filter(app="accounts").delete()
    part = client.get("/readyz").json()["parts"]["migrations"]
    assert not part["ok"]
    assert "not applied" in part["detail"]


def test_without_redis_the_database_is_still_reported_green(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    parts = client.get("/readyz").json()["parts"]
    assert not parts["redis"]["ok"]
    assert parts["database"]["ok"]


def test_metrics_are_in_the_text_format_of_prometheus(client: Client) -> None:
    client.get("/healthz")
    answer = client.get("/metrics")
    assert answer["Content-Type"].startswith("text/plain")
    assert b"django_http_requests_total_by_view_transport_method_total" in answer.content


def test_figures_and_reasons_are_not_for_the_world(client: Client, admin_client: Client) -> None:
    stranger: Any = {"REMOTE_ADDR": "93.184.216.34"}
    assert client.get("/metrics", **stranger).status_code == 404
    assert "detail" not in client.get("/readyz", **stranger).json()["parts"]["database"]
    assert admin_client.get("/metrics", **stranger).status_code == 200


def test_answers_from_before_a_restart_do_not_count(client: Client) -> None:
    for queue in QUEUES:
        health.record_probe(queue)
    health.forget_probes()
    assert client.get("/readyz").status_code == 503


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_only_take_safe_methods(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405


def nowhere(settings: Settings) -> dict[str, object]:
    return {"default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere/redis.sock"}}
