"""`python -m tests.containers`: the commands of compose.yaml run by hand, where there is no Docker.

A PostgreSQL and a Redis of this run take the places of their containers; every other service is a process
with the environment and the command of its container. It ends when all are ready: all queues answer, and a
probe event was matched.
"""

import os
import re
import secrets
import shlex
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from lesubscribe import embedded_redis
from tests.on_postgresql import fresh_server
from tests.running_system import ROOT, database_of_its_own, free_port, wait_until

GIVEN = {"ALLOWED_HOSTS": "localhost", "BASE_URL": "https://localhost", "POSTGRES_PASSWORD": "unused"}
STORES = ("postgres", "redis")
SECONDS_TO_START, SECONDS_TO_STOP = 600, 120  # of a machine that does much else


def services() -> dict[str, dict[str, Any]]:
    """Those of compose.yaml, as they stand there."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    return found


def filled_in(text: str, given: dict[str, str]) -> str:
    """With its variables; one that must be set, and is not, raises KeyError."""

    def value(found: re.Match[str]) -> str:
        return given.get(found[1], found[3] or "") if found[2] == ":-" else given[found[1]]

    return re.sub(r"\$\{(\w+)(:[-?])([^}]*)\}", value, text)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through the stack: nothing outlives us
    port, redis_port = free_port(), free_port()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lesubscribe-compose-")))
        database = database_of_its_own(stack.enter_context(fresh_server()))
        redis = [embedded_redis.find_binary().path, "--port", str(redis_port), "--dir", str(directory)]
        _start(stack, redis, dict(os.environ), directory / "redis.log")
        given = {**GIVEN, "SECRET_KEY": secrets.token_urlsafe(50)}
        host = urlsplit(GIVEN["BASE_URL"]).netloc
        stores = {"DATABASE_URL": database, "REDIS_URL": f"redis://127.0.0.1:{redis_port}/0"}
        for name, service in services().items():
            if name in STORES:
                continue
            metrics = directory / f"metrics-{name}"
            metrics.mkdir()
            environment = {key: filled_in(str(word), given) for key, word in service["environment"].items()}
            environment |= stores | {
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "VAR": str(directory / "data"),
                "PROMETHEUS_MULTIPROC_DIR": str(metrics),
            }
            words = shlex.split(service["command"].replace("--port 8000", f"--port {port}"))
            if service["restart"] == "no":
                subprocess.run(words, cwd=ROOT, env=environment, check=True)
            else:
                _start(stack, words, environment, directory / f"{name}.log")
            print(f"{name}: {shlex.join(words)}", flush=True)
        asked = ["curl", "-sS", "-H", f"Host: {host}", f"http://127.0.0.1:{port}/readyz"]

        def readiness() -> str:
            return subprocess.run(asked, capture_output=True, text=True).stdout

        wait_until(lambda: readiness().startswith('{"ready": true'), seconds=SECONDS_TO_START, why=readiness)
        print(f"VERDICT: all services of compose.yaml are ready: {readiness()}")
    return 0


def _start(stack: ExitStack, words: list[str], environment: dict[str, str], log: Path) -> None:
    process = subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=log.open("wb"), stderr=subprocess.STDOUT
    )
    stack.callback(process.wait, timeout=SECONDS_TO_STOP)
    stack.callback(process.terminate)


if __name__ == "__main__":
    sys.exit(main())
