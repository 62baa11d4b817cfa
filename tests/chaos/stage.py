"""Setting the stage: keys, the market's schema, clients, and a crowd that all look for the same."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

from tests.chaos import market
from tests.chaos.client import SECONDS_OF_PATIENCE, Client, Traffic
from tests.chaos.growth import Growth
from tests.chaos.history import Ledger
from tests.chaos.publisher import Publisher
from tests.chaos.subscriber import Subscriber
from tests.running_system import RunningSystem


class Stage:
    """After `set_up` there are publishers and subscribers, each with a key and a connection of its own."""

    def __init__(
        self,
        system: RunningSystem,
        ledger: Ledger,
        traffic: Traffic,
        random_for: Callable[[str], Random],
        *,
        patience: float = SECONDS_OF_PATIENCE,
    ) -> None:
        self._system = system
        self._ledger = ledger
        self._traffic = traffic
        self._random_for = random_for
        self._patience = patience
        self._clients: list[Client] = []
        self.growth = Growth()
        self.publishers: Sequence[Publisher] = ()
        self.subscribers: Sequence[Subscriber] = ()
        self.architect: Client | None = None

    def set_up(
        self, *, publishers: int, subscribers: int, crowd: int, others: Sequence[tuple[str, str]] = ()
    ) -> list[str]:
        """All of them; the keys of others, by kind and name, which the same process issues."""
        names = [f"publisher-{number}" for number in range(1, publishers + 1)]
        people = [f"subscriber-{number}" for number in range(1, subscribers + 1)]
        wanted = [("publisher", name) for name in names]
        wanted += [("subscriber", f"{name}@example.org") for name in people]
        keys = issued_keys(self._system, *wanted, *others)
        clients = [self._client(key) for key in keys[: len(wanted)]]
        self.architect = self._client(keys[0])
        extend_schema(self.architect)
        self.publishers = [
            Publisher(name, client, self._ledger, self._random_for(name), self.growth)
            for name, client in zip(names, clients[: len(names)], strict=True)
        ]
        self.subscribers = [
            Subscriber(name, client, self._ledger, self._random_for(name), self.growth)
            for name, client in zip(people, clients[len(names) :], strict=True)
        ]
        share = [crowd // subscribers] * subscribers if subscribers else []
        with ThreadPoolExecutor() as pool:
            list(pool.map(_join_the_crowd, self.subscribers, share))
        return keys[len(wanted) :]

    def close(self) -> None:
        for client in self._clients:
            client.close()

    def _client(self, key: str) -> Client:
        client = Client(self._system.url, key, self._traffic, patience=self._patience)
        self._clients.append(client)
        return client


def extend_schema(publisher: Client) -> None:
    """To that of the market."""
    for name, definition in market.DOMAINS.items():
        publisher.ask("POST", "schema/domains", {"name": name, "definition": definition}, good={201})
    for name, domain in market.ATTRIBUTES.items():
        publisher.ask("POST", "schema/attributes", {"name": name, "domain": domain}, good={201})
    lot = {"name": market.EVENT_TYPE, "attributes": market.LOT}
    publisher.ask("POST", "schema/event-types", lot, good={201})


def issued_keys(system: RunningSystem, *wanted: tuple[str, str]) -> list[str]:
    """One for each kind and name, all by one process: its start takes far longer than a key."""
    issue = (
        "from django.core.management import call_command\n"
        f"for each in {wanted!r}: call_command('issue_key', *each)"
    )
    answer = system.manage("shell", "--verbosity", "0", "-c", issue)
    assert answer.returncode == 0, answer.stderr
    keys = answer.stdout.splitlines()[1::2]  # after a line each that says whose it is
    assert len(keys) == len(wanted), answer.stdout
    return keys


def _join_the_crowd(subscriber: Subscriber, count: int) -> None:
    for _ in range(count):
        subscriber.join_the_crowd()
