"""Every reader accepts what it says, and a bad value names its variable."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lesubscribe import env


@pytest.fixture
def variable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda value: monkeypatch.setenv("THING", value)


def test_a_variable_that_is_not_set_or_blank_takes_its_default(variable: Callable[[str], None]) -> None:
    assert env.text("THING", default="x") == "x"
    variable("  ")
    assert env.text("THING", default="x") == "x"


def test_an_integer_is_read_within_its_bounds(variable: Callable[[str], None]) -> None:
    variable("17")
    assert env.integer("THING", default=1, minimum=0, maximum=20) == 17


def test_words_are_separated_by_commas(variable: Callable[[str], None]) -> None:
    variable("a.example.org, b.example.org,")
    assert env.words("THING") == ["a.example.org", "b.example.org"]


@pytest.mark.parametrize(
    ("read", "bad"),
    [
        (lambda: env.integer("THING", default=1, minimum=0, maximum=20), "21"),
        (lambda: env.integer("THING", default=1, minimum=0, maximum=20), "many"),
        (lambda: env.choice("THING", ["red", "green"], default="red"), "blue"),
        (lambda: env.web_address("THING", default="http://localhost"), "localhost:8000"),
        (lambda: env.web_address("THING", default="http://localhost"), "https://example.org/path"),
        (lambda: env.database("THING", default="sqlite:///x"), "oracle://host/name"),
        (lambda: env.database("THING", default="sqlite:///x"), "postgresql://host"),
        (lambda: env.database("THING", default="sqlite:///x"), "postgresql://host:port/name"),
        (lambda: env.redis_url("THING", default="unix:///x"), "http://localhost"),
        (lambda: env.redis_url("THING", default="unix:///x"), "unix://relative/path"),
        (lambda: env.redis_url("THING", default="unix:///x"), "redis://["),
        (lambda: env.redis_url("THING", default="unix:///x"), "redis://127.0.0.1:notaport/0"),
        (lambda: env.database("THING", default="sqlite:///x"), "postgresql://u:p@[::1/db"),
        (lambda: env.web_address("THING", default="http://localhost"), "http://["),
        (lambda: env.web_address("THING", default="http://localhost"), "http://localhost:abc"),
        (lambda: env.email("THING"), "carrier-pigeon://coop"),
    ],
)
def test_a_bad_value_names_its_variable(
    read: Callable[[], Any], bad: str, variable: Callable[[str], None]
) -> None:
    variable(bad)
    with pytest.raises(env.BadSetting, match=r"^THING must be "):
        read()


def test_a_password_is_not_repeated_in_the_message(variable: Callable[[str], None]) -> None:
    variable("oracle://scott:tiger@host/name")
    with pytest.raises(env.BadSetting) as raised:
        env.database("THING", default="sqlite:///x")
    assert "tiger" not in str(raised.value)


def test_a_directory_is_made_private(variable: Callable[[str], None], tmp_path: Path) -> None:
    variable("deep/down")
    directory = env.directory("THING", default="var", relative_to=tmp_path)
    assert directory == tmp_path / "deep" / "down"
    assert directory.stat().st_mode & 0o777 == 0o700


def test_a_directory_that_cannot_be_written_names_its_variable(
    variable: Callable[[str], None], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    variable(str(tmp_path / "file" / "below"))
    with pytest.raises(env.BadSetting, match="THING must be a directory we can write to"):
        env.directory("THING", default="var", relative_to=tmp_path)
