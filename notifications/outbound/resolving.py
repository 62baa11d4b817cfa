"""Which addresses a name has, asked once, and without waiting for longer than we can afford."""

import socket
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from schema_registry.core.sentences import gettext as _

Resolver = Callable[..., Sequence[tuple[Any, ...]]]  # as socket.getaddrinfo


def addresses(host: str, port: int, *, resolver: Resolver, seconds: float) -> list[str]:
    """In the order in which they should be tried, each once. Raises OSError, with TimeoutError among them.

    A lookup cannot be stopped. One that takes too long is left to its thread, which ends when the system's
    own limit is reached.
    """
    answers: SimpleQueue[Sequence[tuple[Any, ...]] | Exception] = SimpleQueue()

    def look_up() -> None:
        try:
            answers.put(resolver(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            answers.put(error)

    Thread(target=look_up, name="lookup", daemon=True).start()
    try:
        answer = answers.get(timeout=max(seconds, 0.0))
    except Empty:
        raise TimeoutError(_("Looking up {host} took too long.", host=host)) from None
    if isinstance(answer, UnicodeError):  # a label that is empty or too long
        raise socket.gaierror(socket.EAI_NONAME, "not a host name")
    if isinstance(answer, Exception):
        raise answer
    return list(dict.fromkeys(_with_scope(place) for *_, place in answer))


def _with_scope(place: tuple[Any, ...]) -> str:
    """Of an IPv6 address the scope is told apart; zero means that it has none."""
    host, scope = place[0], place[3] if len(place) == 4 else 0
    return f"{host}%{scope}" if scope and "%" not in host else host
