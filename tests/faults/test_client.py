"""The Python client while the web process dies: what it sends arrives once, what it hears has no gap."""

import threading
from collections.abc import Callable, Iterator
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
        publishers = [clients.enter_context(Publisher(system.url, key)) for _ in range(PUBLISHERS)]
        subscriber = clients.enter_context(Subscriber(system.url, person))
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
    with ThreadPoolExecutor(PUBLISHERS) as pool:
        publishing = [pool.submit(publish_all, each, name, sent) for name, each in enumerate(publishers)]
        for count, kill in ((10, psutil.Process.kill), (50, psutil.Process.terminate)):
            wait_until(lambda count=count: len(sent) >= count, seconds=60)  # type: ignore[misc]
            restart(system, kill)
            assert not all(each.done() for each in publishing), "nobody was cut off"
        for each in publishing:
            each.result()
    listening.thread.join(60)
    assert [each.number for each in listening.heard] == list(range(1, ALL_ITEMS + 1))
    assert sorted(each.match.event.id for each in listening.heard) == sorted(sent)
    assert {match.id for match in subscriber.matches()} == {each.match.id for each in listening.heard}


def publish_all(publisher: Publisher, name: int, sent: list[int]) -> None:
    """Notes the numbers of the events."""
    for number in range(ITEMS_OF_EACH):
        sent.append(publisher.publish(f"{name}-{number}", SIGN).id)
    rest: list[Envelope] = [{"external_id": f"{name}-b{each}", "event": SIGN} for each in range(IN_A_BATCH)]
    for outcome in publisher.publish_many(rest, batch_size=10):
        assert outcome.id is not None
        sent.append(outcome.id)


def restart(system: RunningSystem, kill: Callable[[psutil.Process], None]) -> None:
    """The supervisor starts another one."""
    web = system.service("uvicorn")
    assert web is not None
    kill(web)
    wait_until(lambda: system.service("uvicorn") not in (None, web), seconds=30)
