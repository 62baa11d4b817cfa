"""The web process, alone, with what it needs, and what of the machine a request takes there (Linux only)."""

import http.client
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.bombs.arsenal import Bomb
from tests.running_system import free_port, wait_until


@dataclass(frozen=True, slots=True)
class Taken:
    """What a request took of the web process, and what it was answered."""

    status: int
    body: bytes
    cpu_seconds: float
    bytes_more: int
    """How far its memory rose above what it had before."""


class Web:
    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self._of = Path("/proc") / str(process.pid)
        self._port = port

    def is_there(self) -> bool:
        try:
            return self._answer("GET", "/healthz", b"", {})[0] == 200
        except OSError:
            return False

    def send(self, bomb: Bomb, body: bytes, headers: Mapping[str, str]) -> Taken:
        (self._of / "clear_refs").write_text("5")  # the peak begins anew
        memory, cpu = self._memory("VmRSS"), self._cpu()
        status, answer = self._answer(bomb.method, bomb.path, body, headers)
        return Taken(status, answer, self._cpu() - cpu, self._memory("VmHWM") - memory)

    def _answer(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("localhost", self._port, timeout=60)
        try:
            # It may be refused before all was sent; the answer is there all the same.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, path, body or None, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _cpu(self) -> float:
        """Of all its threads, to the nanosecond; they are kept, so that none is missing afterwards."""
        spent = ((task / "schedstat").read_text().split()[0] for task in (self._of / "task").iterdir())
        return sum(map(int, spent)) / 1e9

    def _memory(self, name: str) -> int:
        for line in (self._of / "status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
        raise LookupError(name)


@contextmanager
def running_web() -> Iterator[Web]:
    """With the settings of the environment, as `make up` starts it."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "lesubscribe.asgi:application", "--port", str(port)]
    command += ["--log-level", "warning", "--no-access-log"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            web = Web(process, port)
            wait_until(lambda: web.is_there() or process.poll() is not None, seconds=600)
            assert process.poll() is None, "the web process does not start"
            yield web
        finally:
            process.terminate()
