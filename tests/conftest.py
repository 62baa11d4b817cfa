"""What all tests share: a real Redis, the order of the suites, and no silent skips in CI."""

import gc
import os
import shutil
import subprocess
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.db import connection
from django.test import TransactionTestCase
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as of_hypothesis

from lesubscribe import embedded_redis
from tests import emptying
from tests.running_system import RunningSystem, tables_on_postgresql, tables_on_sqlite

pytest_plugins = ["tests.limits.measuring"]

# Tests start hundreds of processes, and each of them would compile all of our code anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# The Java of a test lives for seconds, in which it would compile most of Spark as if for days.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# An example takes a fifth of a second, and drawing it longer than that, whenever the machine is busy.
of_hypothesis.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
of_hypothesis.load_profile("busy")

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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests stay to the end; the collector need not look at them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


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


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The file that `django_db_modify_db_settings` has put there, which is gone with VAR."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """The tests' own database is a copy of one that has its tables, as that of each system is."""
    test = connection.settings_dict["TEST"]
    if connection.vendor == "sqlite":
        shutil.copy(tables_on_sqlite(), test["NAME"])
    else:
        test["TEMPLATE"] = tables_on_postgresql(os.environ["DATABASE_URL"])


@pytest.fixture(scope="session", autouse=True)
def emptied_quickly() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", emptying.empty_what_was_filled)
        yield


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
