"""Limits per key: every answer says where its sender stands, and too many requests are refused unread."""

import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings as configured
from django.test import Client
from pytest_django import Settings
from structlog.testing import capture_logs

from matching.models import PublishedEvent
from schema_registry.accounts import limits
from schema_registry.accounts.limits import RequestCounter, Standing
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

MOMENT = 1_800_000_003.0  # three seconds into a window
PROBLEM = "application/problem+json"


@pytest.fixture(autouse=True)
def a_window_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    redis.Redis.from_url(configured.REDIS_URL).flushdb()
    monkeypatch.setattr(time, "time", lambda: MOMENT)


@pytest.fixture
def few(settings: Settings) -> None:
    settings.RATE_LIMIT = 3


def bearer(name: str = "Hôtel des ventes") -> dict[str, str]:
    publisher = publisher_named(name, state=Publisher.State.APPROVED)
    return {"Authorization": f"Bearer {issue_key(publisher.user, [Scope.EVENTS])[1]}"}


def test_every_answer_says_where_its_sender_stands(client: Client) -> None:
    mine, wrong = bearer(), {"Authorization": "Bearer ls_nothing"}
    left = []
    for path, headers, status in [
        ("schema", mine, 200),
        ("events/7", mine, 404),
        ("events?external_id=7", mine, 200),
        ("matches", mine, 403),
        ("nowhere", {}, 404),
        ("events/7", wrong, 401),
        ("schema", {}, 200),
    ]:
        answer = client.get(f"/api/v1/{path}", headers=headers)
        assert answer.status_code == status
        assert answer["RateLimit-Policy"] == '"default";q=4000;w=10'
        found = re.fullmatch(r'"default";r=(\d+);t=7', answer["RateLimit"])
        assert found
        left.append(int(found[1]))
    assert left == [3999, 3998, 3997, 3996, 3999, 3998, 3997]


@pytest.mark.usefixtures("few")
def test_too_many_requests_are_refused_before_their_body_is_read(client: Client) -> None:
    mine = bearer()
    body = json.dumps({"external_id": "1", "event": {}})

    def post(body: str) -> int:
        answer = client.post("/api/v1/events", body, content_type="application/json", headers=mine)
        if answer.status_code == 429:
            assert answer["Content-Type"] == PROBLEM
            assert (answer["Retry-After"], answer["RateLimit"]) == ("7", '"default";r=0;t=7')
            assert answer.json()["type"] == "urn:lesubscribe:problem:too-many-requests"
            assert "More than 3 requests" in answer.json()["detail"]
        return answer.status_code

    assert [post(body) for _ in range(3)] == [422, 422, 422]
    assert [post("no JSON at all"), post(body)] == [429, 429]
    assert not PublishedEvent.objects.exists()


@pytest.mark.usefixtures("few")
def test_each_key_each_person_and_each_address_counts_for_itself(client: Client) -> None:
    person = Client()
    person.force_login(User.objects.create_user("reader@example.org"))
    publisher, other = bearer(), bearer("Another house")
    for _ in range(4):
        last = [
            client.get("/api/v1/schema", headers=publisher),
            person.get("/api/v1/schema"),
            client.get("/api/v1/schema", REMOTE_ADDR="192.0.2.1"),
        ]
    assert [answer.status_code for answer in last] == [429, 429, 429]
    assert client.get("/api/v1/schema", headers=other).status_code == 200
    assert client.get("/api/v1/schema", REMOTE_ADDR="192.0.2.2").status_code == 200


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("path", "usual"), [("events/7", 401), ("nowhere", 404)])
def test_wrong_keys_and_wrong_addresses_count_too(client: Client, path: str, usual: int) -> None:
    wrong = {"Authorization": "Bearer ls_nothing"}
    answers = [client.get(f"/api/v1/{path}", headers=wrong) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [usual, usual, usual, 429, 429]
    assert (answers[-1]["Content-Type"], answers[-1]["Retry-After"]) == (PROBLEM, "7")


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/metrics", "/accounts/login/", "/api/docs/"])
def test_pages_and_probes_are_not_limited(client: Client, path: str) -> None:
    answers = [client.get(path) for _ in range(5)]
    assert 429 not in {answer.status_code for answer in answers}
    assert "RateLimit" not in answers[-1]


def test_the_default_never_bites_below_200_requests_a_second() -> None:
    assert configured.RATE_LIMIT >= 2 * 200 * limits.WINDOW_SECONDS, "twice, for bursts"


def test_the_next_window_starts_anew() -> None:
    counter = RequestCounter(configured.REDIS_URL)
    standings = [counter.count("me", limit=2, now=now) for now in (20.0, 23.4, 29.9, 30.0)]
    assert standings == [Standing(2, 1, 10), Standing(2, 2, 7), Standing(2, 3, 1), Standing(2, 1, 10)]
    assert [standing is not None and standing.is_over for standing in standings] == [
        False,
        False,
        True,
        False,
    ]


class TestWithoutRedis:
    @pytest.fixture
    def silent(self, tmp_path: Path) -> Iterator[str]:
        """The address of something that takes connections and never says a word."""
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tmp_path / "silent.sock"))
            server.listen()
            yield f"unix://{tmp_path / 'silent.sock'}"

    def test_nobody_is_limited(self, client: Client, settings: Settings) -> None:
        settings.RATE_LIMIT = 1
        settings.REDIS_URL = "unix:///nowhere/redis.sock"
        answers = [client.get("/api/v1/schema") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        assert "RateLimit" not in answers[-1]

    def test_a_silent_one_is_left_alone_for_some_seconds(self, silent: str) -> None:
        moment = 100.0
        counter = RequestCounter(silent, clock=lambda: moment)
        waits = counter._redis.connection_pool.connection_kwargs
        assert max(waits["socket_timeout"], waits["socket_connect_timeout"]) <= 0.2
        with capture_logs() as log:
            assert [counter.count("me", limit=1) for _ in range(100)] == [None] * 100
            assert [line["event"] for line in log] == ["requests_are_not_limited"], "asked once"
            moment = 110.0
            assert counter.count("me", limit=1) is None
        assert len(log) == 2, "asked again"

    def test_it_is_used_again_once_it_is_back(self) -> None:
        moment = 100.0
        counter = RequestCounter("unix:///nowhere/redis.sock", clock=lambda: moment)
        assert counter.count("me", limit=1) is None
        counter._redis = RequestCounter(configured.REDIS_URL)._redis
        assert counter.count("me", limit=1) is None
        moment = 110.0
        assert counter.count("me", limit=1) is not None
