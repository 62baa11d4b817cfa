"""`python -m tests.hostile --requests 100000 --seed 7`: the long run.

The web application runs in this process, as uvicorn runs it, on a database and a Redis of its own, and a
match worker beside it. The last line is the verdict; the exit code is 0 only if it is good.
"""

import argparse
import faulthandler
import json
import logging
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import django

from tests.on_postgresql import fresh_server
from tests.running_system import database_of_its_own

WORKER = ("-m", "celery", "-q", "-A", "lesubscribe.celery", "worker", "-Q", "match", "-c", "1")


def main() -> int:
    options = _options()
    print(f"seed {options.seed}", flush=True)
    faulthandler.enable()  # it sends for an hour; should the interpreter itself die, it says where
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: nothing outlives us
    directory = Path(tempfile.mkdtemp(prefix="lesubscribe-hostile-"))
    with ExitStack() as running:
        url = ""
        if options.database == "postgresql":
            url = database_of_its_own(running.enter_context(fresh_server()))
        os.environ |= {
            "VAR": str(directory / "var"),
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "lesubscribe.settings",
            "ALLOWED_HOSTS": "testserver",
            # A limit would hide what lies behind it.
            "RATE_LIMIT": "1000000000",
            "LOG_LEVEL": "WARNING",
            # It need not be quick, and compiles nothing.
            "MATCHER": "quarantining",
        }
        print(f"{options.database}: making its tables ...", flush=True)
        django.setup()
        logging.disable()  # a line for each refusal would take longer than the refusal
        running.enter_context(_parts())
        is_good = _attack(options)
    if is_good:
        shutil.rmtree(directory)
    else:
        print(f"Its data are kept in {directory}.", flush=True)
    return 0 if is_good else 1


@contextmanager
def _parts() -> Iterator[None]:
    """Tables, Redis and a worker, as settings have them."""
    from django.conf import settings
    from django.core.management import call_command

    from lesubscribe import embedded_redis

    call_command("migrate", verbosity=0, skip_checks=True)
    binary = embedded_redis.find_binary()
    embedded_redis.prepare(settings.VAR, binary)
    said = settings.VAR / "worker.log"
    with (
        subprocess.Popen(embedded_redis.command(settings.VAR, binary), stdout=subprocess.DEVNULL) as server,
        open(said, "wb") as log,
        subprocess.Popen([sys.executable, *WORKER], stdout=log, stderr=log) as worker,
    ):
        try:
            yield
        finally:
            worker.terminate()
            worker.wait()
            server.terminate()


def _attack(options: argparse.Namespace) -> bool:
    import schemathesis  # these need the settings

    from benchmarks import machine
    from lesubscribe.asgi import application
    from tests.hostile.run import Plan, run
    from tests.hostile.stage import set_stage
    from tests.hostile.tally import Tally

    def load(config: schemathesis.Config) -> Any:
        return schemathesis.openapi.from_asgi("/api/v1/openapi.json", application, config=config)

    def tell(tally: Tally) -> None:
        spent = time.process_time() - began
        print(
            f"{tally.requests:,} requests, {sum(tally.found.values()):,} faults, {spent:,.0f} s of CPU",
            flush=True,
        )
        if options.json:
            document = {"machine": machine.description(), "database": options.database, "seed": options.seed}
            document |= {"cpu_seconds": round(spent), **tally.document()}
            options.json.write_text(json.dumps(document, indent=1) + "\n")

    began = time.process_time()
    plan = Plan(seed=options.seed, requests=options.requests, examples=options.examples)
    tally = run(plan, load, set_stage(), tell=tell)
    print(tally.report())
    print(f"{tally.words()} ({options.database}, seed {options.seed})", flush=True)
    return tally.is_good


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description="Hostile requests.")
    parser.add_argument("--requests", type=int, default=100_000, help="at least so many (%(default)s)")
    parser.add_argument("--examples", type=int, default=50, help="of an operation in a round (%(default)s)")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--json", type=Path, help="write the figures to this file, as it goes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
