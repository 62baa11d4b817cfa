"""What all tests share: a real Redis, the order of the suites, and no silent skips in CI."""

import gc
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.utils import translation

from lesubscribe import embedded_redis
from tests.running_system import RunningSystem

# Tests start hundreds of processes, and each of them would compile all of our code anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# The Java of a test lives for seconds, in which it would compile most of Spark as if for days.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# Fast parts first, so that a mistake shows early.
SUITES = ["unit", "architecture", "contract", "integration", "stress", "spark", "faults", "browser"]
DATABASE_FIXTURES = {
    "db",
    "transactional_db",
    "django_db_setup",
    "live_server",
    "system",
    "own_system",
    "loaded",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", type=int, default=0, help="how many seeds the contract and stress suites run")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_suite)  # stable: the order inside a suite stays
    for item in items:
        if item.get_closest_marker("any_database"):
            continue
        if DATABASE_FIXTURES & set(getattr(item, "fixturenames", ())) or item.get_closest_marker("django_db"):
            item.add_marker("database")


def pytest_collection_finish() -> None:
    gc.freeze()  # thousands of tests stay to the end; the collector need not look at them again and again


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter and reporter.stats.get("skipped"):
        reporter.write_line("CI=true: a skipped test is a failure.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session", autouse=True)
def redis_server() -> Iterator[None]:
    """The embedded Redis, as the settings of the test run expect it."""
    binary = embedded_redis.find_binary()
    embedded_redis.prepare(settings.VAR, binary)
    with subprocess.Popen(
        embedded_redis.command(settings.VAR, binary), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        _wait_for(redis.Redis.from_url(settings.REDIS_URL))
        yield
        server.terminate()


@pytest.fixture(autouse=True)
def same_language() -> Iterator[None]:
    """Django's client leaves a thread in the language of the last page; the next test begins in English."""
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSystem]:
    """One running system for all tests that only use it. It may send to this machine."""
    var = tmp_path_factory.mktemp("system") / "var"
    running = RunningSystem(var, LESUBSCRIBE_WEBHOOK_ALLOWED_HOSTS="localhost").start()
    yield running
    running.stop()


@pytest.fixture
def own_system(tmp_path: Path) -> Iterator[RunningSystem]:
    """A running system that the test may break."""
    running = RunningSystem(tmp_path / "var").start()
    yield running
    if running.process.poll() is None:
        running.stop()


def _wait_for(client: redis.Redis) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            client.ping()
            return
        except redis.RedisError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _suite(item: pytest.Item) -> int:
    suite = Path(item.path).relative_to(Path(__file__).parent).parts[0]
    return SUITES.index(suite) if suite in SUITES else len(SUITES)
