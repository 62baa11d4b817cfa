"""Where the embedded Redis listens, and what it does with data it cannot read."""

from pathlib import Path

import pytest

from lesubscribe import embedded_redis
from lesubscribe.embedded_redis import LONGEST_SOCKET_PATH, RedisBinary


@pytest.fixture
def deep_var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    var = tmp_path / ("d" * 60) / ("e" * 60)
    var.mkdir(parents=True)
    return var


def test_the_socket_lies_in_var() -> None:
    assert embedded_redis.socket_path(Path("/srv/var")) == Path("/srv/var/redis/redis.sock")


def test_a_var_too_deep_for_a_socket_gets_a_short_private_directory(deep_var: Path) -> None:
    socket = embedded_redis.socket_path(deep_var)
    assert len(bytes(socket)) <= LONGEST_SOCKET_PATH
    assert socket.parent.stat().st_mode & 0o777 == 0o700


def test_all_processes_agree_on_that_directory(deep_var: Path) -> None:
    assert embedded_redis.socket_path(deep_var) == embedded_redis.socket_path(deep_var)


def test_a_directory_that_went_away_is_made_anew(deep_var: Path) -> None:
    lost = embedded_redis.socket_path(deep_var)
    lost.parent.rmdir()
    assert embedded_redis.socket_path(deep_var) != lost
    assert embedded_redis.socket_path(deep_var).parent.is_dir()


def test_a_directory_that_others_may_enter_is_not_used(deep_var: Path) -> None:
    opened = embedded_redis.socket_path(deep_var)
    opened.parent.chmod(0o755)
    assert embedded_redis.socket_path(deep_var) != opened


def test_an_append_only_file_of_a_newer_redis_is_set_aside_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "redis" / "appendonlydir").mkdir(parents=True)
    notice = embedded_redis.prepare(tmp_path, RedisBinary("redis-server", 6))
    assert notice is not None
    assert "set aside" in notice
    assert [path.name[:23] for path in (tmp_path / "redis").iterdir()] == ["appendonlydir.set-aside"]


def test_a_newer_redis_keeps_its_append_only_file(tmp_path: Path) -> None:
    (tmp_path / "redis" / "appendonlydir").mkdir(parents=True)
    assert embedded_redis.prepare(tmp_path, RedisBinary("redis-server", 7)) is None
    assert (tmp_path / "redis" / "appendonlydir").exists()
