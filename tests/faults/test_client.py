"""The Python client while the web process dies: what it sends arrives once, what it hears has no gap."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psutil
import pytest

from lesubscribe_client import Envelope, Heard, Publisher, Subscriber
from tests.chaos.stage import issued_keys
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database

PUBLISHERS, ITEMS_OF_EACH, IN_A_BATCH = 3, 40, 30
ALL_ITEMS = PUBLISHERS * (ITEMS_OF_EACH + IN_A_BATCH)
PATIENCE = 600.0
# What is done to the web process, when each publisher has sent so many items one by one.
KILLS: Mapping[int, Callable[[psutil.Process], None]] = {
    5: psutil.Process.kill,
    20: psutil.Process.terminate,
}
SIGN = {"event_type": ["enamel_signs"], "sign_number": 1}


class Listening:
    """A subscriber that listens in a thread until it has heard so many."""

    def __init__(self, subscriber: Subscriber, count: int) -> None:
        self.heard: list[Heard] = []
        self._subscriber = subscriber
        self._count = count
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        for each in self._subscriber.listen(after=0):
            self.heard.append(each)
            if len(self.heard) == self._count:
                return


@pytest.fixture
def connected(system: RunningSystem) -> Iterator[tuple[list[Publisher], Subscriber]]:
    with ExitStack() as clients:
        key, person = issued_keys(system, ("publisher", "Signs"), ("subscriber", "signs@example.org"))
        made = [Publisher(system.url, key, patience=PATIENCE) for _ in range(PUBLISHERS)]
        publishers = [clients.enter_context(connection) for connection in made]
        subscriber = clients.enter_context(Subscriber(system.url, person, patience=PATIENCE))
        publishers[0].create_domain("sign_numbers", {"kind": "numeric"})
        publishers[0].create_attribute("sign_number", "sign_numbers")
        publishers[0].create_event_type("enamel_signs", {"sign_number": ["mandatory", "unique"]})
        subscriber.subscribe("event_type contains enamel_signs", name="Signs", valid_days=None)
        yield publishers, subscriber


def test_all_is_published_once_and_heard_once_though_the_web_process_is_killed(
    system: RunningSystem, connected: tuple[list[Publisher], Subscriber]
) -> None:
    publishers, subscriber = connected
    listening = Listening(subscriber, ALL_ITEMS)
    sent: list[int] = []
    together = threading.Barrier(PUBLISHERS, timeout=PATIENCE)

    def meet(number: int) -> None:
        """One of them kills, and the others go on meanwhile: however slow all are, somebody is cut off."""
        if number in KILLS and together.wait() == 0:
            restart(system, KILLS[number])

    with ThreadPoolExecutor(PUBLISHERS) as pool:
        for each in [
            pool.submit(publish_all, publisher, name, sent, meet) for name, publisher in enumerate(publishers)
        ]:
            each.result()
    listening.thread.join(PATIENCE)
    assert [each.number for each in listening.heard] == list(range(1, ALL_ITEMS + 1))
    assert sorted(each.match.event.id for each in listening.heard) == sorted(sent)
    assert {match.id for match in subscriber.matches()} == {each.match.id for each in listening.heard}


def publish_all(publisher: Publisher, name: int, sent: list[int], meet: Callable[[int], None]) -> None:
    """Notes the numbers of the events."""
    for number in range(ITEMS_OF_EACH):
        meet(number)
        sent.append(publisher.publish(f"{name}-{number}", SIGN).id)
    rest: list[Envelope] = [{"external_id": f"{name}-b{each}", "event": SIGN} for each in range(IN_A_BATCH)]
    for outcome in publisher.publish_many(rest, batch_size=10):
        assert outcome.id is not None
        sent.append(outcome.id)


def restart(system: RunningSystem, kill: Callable[[psutil.Process], None]) -> None:
    """The supervisor starts another one."""
    web = wait_until(lambda: system.service("uvicorn"), seconds=PATIENCE)
    assert web is not None
    kill(web)
    wait_until(lambda: system.service("uvicorn") not in (None, web), seconds=PATIENCE)
