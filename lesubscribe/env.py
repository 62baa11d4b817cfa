"""Typed readers of environment variables; a bad value stops startup with the variable's name.

Each reader takes the variable's name and a default, and raises `BadSetting` with one sentence that
says what was expected. `settings.py` is the only caller, so every variable is read once.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured


class BadSetting(ImproperlyConfigured):
    """An environment variable whose value cannot be used."""

    def __init__(self, name: str, expected: str, found: str | None = None) -> None:
        shown = "" if found is None else f", not {found!r}"
        super().__init__(f"{name} must be {expected}{shown}.")


def text(name: str, *, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def integer(name: str, *, default: int, minimum: int, maximum: int) -> int:
    raw = text(name, default=str(default))
    try:
        value = int(raw)
    except ValueError:
        value = minimum - 1
    if not minimum <= value <= maximum:
        raise BadSetting(name, f"a whole number from {minimum} to {maximum}", raw)
    return value


def number(name: str, *, default: float, minimum: float, maximum: float) -> float:
    raw = text(name, default=str(default))
    try:
        value = float(raw)
    except ValueError:
        value = minimum - 1
    if not minimum <= value <= maximum:
        raise BadSetting(name, f"a number from {minimum:g} to {maximum:g}", raw)
    return value


def choice(name: str, choices: Sequence[str], *, default: str) -> str:
    value = text(name, default=default)
    if value not in choices:
        raise BadSetting(name, "one of " + ", ".join(choices), value)
    return value


def words(name: str, *, default: Sequence[str] = ()) -> list[str]:
    """A comma-separated list."""
    raw = text(name)
    return [word.strip() for word in raw.split(",") if word.strip()] if raw else list(default)


def web_address(name: str, *, default: str) -> str:
    value = text(name, default=default).rstrip("/")
    expected = "an address such as https://auctions.example.org, without a path"
    parts = _parts(name, value, expected)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query:
        raise BadSetting(name, expected, value)
    return value


def directory(name: str, *, default: str, relative_to: Path) -> Path:
    """A directory we can write to, made with mode 0700 if it is missing."""
    path = relative_to / Path(text(name, default=default)).expanduser()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Permission bits alone do not tell: root passes them, and read-only file systems do not show in them.
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise BadSetting(name, f"a directory we can write to ({error.strerror})", str(path)) from None
    return path.resolve()


def place(name: str, *, default: str, relative_to: Path) -> str:
    """A directory as above, or the URL of one on shared storage, as it is written."""
    given = text(name, default=default)
    return given if "://" in given else str(directory(name, default=default, relative_to=relative_to))


def database(name: str, *, default: str) -> dict[str, Any]:
    """Django's description of a PostgreSQL or SQLite database, from its URL."""
    raw = text(name, default=default)
    expected = "postgresql://user:password@host/name or sqlite:///path"
    if _parts(name, raw, expected).scheme not in ("postgres", "postgresql", "sqlite"):
        raise BadSetting(name, expected, _without_password(raw))
    try:
        config: dict[str, Any] = dict(environ.Env.db_url_config(raw))
    except Exception as error:  # django-environ raises whatever the URL's parts raise
        raise BadSetting(name, expected, _without_password(raw)) from error
    if not config.get("NAME"):
        raise BadSetting(name, expected + " with a database name", _without_password(raw))
    return config


def redis_url(name: str, *, default: str) -> str:
    value = text(name, default=default)
    expected = "redis://host:port/0, rediss://... or unix:///path"
    parts = _parts(name, value, expected)
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise BadSetting(name, expected, _without_password(value))
    if parts.scheme == "unix" and (parts.netloc or not parts.path):
        raise BadSetting(name, "unix:// and the absolute path of a socket", value)
    return value


def email(name: str) -> dict[str, Any]:
    """Django's mail settings from a URL such as smtp+tls://user:password@host:587; {} when it is not set."""
    raw = text(name)
    if not raw:
        return {}
    try:
        return dict(environ.Env.email_url_config(raw))
    except Exception as error:  # as above
        raise BadSetting(name, "a mail address URL such as smtp+tls://user:password@host:587") from error


def _parts(name: str, url: str, expected: str) -> SplitResult:
    """The parts of a URL, whose brackets and port were looked at too."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise BadSetting(name, expected) from None
    return parts


def _without_password(url: str) -> str:
    password = urlsplit(url).password
    return url.replace(password, "***") if password else url
