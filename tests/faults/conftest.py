"""A running system whose processes can be killed at named places, and an auction house that uses it."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.faults.auction_house import AuctionHouse
from tests.faults.failpoints import Failpoints
from tests.running_system import RunningSystem


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
