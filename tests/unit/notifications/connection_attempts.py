"""Every attempt of this process to connect, whether or not there is a way to the address."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

Attempts = list[tuple[str, int]]  # address and port

_recordings: list[tuple[set[int], Attempts]] = []


@contextmanager
def recorded_attempts() -> Iterator[Attempts]:
    """Those of this thread, and of threads that it starts; others have their own business."""
    _listen()
    others = {thread.ident or 0 for thread in threading.enumerate()} - {threading.get_ident()}
    attempts: Attempts = []
    _recordings.append((others, attempts))
    try:
        yield attempts
    finally:
        _recordings.remove((others, attempts))


@cache
def _listen() -> None:
    """Once: an audit hook stays until the process ends."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "socket.connect" or not isinstance(arguments[1], tuple):
        return
    for others, attempts in _recordings:
        if threading.get_ident() not in others:
            attempts.append(arguments[1][:2])
