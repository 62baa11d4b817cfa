"""Load shedding: when too much work waits, publishers are asked to come later, before their body is read."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from prometheus_client import REGISTRY
from pytest_django import DjangoAssertNumQueries, Settings

from matching import batch_api, draining, shedding
from matching.live import LiveMatcher
from matching.models import MatchWork, PublishedEvent
from matching.shedding import Backlog
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.services import issue_key, publisher_named

pytestmark = pytest.mark.django_db

Send = Callable[..., Any]
BY_STAFF = schema_services.Author(None)


@pytest.fixture
def send(client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Send:
    """Sends to a service that takes no more when over 3 events wait, and counts them every time."""
    settings.BACKLOG_LIMIT = 3
    monkeypatch.setattr(shedding, "SECONDS_A_COUNT_IS_GOOD_FOR", 0)
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")
    schema_services.create_event_type(BY_STAFF, "lot", {"price": ["mandatory", "unique"]})
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    key = issue_key(publisher.user, [Scope.EVENTS])[1]

    def post(body: bytes, path: str = "", kind: str = "application/json") -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        return client.post(f"/api/v1/events{path}", body, content_type=kind, headers=headers)

    return post


def item(number: int) -> bytes:
    return json.dumps({"external_id": f"{number}", "event": {"event_type": ["lot"], "price": 5}}).encode()


def lines(count: int) -> bytes:
    return b"\n".join(item(number) for number in range(count))


def shed() -> float:
    return REGISTRY.get_sample_value("lesubscribe_requests_shed_total") or 0


def test_over_the_limit_nothing_is_taken_until_the_backlog_is_gone(send: Send) -> None:
    before = shed()
    assert [send(item(number)).status_code for number in range(4)] == [202] * 4
    answer = send(item(5))
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    assert answer.json()["type"] == "urn:lesubscribe:problem:overloaded"
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert send(lines(2), "/batch", "application/x-ndjson").status_code == 503
    assert PublishedEvent.objects.count() == 4
    assert shed() - before == 2

    draining.drain(LiveMatcher("quarantining"))
    assert send(item(5)).status_code == 202


@pytest.mark.parametrize(("path", "kind"), [("", "application/json"), ("/batch", "application/x-ndjson")])
def test_it_is_decided_before_the_body_is_read(send: Send, path: str, kind: str) -> None:
    for number in range(4):
        send(item(number))
    assert send(b"\xff no JSON", path, kind).status_code == 503


def test_a_batch_stops_where_it_becomes_too_much(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_api, "LINES_PER_TRANSACTION", 2)
    answer = send(lines(9), "/batch", "application/x-ndjson").json()
    assert [result["status"] for result in answer["results"]] == [202] * 4 + [503]
    assert (answer["accepted"], answer["rejected"]) == (4, 1)
    stop = answer["results"][-1]
    assert (stop["line"], stop["code"]) == (5, "overloaded")
    assert 1 <= stop["retry_after"] <= 60
    assert PublishedEvent.objects.count() == 4


def test_a_batch_that_ends_there_is_taken_whole(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_api, "LINES_PER_TRANSACTION", 2)
    answer = send(lines(4), "/batch", "application/x-ndjson").json()
    assert [result["status"] for result in answer["results"]] == [202] * 4


def test_a_dry_run_of_a_batch_is_not_shed(send: Send) -> None:
    for number in range(4):
        send(item(number))
    answer = send(lines(5), "/batch?dry_run=true", "application/x-ndjson")
    assert (answer.status_code, answer.json()["accepted"], answer.json()["repeated"]) == (200, 1, 4)


class TestBacklog:
    @pytest.fixture
    def work(self, send: Send, settings: Settings) -> None:
        settings.BACKLOG_LIMIT = 1_000
        send(lines(60), "/batch", "application/x-ndjson")

    @pytest.mark.usefixtures("work")
    def test_it_is_counted_once_a_second(
        self, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        monkeypatch.setattr(shedding, "SECONDS_A_COUNT_IS_GOOD_FOR", 1.0)
        moment = 100.0
        backlog = Backlog(50, clock=lambda: moment)
        with django_assert_num_queries(1):
            assert all(backlog.is_too_long() for _ in range(20))
        MatchWork.objects.all().delete()
        assert backlog.is_too_long()
        moment = 101.0
        assert not backlog.is_too_long()

    @pytest.mark.usefixtures("work")
    def test_the_wait_goes_by_what_was_matched_meanwhile(self) -> None:
        moment = 100.0
        backlog = Backlog(40, clock=lambda: moment)
        assert backlog.is_too_long()
        assert backlog.seconds_to_wait() == 1  # at the usual rate
        moment = 104.0
        oldest = MatchWork.objects.order_by("pk").values("pk")[:8]
        MatchWork.objects.filter(pk__in=list(oldest.values_list("pk", flat=True))).delete()
        assert backlog.is_too_long()
        assert backlog.seconds_to_wait() == 6  # 12 too many, two in a second

    @pytest.mark.usefixtures("work")
    def test_it_is_not_counted_much_further_than_the_limit(self) -> None:
        backlog = Backlog(10)
        assert backlog.is_too_long()
        assert backlog._count == 20
