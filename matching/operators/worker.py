"""The process of one isolated operator: `python -m matching.operators.worker`, started by `processes`.

It imports the operator's function and answers calls of it, one after the other, until its channel closes.
Its standard input is that channel; the operator finds nothing there, and what it prints goes to the standard
error stream. Its memory is limited, and it ends with the process that started it.
"""

import ctypes
import importlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from functools import reduce
from typing import Any, cast

from matching.operators import frames
from schema_registry.core.operators import OperatorDeclaration

_PR_SET_PDEATHSIG = 1


def main(parent: int, memory: int, address: str, prepare: str = "") -> None:
    if not _ends_with(parent):
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    channel = _channel()
    try:
        function = found(address)
        if prepare:
            found(prepare)()
    except BaseException as error:
        frames.send(channel, _failure("raised", error))
        return
    frames.send(channel, frames.frame({"ready": True}))
    while True:
        try:
            arguments = frames.receive(channel)
        except (EOFError, OSError):
            return
        places = [tuple(each) if isinstance(each, list) else each for each in arguments]
        frames.send(channel, _answer(function, places))


def found(address: str) -> Callable[..., Any]:
    """The function at `module:name`; what is declared there stands for its function."""
    module, _, path = address.partition(":")
    there: Any = reduce(getattr, path.split("."), importlib.import_module(module))
    function = there.function if isinstance(there, OperatorDeclaration) else there
    if not callable(function):
        raise TypeError(f"{address} is not a function.")
    return cast(Callable[..., Any], function)


def _answer(function: Callable[..., Any], places: list[Any]) -> bytes:
    try:
        result = function(*places)
    except BaseException as error:  # even SystemExit is only a failure of the operator
        return _failure("raised", error)
    try:
        rows = list(result) if isinstance(result, (set, frozenset)) else result
        return frames.frame({"result": rows})
    except BaseException as error:
        return _failure("rubbish", error)


def _failure(fault: str, error: BaseException) -> bytes:
    """Whoever ran out of memory may still hold it, so the process is of no more use."""
    return frames.frame(
        {"fault": fault, "error": frames.said(error), "spent": isinstance(error, MemoryError)}
    )


def _ends_with(parent: int) -> bool:
    """Asks the kernel to kill us with our parent, which only Linux can; False if it has ended already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    return os.getppid() == parent


def _channel() -> socket.socket:
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return channel


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
