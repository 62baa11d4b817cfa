"""A running system whose processes can be killed at named places, and an auction house that uses it."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

import pytest

from tests.faults.auction_house import AuctionHouse
from tests.faults.failpoints import Failpoints
from tests.running_system import RunningSystem

SLOWNESS = 10  # other tests run beside; how soon all goes on is measured where nothing does


@pytest.fixture(scope="session")
def database() -> str:
    """The kind of the database that these tests run on."""
    return "postgresql" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "sqlite"


@pytest.fixture
def say_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> Callable[[Mapping[str, str]], None]:
    """What a test left out, and what the machine lacks for it; where the suite is judged, that fails."""

    def say(left_out: Mapping[str, str]) -> None:
        with capsys.disabled():
            for what, why in left_out.items():
                print(f"\nLeft out: {what}, since {why}.")
        if left_out and os.environ.get("CI") == "true":
            pytest.fail(f"CI=true: what is left out is a failure: {', '.join(left_out)}.")

    return say


@pytest.fixture(scope="session")
def failpoints(tmp_path_factory: pytest.TempPathFactory) -> Failpoints:
    return Failpoints(tmp_path_factory.mktemp("failpoints"))


@pytest.fixture(scope="session")
def breakable(failpoints: Failpoints, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSystem]:
    """One for all tests that leave it well again. A day until it tries once more takes nine seconds."""
    running = RunningSystem(
        tmp_path_factory.mktemp("breakable") / "var",
        FAILPOINTS=str(failpoints.directory),
        LESUBSCRIBE_WEBHOOK_ALLOWED_HOSTS="127.0.0.1",
        RETRY_PACE="0.0001",
    ).start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def system(breakable: RunningSystem) -> RunningSystem:
    """Here it is the same one."""
    return breakable


@pytest.fixture(scope="session")
def house(breakable: RunningSystem) -> Iterator[AuctionHouse]:
    with closing(AuctionHouse(breakable)) as house:
        yield house
