"""Setting the stage: keys, the market's schema, clients, and a crowd that all look for the same."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

from tests.chaos import market
from tests.chaos.client import Client, Traffic
from tests.chaos.history import Ledger
from tests.chaos.publisher import Publisher
from tests.chaos.subscriber import Subscriber
from tests.running_system import RunningSystem


class Stage:
    """After `set_up` there are publishers and subscribers, each with a key and a connection of its own."""

    def __init__(
        self, system: RunningSystem, ledger: Ledger, traffic: Traffic, random_for: Callable[[str], Random]
    ) -> None:
        self._system = system
        self._ledger = ledger
        self._traffic = traffic
        self._random_for = random_for
        self._clients: list[Client] = []
        self.publishers: Sequence[Publisher] = ()
        self.subscribers: Sequence[Subscriber] = ()

    def set_up(self, *, publishers: int, subscribers: int, crowd: int) -> None:
        names = [f"publisher-{number}" for number in range(1, publishers + 1)]
        people = [f"subscriber-{number}" for number in range(1, subscribers + 1)]
        with ThreadPoolExecutor() as pool:
            publisher_keys = pool.map(lambda name: issued_key(self._system, "publisher", name), names)
            emails = [f"{name}@example.org" for name in people]
            subscriber_keys = pool.map(lambda email: issued_key(self._system, "subscriber", email), emails)
            clients = [self._client(key) for key in publisher_keys]
            extend_schema(clients[0])
            self.publishers = [
                Publisher(name, client, self._ledger, self._random_for(name))
                for name, client in zip(names, clients, strict=True)
            ]
            self.subscribers = [
                Subscriber(name, self._client(key), self._ledger, self._random_for(name))
                for name, key in zip(people, subscriber_keys, strict=True)
            ]
            share = [crowd // subscribers] * subscribers if subscribers else []
            list(pool.map(_join_the_crowd, self.subscribers, share))

    def close(self) -> None:
        for client in self._clients:
            client.close()

    def _client(self, key: str) -> Client:
        self._clients.append(Client(self._system.url, key, self._traffic))
        return self._clients[-1]


def extend_schema(publisher: Client) -> None:
    """To that of the market."""
    for name, definition in market.DOMAINS.items():
        publisher.ask("POST", "schema/domains", {"name": name, "definition": definition}, good={201})
    for name, domain in market.ATTRIBUTES.items():
        publisher.ask("POST", "schema/attributes", {"name": name, "domain": domain}, good={201})
    lot = {"name": market.EVENT_TYPE, "attributes": market.LOT}
    publisher.ask("POST", "schema/event-types", lot, good={201})


def issued_key(system: RunningSystem, kind: str, name: str) -> str:
    answer = system.manage("issue_key", kind, name)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.splitlines()[-1]


def _join_the_crowd(subscriber: Subscriber, count: int) -> None:
    for _ in range(count):
        subscriber.join_the_crowd()
