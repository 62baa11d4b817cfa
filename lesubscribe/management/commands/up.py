"""`manage.py up`, behind `make up`: the whole system under one supervisor."""

import asyncio
import fcntl
import http.client
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from rich.console import Console

from lesubscribe import embedded_redis, fallback_cache, health, metrics_directory
from lesubscribe.demo import DemoLogin, demo_login
from lesubscribe.demo.load import belongs_here
from lesubscribe.supervisor import Service, Stage, Supervisor
from matching.shards import split

SECONDS_FOR_REDIS = 20
SECONDS_BETWEEN_REPORTS = 15


class Command(BaseCommand):
    help = "Runs the whole system: embedded Redis (unless REDIS_URL is set), web, workers and scheduler."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(highlight=False)
        try:
            with only_one_at_a_time(settings.VAR):
                refuse_taken_port(settings.PORT)
                refuse_silent_redis()
                # Our own Redis is started after this.
                with fallback_cache.in_memory_only() if settings.REDIS_IS_EMBEDDED else nullcontext():
                    login = prepare_database(console)
                if settings.PRODUCTION and not settings.SENDS_MAIL:
                    console.print("EMAIL_URL is not set: mails stay in the outbox.", style="bold yellow")
                asyncio.run(Up(console, login).run())
                console.print("Stopped.", style="bold")
        except KeyboardInterrupt:  # Ctrl-C before the services were started
            sys.exit(130)


class Up:
    def __init__(self, console: Console, login: DemoLogin | None) -> None:
        self._console = console
        self._login = login
        stages = [Stage(application_services(), self._announce_when_ready)]
        if settings.REDIS_IS_EMBEDDED:
            stages.insert(0, Stage([redis_service(console)], self._until_redis_answers))
        self._supervisor = Supervisor(stages, console)

    async def run(self) -> None:
        metrics_directory.make_anew(settings.METRICS_DIRECTORY)  # counts start with the processes that count
        # prometheus_client reads this on import; with it, /metrics adds up over web and worker processes.
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.METRICS_DIRECTORY))
        try:
            await self._supervisor.run()
        finally:
            if settings.REDIS_IS_EMBEDDED:
                embedded_redis.socket_path(settings.VAR).unlink(missing_ok=True)
            metrics_directory.forget(settings.METRICS_DIRECTORY)

    async def _until_redis_answers(self) -> None:
        client = redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1)
        tries = 0
        while tries < SECONDS_FOR_REDIS * 20:
            try:
                await asyncio.to_thread(client.ping)
                return
            except redis.BusyLoadingError:
                pass  # it reads its data, however long that takes
            except redis.RedisError:
                tries += 1
            await asyncio.sleep(0.05)
        raise CommandError(
            f"The embedded Redis did not answer within {SECONDS_FOR_REDIS} s; its log is above."
        )

    async def _announce_when_ready(self) -> None:
        waited = 0.0
        await asyncio.to_thread(health.forget_probes)
        while missing := await asyncio.to_thread(parts_not_ready):
            await asyncio.sleep(0.5)
            waited += 0.5
            if waited % SECONDS_BETWEEN_REPORTS == 0:
                self._supervisor.say("Still waiting for " + "; ".join(missing), style="yellow")
        self._supervisor.say(f"\n  Ready: {settings.BASE_URL}", style="bold green")
        if self._login:
            password = self._login.password or "the password you chose"
            self._supervisor.say(f"  Demo login: {self._login.email} / {password}", style="bold green")
        if settings.DEMO_DATA:
            self._supervisor.say("  To see items arrive: .venv/bin/python manage.py demo_feed", style="green")
        self._supervisor.say("  Ctrl-C stops everything; your data stays.\n", style="green")


@contextmanager
def only_one_at_a_time(var: Path) -> Iterator[None]:
    with open(var / "up.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"It is already running with the data in {var}. Set VAR for a second one."
            ) from None
        yield


def refuse_taken_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                f"Port {port} cannot be used ({error.strerror}). Try: PORT={port + 1} make up"
            ) from None


def refuse_silent_redis() -> None:
    if settings.REDIS_IS_EMBEDDED:
        return
    try:
        redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=5, socket_timeout=5).ping()
    except redis.RedisError as error:
        raise CommandError(f"The Redis of REDIS_URL does not answer: {error}") from None


def prepare_database(console: Console) -> DemoLogin | None:
    """Migrate, make the demo account outside production, and load the demo on a first start."""
    console.print(f"Preparing the {connection.vendor} database ...", style="bold")
    # A pool would hide why it cannot connect, and its threads must not be there when we fork.
    connection.settings_dict["OPTIONS"].pop("pool", None)
    try:
        call_command("migrate", interactive=False, verbosity=0)
        login = None if settings.PRODUCTION else demo_login()
        if settings.DEMO_DATA and belongs_here():
            bring_the_demo(console)
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0]
        raise CommandError(f"The database of DATABASE_URL cannot be used: {reason}") from None
    finally:
        connection.close()
    return login


def bring_the_demo(console: Console) -> None:
    """A system that cannot have it starts without."""
    try:
        call_command("load_demo")
    except CommandError as refused:
        console.print(str(refused), style="yellow")


def redis_service(console: Console) -> Service:
    try:
        binary = embedded_redis.find_binary()
    except FileNotFoundError as error:
        raise CommandError(str(error)) from None
    if notice := embedded_redis.prepare(settings.VAR, binary):
        console.print(notice, style="yellow")
    return Service("redis", embedded_redis.command(settings.VAR, binary), "red")


def application_services() -> list[Service]:
    celery = [sys.executable, "-m", "celery", "-q", "-A", "lesubscribe.celery"]
    worker = [*celery, "worker", "--loglevel", settings.LOG_LEVEL, "--without-gossip", "--without-mingle"]
    deliver = [*worker, "-Q", "deliver", "-n", "deliver@%h"]
    web = [sys.executable, "-m", "uvicorn", "lesubscribe.asgi:application"]
    web += ["--host", "127.0.0.1", "--port", str(settings.PORT), "--log-level", "warning"]
    # Open feed streams never end by themselves; without this uvicorn would wait for them.
    web += ["--no-access-log", "--no-server-header", "--timeout-graceful-shutdown", "3"]
    web += ["--proxy-headers" if settings.PRODUCTION else "--no-proxy-headers"]
    return [
        Service("web", web, "green"),
        *(
            Service(queue, [*worker, "-Q", queue, "-n", f"{queue}@%h", "-c", "1"], "cyan")
            for queue in (shard.queue for shard in split(settings.MATCHING_SHARDS))
        ),
        Service("plan", [*worker, "-Q", "plan", "-n", "plan@%h", "-P", "solo"], "bright_cyan"),
        Service("deliver", [*deliver, "-P", "threads", "-c", str(settings.DELIVERY_THREADS)], "magenta"),
        Service("maintain", [*worker, "-Q", "maintenance", "-n", "maintenance@%h", "-c", "1"], "blue"),
        Service("beat", [*celery, "beat", "--loglevel", "WARNING", "--pidfile", ""], "yellow"),
    ]


def parts_not_ready() -> list[str]:
    """What /readyz still misses; empty when all is there."""
    web = http.client.HTTPConnection("127.0.0.1", settings.PORT, timeout=5)
    try:
        web.request("GET", "/readyz", headers={"Host": urlsplit(settings.BASE_URL).netloc})
        answer = web.getresponse()
        if answer.status not in (200, 503):
            return [f"web: /readyz answered {answer.status}; is the host of BASE_URL in ALLOWED_HOSTS?"]
        parts = json.load(answer)["parts"]
        return [f"{name}: {part['detail']}" for name, part in parts.items() if not part["ok"]]
    except OSError:
        return ["web: no answer yet"]
    finally:
        web.close()
