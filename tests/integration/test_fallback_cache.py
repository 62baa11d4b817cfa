"""The cache while Redis is away: nothing fails, and Redis is used again when it is back."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from django.test import Client
from pytest_django import Settings
from structlog.testing import capture_logs

from lesubscribe import embedded_redis, fallback_cache
from lesubscribe.fallback_cache import FallbackCache
from tests.integration.signing_in import is_signed_in, person, sign_in
from tests.running_system import wait_until

pytestmark = pytest.mark.any_database


@pytest.fixture
def away(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    """A Redis that is not there, until somebody starts it."""
    binary = embedded_redis.find_binary()
    embedded_redis.prepare(tmp_path, binary)
    location = f"unix://{embedded_redis.socket_path(tmp_path)}"
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": location}}
    yield tmp_path
    fallback_cache._Absence.ask_again_at = float("-inf")


def test_what_is_kept_while_it_is_away_is_kept_in_memory(away: Path) -> None:
    cache = caches["default"]
    assert isinstance(cache, FallbackCache)
    assert cache.add("turn", 1)
    assert not cache.add("turn", 2)
    assert cache.get("turn") == 1
    cache.delete("turn")
    assert cache.get("turn", "nothing") == "nothing"


@pytest.mark.django_db
def test_people_can_sign_in_while_it_is_away(away: Path, client: Client) -> None:
    reader = person()
    answer = client.post("/accounts/login/", {"login": reader.email, "password": "wrong"})
    assert answer.status_code == 200
    assert "not correct" in answer.content.decode()
    sign_in(client, reader)
    assert is_signed_in(client)


def test_who_knows_that_it_is_away_does_not_ask_and_hears_no_warning(away: Path) -> None:
    with capture_logs() as log, fallback_cache.in_memory_only():
        caches["default"].set("kept", "in memory")
        assert caches["default"].get("kept") == "in memory"
    assert log == []
    with capture_logs() as log:
        caches["default"].get("kept")
    assert [line["event"] for line in log] == ["cache_is_in_memory"]


def test_it_is_used_again_when_it_is_back(away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallback_cache, "_SECONDS_LEFT_ALONE", 0.0)
    cache = caches["default"]
    cache.set("kept", "in memory")
    binary = embedded_redis.find_binary()
    with subprocess.Popen(embedded_redis.command(away, binary), stdout=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: cache.get("kept") is None, seconds=120)
            cache.set("kept", "in Redis")
            assert cache.get("kept") == "in Redis"
        finally:
            server.kill()
