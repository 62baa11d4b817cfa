"""The process of an isolated operator, seen from the evaluator: started when needed, killed at a time limit.

A process started by `subprocess` and not by `multiprocessing`, which daemonic processes such as Celery's
children may not use. It has its own interpreter, so nothing that an operator holds or ignores, be it the
interpreter's lock or signals, keeps it from being killed. Costs: about 0.1 s and 10 MB to start, which goes
on in the background after a kill; then some 50 us for a call.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from matching.operators import frames
from matching.operators.outcomes import Fault, OperatorFailedError
from schema_registry.core.operators import OperatorDeclaration

_SECONDS_TO_DIE = 1.0


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """`memory` in bytes that are its own, `start` in seconds until it is ready, `answer` in bytes of JSON."""

    memory: int = 1 << 30
    start: float = 15.0
    answer: int = 1 << 20


class OperatorProcess:
    """Calls of one operator in its process. Belongs to the thread that uses it first.

    The kernel ends the process with that thread, or with us; forgetting this object ends it, too. After a
    fork the child starts a process of its own.
    """

    def __init__(self, declaration: OperatorDeclaration, limits: ProcessLimits) -> None:
        self._declaration = declaration
        self._limits = limits
        self._running: _Running | None = None

    def start(self) -> None:
        """Begin to start it, unless it runs already, without waiting. Raises OperatorFailedError."""
        if self._running is not None and self._running.ended():
            self.close()
        if self._running is None:
            self._running = _Running(self._declaration, self._limits)

    def call(self, arguments: tuple[Any, ...]) -> Any:
        """What the function returned, as JSON has it. Raises OperatorFailedError, by the time limit."""
        self.start()
        assert self._running is not None
        try:
            self._running.wait_until_ready()
            answer = self._running.ask(arguments, self._declaration.time_limit)
        except OperatorFailedError as failure:
            self.close()
            if failure.fault == "too slow":
                with suppress(OperatorFailedError):
                    self.start()
            raise
        except BaseException:
            self.close()  # an answer to this call must not be taken for that to the next
            raise
        if answer.get("spent"):
            self.close()
        if "result" not in answer:
            raise _failure(answer)
        return answer["result"]

    def close(self) -> None:
        """Kill it. Harmless if it does not run."""
        running, self._running = self._running, None
        if running is not None:
            running.end()


class _Running:
    """One process from start to end."""

    def __init__(self, declaration: OperatorDeclaration, limits: ProcessLimits) -> None:
        self._limits = limits
        self._owner = os.getpid()
        self._ready = False
        command = _command(declaration, limits)
        self._channel, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            self._channel.close()
            raise OperatorFailedError("ended", f"Its process did not start: {error}.") from None
        finally:
            theirs.close()
        self.end = weakref.finalize(self, _end, self._process, self._channel, self._owner)

    def ended(self) -> bool:
        """Whether it is of no use: it has ended, or belongs to the process that we were forked from."""
        return self._owner != os.getpid() or self._process.poll() is not None

    def wait_until_ready(self) -> None:
        if self._ready:
            return
        late = OperatorFailedError("not ready", "It was not ready in time.")
        answer = self._answer(time.monotonic() + self._limits.start, late)
        if "ready" not in answer:
            raise _failure(answer)
        self._ready = True

    def ask(self, arguments: tuple[Any, ...], time_limit: float) -> dict[str, Any]:
        deadline = time.monotonic() + time_limit
        late = OperatorFailedError("too slow", f"It took longer than {time_limit:g} s.")
        return self._answer(deadline, late, to=frames.frame(arguments))

    def _answer(
        self, deadline: float, late: OperatorFailedError, *, to: bytes | None = None
    ) -> dict[str, Any]:
        """To this frame, or the first of all. Raises OperatorFailedError: `late` after the deadline."""
        try:
            if to is not None:
                frames.send(self._channel, to, deadline=deadline)
            answer = frames.receive(self._channel, deadline=deadline, most=self._limits.answer)
        except TimeoutError:
            raise late from None
        except frames.TooLargeError:
            raise OperatorFailedError("rubbish", "It returned too much.") from None
        except (EOFError, OSError):
            raise OperatorFailedError("ended", self._how_it_ended()) from None
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise OperatorFailedError("rubbish", "It wrote into the channel of its process.")
        return answer

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_SECONDS_TO_DIE)
        except subprocess.TimeoutExpired:
            return "It closed the channel of its process."
        return f"Its process was ended by signal {-code}." if code < 0 else f"Its process ended with {code}."


def address_of(function: Callable[..., Any]) -> str:
    """Where another process finds the function. Raises ValueError if it cannot."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<")
    if module in (None, "__main__") or "<" in name:
        raise ValueError("An isolated operator must be a function of a module that can be imported by name.")
    return f"{module}:{name}"


def _failure(answer: dict[str, Any]) -> OperatorFailedError:
    fault: Fault = "rubbish" if answer.get("fault") == "rubbish" else "raised"
    return OperatorFailedError(fault, str(answer.get("error")))


def _command(declaration: OperatorDeclaration, limits: ProcessLimits) -> list[str]:
    functions = (declaration.function, declaration.prepare)
    addresses = [address_of(function) for function in functions if function is not None]
    parent, memory = str(os.getpid()), str(limits.memory)
    return [sys.executable, "-P", "-m", "matching.operators.worker", parent, memory, *addresses]


def _environment() -> dict[str, str]:
    """Ours, with our import path; and numeric libraries without threads, each of which would want memory."""
    path = os.pathsep.join(each or os.getcwd() for each in sys.path)  # noqa: PTH109
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def _end(process: "subprocess.Popen[bytes]", channel: socket.socket, owner: int) -> None:
    """Kill it and all that it started. In a forked child it is not ours: there only our end is closed."""
    channel.close()
    if owner != os.getpid():
        process.returncode = 0  # so that nobody waits for it, or complains that it still runs
        return
    if process.returncode is None:  # else its number may already be that of another
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_SECONDS_TO_DIE)
