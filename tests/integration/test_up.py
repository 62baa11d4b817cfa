"""`make up` from start to stop, and what it says when it cannot start."""

import http.cookiejar
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lesubscribe import embedded_redis
from lesubscribe.demo import DEMO_EMAIL
from lesubscribe.supervisor import SECONDS_TO_STOP_A_STAGE
from tests.integration.canaries import in_redis, planted
from tests.running_system import ROOT, RunningSystem, free_port, wait_until
from tests.sinks import Behaviour, HttpSink

pytestmark = pytest.mark.any_database
SECRET_KEY = "secret-key-canary-" * 4
MAIL_PASSWORD = "mail-canary-that-must-not-sing"

SUPERVISED = """
import asyncio
from rich.console import Console
from lesubscribe.supervisor import Service, Stage, Supervisor

async def at_once():
    pass

async def say_so():
    print("ready", flush=True)

stages = [
    Stage([Service(name, ["sleep", "600"], "red")], ready) for name, ready in [("a", at_once), ("b", say_so)]
]
asyncio.run(Supervisor(stages, Console(quiet=True)).run())
"""

HOW_IT_IS_WRITTEN = """
from django.db import connection
with connection.cursor() as cursor:
    for what in ("journal_mode", "synchronous", "busy_timeout"):
        print(what, *cursor.execute(f"PRAGMA {what}").fetchone())
"""


@pytest.fixture(scope="module")
def breakable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSystem]:
    """A system that the tests below stop, one after the other; starting it takes long.

    Its VAR is too deep for a socket, so its Redis listens in a directory elsewhere. It logs all it can, and
    has secrets that must not be there.
    """
    parent = tmp_path_factory.mktemp("breakable") / ("d" * 60)
    parent.mkdir()
    running = RunningSystem(
        parent / ("e" * 60),
        LOG_LEVEL="DEBUG",
        SECRET_KEY=SECRET_KEY,
        EMAIL_URL=f"smtp://mailer:{MAIL_PASSWORD}@127.0.0.1:{free_port()}",
        LESUBSCRIBE_WEBHOOK_ALLOWED_HOSTS="127.0.0.1",
    ).start()
    yield running
    if running.process.poll() is None:
        running.stop()
    shutil.rmtree(embedded_redis.socket_path(running.var).parent)


def test_a_fresh_start_prints_the_address_and_a_demo_login_that_works(system: RunningSystem) -> None:
    assert f"Ready: {system.url}" in system.log
    assert f"Demo login: {DEMO_EMAIL} / {system.demo_password()}" in system.log
    assert can_sign_in(system)


def test_every_part_reports_itself_ready(system: RunningSystem) -> None:
    wait_until(lambda: system.get("/readyz")[0] == 200, seconds=120, why=lambda: str(system.get("/readyz")))
    wait_until(lambda: all_are_ready(system), seconds=120, why=lambda: str(system.ready_parts()))


def all_are_ready(system: RunningSystem) -> bool:
    """For a moment they may not be, when the machine has other things to do."""
    parts = system.ready_parts()
    return bool(parts) and all(part["ok"] for part in parts.values())


def test_metrics_add_up_over_web_and_workers(system: RunningSystem) -> None:
    """The probe tasks are counted in four worker processes, and the web process tells their sum."""
    before = probes_counted(system)
    wait_until(lambda: all(probes_counted(system)[q] > before[q] for q in before), seconds=120)
    assert set(before) == {"match", "plan", "deliver", "maintenance"}


@pytest.mark.parametrize(("of_whom", "patience"), [("import lesubscribe.asgi", 5_000), ("", 20_000)])
def test_what_is_accepted_is_on_the_disk_whoever_wrote_it(
    system: RunningSystem, of_whom: str, patience: int
) -> None:
    """By the web, and by workers. 2 is FULL: a commit returns when the disk has it."""
    answer = system.manage("shell", "-c", of_whom + HOW_IT_IS_WRITTEN)
    said = dict(line.split() for line in answer.stdout.splitlines()[-3:])
    assert said == {"journal_mode": "wal", "synchronous": "2", "busy_timeout": str(patience)}, answer.stderr


def test_secrets_stay_out_of_the_logs(breakable: RunningSystem, tmp_path: Path) -> None:
    """Of all processes at DEBUG, of what lies in Redis for workers, and of the metrics."""
    canary, token = "canary-that-must-not-sing", "gotify-canary-1"
    with HttpSink(tmp_path / "receipts") as receiver:
        receiver.behave(Behaviour(status=500, body=token))
        chat = f"gotify://127.0.0.1:{receiver.port}/{token}"
        secrets = planted(breakable, hook=receiver.url("/hook"), chat=chat)
        browser, csrf = browser_at_sign_in(breakable)
        form = {"login": DEMO_EMAIL, "password": canary, "csrfmiddlewaretoken": csrf}
        browser.open(f"{breakable.url}/accounts/login/", urllib.parse.urlencode(form).encode())
        for path in (
            f"/accounts/password/reset/key/1-{canary}/",
            f"/accounts/confirm-email/{canary}/",
            f"/notifications/renew/{canary}",
            f"/notifications/atom/{secrets['feed']}",
            f"/notifications/unsubscribe/{secrets['unsubscribing']}",
            f"/shared/{canary}/copy",
            f"/accounts/login/?next=%2Fshared%2F{canary}%2Fcopy",
        ):
            breakable.get(path)
        for key, status in ((canary, 401), (secrets["key"], 200)):
            headers = {"Authorization": f"Bearer {key}", "X-Ticket": canary}
            assert answered(browser, f"{breakable.url}/api/v1/channels", headers) == status
        wait_until(lambda: len({receipt.path for receipt in receiver.receipts()}) == 2, seconds=300)
    wait_until(lambda: "GET /api/v1/channels" in breakable.log, seconds=120)
    assert "[debug" in breakable.log
    places = {
        "the log": breakable.log,
        "the metrics": breakable.get("/metrics")[1],
        "Redis": in_redis(f"unix://{embedded_redis.socket_path(breakable.var)}"),
    }
    hidden = [canary, token, SECRET_KEY, MAIL_PASSWORD, *secrets.values()]
    found = [(place, each) for place, text in places.items() for each in hidden if each in text]
    assert found == []


def test_a_var_too_deep_for_a_socket_works_all_the_same(breakable: RunningSystem) -> None:
    assert not embedded_redis.socket_path(breakable.var).is_relative_to(breakable.var)
    wait_until(lambda: all_are_ready(breakable), seconds=120, why=lambda: str(breakable.ready_parts()))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_each_of_these_signals_stops_what_is_supervised(number: signal.Signals) -> None:
    command = [sys.executable, "-c", SUPERVISED]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        assert supervisor.stdout.readline() == "ready\n"
        services = wait_until(lambda: two_children(supervisor.pid), seconds=120)
        supervisor.send_signal(number)
        assert supervisor.wait(timeout=120) == 0
    _, alive = psutil.wait_procs(services, timeout=60)
    assert alive == []


def two_children(number: int) -> list[psutil.Process]:
    """None unless there are two: each is started a moment after it was said to be."""
    children = psutil.Process(number).children()
    return children if len(children) == 2 else []


def test_one_signal_stops_every_process_and_the_data_stays(breakable: RunningSystem) -> None:
    everything = breakable.processes()
    assert len(everything) >= 6
    began = time.monotonic()
    breakable.stop(signal.SIGINT)
    took = time.monotonic() - began
    psutil.wait_procs(everything, timeout=60)
    assert [process for process in everything if process.is_running()] == []
    assert list(embedded_redis.socket_path(breakable.var).parent.iterdir()) == []
    *_others, last = (line.split() for line in breakable.log.splitlines() if " | " in line)
    assert last[:2] == ["redis", "|"], "it is there until nobody needs it"
    assert "bye" in last or took > SECONDS_TO_STOP_A_STAGE, "nobody was killed in so short a time"

    breakable.start()
    assert can_sign_in(breakable)


@pytest.mark.skipif(not (ROOT / ".venv" / "installed").exists(), reason="make has installed nothing here")
def test_make_passes_its_signal_on(tmp_path: Path) -> None:
    system = RunningSystem(tmp_path / "var", command=("make", "up"), is_bare=True).start()
    everything = system.processes()
    assert len(everything) >= 7
    system.stop()
    _, alive = psutil.wait_procs(everything, timeout=60)
    assert alive == []
    assert not embedded_redis.socket_path(system.var).exists()


def test_services_do_not_outlive_a_killed_supervisor(breakable: RunningSystem) -> None:
    everything = breakable.processes()
    breakable.process.kill()
    breakable.process.wait()
    _, alive = psutil.wait_procs(everything, timeout=120)
    assert alive == []


def test_a_second_one_on_the_same_data_is_refused(system: RunningSystem) -> None:
    assert "already running" in refusal(system.var, PORT=str(free_port()))


def test_a_taken_port_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port} cannot be used" in refusal(tmp_path, PORT=str(port))


def test_a_var_that_cannot_be_written_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "VAR must be a directory we can write to" in refusal(tmp_path / "file")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://nobody:canary@127.0.0.1:9/none",
        "sqlite:////nowhere/at/all.sqlite3",
        "sqlite:////dev/null",
    ],
)
def test_a_database_that_cannot_be_used_is_refused_with_a_sentence(tmp_path: Path, url: str) -> None:
    said = refusal(tmp_path, DATABASE_URL=url)
    assert "DATABASE_URL" in said
    assert "canary" not in said


def test_a_redis_that_does_not_answer_is_refused_with_a_sentence(tmp_path: Path) -> None:
    said = refusal(tmp_path, REDIS_URL="redis://:canary@127.0.0.1:9/0")
    assert "REDIS_URL" in said
    assert "canary" not in said


def refusal(var: Path, **environment: str) -> str:
    """What a start that must fail says: one sentence, exit code 1, no traceback."""
    inherited = {key: os.environ[key] for key in ("PATH", "DATABASE_URL") if key in os.environ}
    answer = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env={**inherited, "VAR": str(var), "PORT": str(free_port()), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert "Traceback" not in answer.stderr
    assert answer.stderr.strip().count("\n") == 0, answer.stderr
    return answer.stderr


def browser_at_sign_in(system: RunningSystem) -> tuple[urllib.request.OpenerDirector, str]:
    """Something that keeps cookies, and the token that the form wants back."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    page = browser.open(f"{system.url}/accounts/login/").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    return browser, token[1]


def answered(browser: urllib.request.OpenerDirector, url: str, headers: dict[str, str]) -> int:
    try:
        return int(browser.open(urllib.request.Request(url, headers=headers)).status)
    except urllib.error.HTTPError as error:
        return error.code


def can_sign_in(system: RunningSystem) -> bool:
    browser, token = browser_at_sign_in(system)
    form = {"login": DEMO_EMAIL, "password": system.demo_password(), "csrfmiddlewaretoken": token}
    browser.open(f"{system.url}/accounts/login/", urllib.parse.urlencode(form).encode())
    answer = browser.open(f"{system.url}/outbox")
    return bool(answer.geturl() == f"{system.url}/outbox")


def probes_counted(system: RunningSystem) -> dict[str, float]:
    _, metrics = system.get("/metrics")
    lines = re.findall(r'^lesubscribe_probes_total\{queue="(\w+)"\} ([\d.]+)', metrics, re.MULTILINE)
    return {queue: float(count) for queue, count in lines}
