"""The embedded Redis as a real process."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from lesubscribe import embedded_redis
from tests.running_system import wait_until


@contextmanager
def running_redis(var: Path) -> Iterator[tuple[subprocess.Popen[bytes], redis.Redis]]:
    binary = embedded_redis.find_binary()
    embedded_redis.prepare(var, binary)
    with subprocess.Popen(embedded_redis.command(var, binary), stdout=subprocess.DEVNULL) as process:
        client = redis.Redis(unix_socket_path=str(embedded_redis.socket_path(var)))
        wait_until(lambda: answers(client), seconds=120)
        yield process, client
        process.kill()


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False


def test_its_data_survives_sigkill(tmp_path: Path) -> None:
    with running_redis(tmp_path) as (process, client):
        client.set("key", "value")
        process.kill()
        process.wait()
    with running_redis(tmp_path) as (_, client):
        assert client.get("key") == b"value"


def test_only_its_owner_can_reach_it_and_only_through_the_socket(tmp_path: Path) -> None:
    with running_redis(tmp_path) as (_, client):
        assert client.config_get("port") == {"port": "0"}
        socket = embedded_redis.socket_path(tmp_path)
        assert socket.stat().st_mode & 0o777 == 0o700
        assert socket.parent.stat().st_mode & 0o777 == 0o700


def test_it_works_under_a_var_too_deep_for_a_socket(tmp_path: Path) -> None:
    var = tmp_path / ("d" * 60) / ("e" * 60)
    var.mkdir(parents=True)
    with running_redis(var) as (_, client):
        assert client.ping()
    socket = embedded_redis.socket_path(var)
    socket.unlink(missing_ok=True)
    socket.parent.rmdir()


def test_an_old_system_redis_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "redis-server"
    old.write_text("#!/bin/sh\necho 'Redis server v=5.0.7 sha=00000000:0'\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert embedded_redis.find_binary().path != str(old)
