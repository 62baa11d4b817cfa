"""Commands of `manage.py`, each in a fork of one process that has imported everything.

A process of its own would import for a second and a half before each of them. Forks share nothing but what
was imported: each opens its own connections, and several may run at the same time.
"""

import io
import json
import os
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import traceback
import weakref
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_READY = b"ready\n"


class KeptCommands:
    """Runs commands of the clone at `root` in this environment. Its process ends with it, or with us."""

    def __init__(self, environment: Mapping[str, str], *, root: Path = _ROOT) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="lesubscribe-commands-")
        self._socket = f"{self._directory.name}/socket"
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, self._socket],
            cwd=root,
            env=dict(environment),
            stdin=subprocess.PIPE,  # it ends when nobody holds the other end
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.close = weakref.finalize(self, _end, process, self._directory)
        assert process.stdout is not None
        assert process.stdout.readline() == _READY

    def run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self._socket)
            connection.sendall(json.dumps(words).encode() + b"\n")
            with connection.makefile("rb") as answer:
                code, said, complained = json.loads(answer.read())
        return subprocess.CompletedProcess(list(words), code, said, complained)


def _end(process: "subprocess.Popen[bytes]", directory: "tempfile.TemporaryDirectory[str]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()
    process.wait()
    directory.cleanup()


class _Forking(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    request_queue_size = 50


class _Command(socketserver.StreamRequestHandler):
    """Runs in the fork."""

    def handle(self) -> None:
        words = json.loads(self.rfile.readline())
        said, complained = io.StringIO(), io.StringIO()
        with redirect_stdout(said), redirect_stderr(complained):
            code = _run(words)
        self.wfile.write(json.dumps([code, said.getvalue(), complained.getvalue()]).encode())


def _run(words: list[str]) -> int:
    """As `python manage.py` with these words would end."""
    import manage

    sys.argv = ["manage.py", *words]
    try:
        manage.main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os._exit(0)


def main() -> None:
    import django

    os.umask(0o077)  # as manage.py
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")
    django.setup()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with _Forking(sys.argv[1], _Command) as server:
        os.write(1, _READY)
        os.dup2(2, 1)  # nobody reads on: what a command starts may write as much as it likes
        server.serve_forever()


if __name__ == "__main__":
    main()
