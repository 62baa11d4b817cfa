"""The live feed over HTTP: at once, without a gap, without a repeat, and only one's own."""

import http.client
import json
import random
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

import pytest
import redis

from lesubscribe import embedded_redis
from lesubscribe.demo import DEMO_EMAIL
from lesubscribe_client import Publisher, Subscriber
from matching.feed_hub import MOST_OF_AN_OWNER
from matching.feed_wakeups import CHANNEL
from tests.integration.test_live_service import call, figures, key, post
from tests.integration.test_up import browser_at_sign_in
from tests.running_system import RunningSystem, wait_until

SOON = 120  # seconds, of a machine that has other things to do
PUBLISHERS, ITEMS_OF_EACH = 4, 25
STREAM = "/api/v1/feed/stream"
PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Received:
    number: int
    match: dict[str, Any]


class Listener:
    """A client of the live feed that follows the rules for Server-Sent Events."""

    def __init__(self, system: RunningSystem, key: str, *, after: int | None = None, query: str = "") -> None:
        self.events: list[Received] = []
        self.last_id: int | None = after
        self._connection = http.client.HTTPConnection("localhost", system.port, timeout=SOON)
        headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
        if after is not None:
            headers["Last-Event-ID"] = str(after)
        self._connection.request("GET", STREAM + query, headers=headers)
        self.answer = self._connection.getresponse()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        if self.answer.status == 200:
            self._thread.start()

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection.sock is not None:
            with suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join(SOON)
        self.answer.close()
        self._connection.close()

    def has(self, count: int) -> list[Received]:
        wait_until(lambda: len(self.events) >= count, seconds=SOON, why=lambda: f"{self.events}")
        assert len(self.events) == count
        return self.events

    def is_at_a_place(self) -> "Listener":
        """It was told where in the feed it is, so what comes now is not missed."""
        wait_until(lambda: self.last_id is not None, seconds=SOON)
        return self

    def _listen(self) -> None:
        fields: dict[str, str] = {}
        with suppress(OSError, ValueError, http.client.HTTPException):
            for raw in self.answer:
                line = raw.decode().rstrip("\n")
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                    continue
                if "id" in fields:
                    self.last_id = int(fields["id"])
                if "data" in fields:
                    assert fields["event"] == "match"
                    self.events.append(Received(int(fields["id"]), json.loads(fields["data"])))
                fields = {}


class Wakeups:
    """What is said to open feeds. One that nobody wakes looks by itself, so its items alone prove nothing."""

    def __init__(self, system: RunningSystem) -> None:
        self._server = redis.Redis(unix_socket_path=str(embedded_redis.socket_path(system.var)))
        # redis-py has no types for it.
        self._heard = self._server.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]

    def __enter__(self) -> "Wakeups":
        self._heard.subscribe(CHANNEL)
        return self

    def __exit__(self, *error: object) -> None:
        self._heard.close()
        self._server.close()

    def one_is_heard_by_the_web_process(self) -> None:
        assert wait_until(lambda: self._heard.get_message(timeout=0.05), seconds=SOON)["data"]
        wait_until(lambda: self._server.pubsub_numsub(CHANNEL)[0][1] == 2, seconds=SOON)


class Market:
    """A publisher on a running system, and people who each look for items of one parcel."""

    def __init__(self, system: RunningSystem) -> None:
        self.system = system
        self.publisher = key(system, "publisher", "Diamantbeurs")
        with Publisher(system.url, self.publisher) as publisher:
            publisher.create_domain("parcels", {"kind": "string"})
            publisher.create_attribute("parcel", "parcels")
            publisher.create_event_type("gem", {"parcel": ["mandatory", "unique"]})

    def person_looking_for(self, parcel: str) -> str:
        """Their key."""
        person = key(self.system, "subscriber", f"{parcel}@example.org")
        with Subscriber(self.system.url, person) as subscriber:
            subscriber.subscribe(f"parcel = '{parcel}'")
        return person

    def publish(self, parcel: str, name: str) -> None:
        item = {
            "external_id": f"{parcel}-{name}",
            "title": "Gem\nof the\u2028day",
            "event": {"event_type": ["gem"], "parcel": parcel},
        }
        post(self.system, self.publisher, "events", item)

    def matches(self, person: str) -> list[dict[str, Any]]:
        """Oldest first."""
        found: list[dict[str, Any]] = call(self.system, person, "matches?page_size=500")["results"]
        return found[::-1]


@pytest.fixture(scope="module")
def market(system: RunningSystem) -> Market:
    return Market(system)


@pytest.fixture(scope="module")
def stranger(system: RunningSystem) -> str:
    return key(system, "subscriber", "stranger@example.org")


def names(received: list[Received]) -> list[str]:
    return [each.match["event"]["external_id"].split("-")[1] for each in received]


def test_a_published_item_is_in_the_open_feed_within_seconds(market: Market) -> None:
    person = market.person_looking_for("ruby")
    with Listener(market.system, person) as listener:
        assert listener.answer.headers["Content-Type"] == "text/event-stream"
        assert listener.answer.headers["Cache-Control"] == "no-cache"
        assert listener.answer.headers["X-Accel-Buffering"] == "no"
        listener.is_at_a_place()
        with Wakeups(market.system) as wakeups:
            market.publish("ruby", "1")
            (received,) = listener.has(1)
            wakeups.one_is_heard_by_the_web_process()
    assert received.number == 1
    assert received.match == market.matches(person)[0]
    assert received.match["why"] == [{"predicate": "parcel = ruby", "attribute": "parcel", "value": "ruby"}]


def test_it_begins_after_the_number_a_client_has(market: Market) -> None:
    person = market.person_looking_for("opal")
    with Listener(market.system, person, after=0) as listener:
        for name in ("1", "2", "3"):
            market.publish("opal", name)
        listener.has(3)
    with Listener(market.system, person, query="?last_event_id=2") as listener:
        assert names(listener.has(1)) == ["3"]
    with Listener(market.system, person, after=1, query="?last_event_id=2") as listener:
        assert names(listener.has(2)) == ["2", "3"]
    with Listener(market.system, person) as listener:
        listener.is_at_a_place()
        assert listener.last_id == 3
        market.publish("opal", "4")
        assert names(listener.has(1)) == ["4"]


def test_nobody_hears_of_what_was_found_for_another(market: Market) -> None:
    topaz, jade = market.person_looking_for("topaz"), market.person_looking_for("jade")
    with Listener(market.system, topaz, after=0) as first, Listener(market.system, jade, after=0) as second:
        market.publish("topaz", "1")
        first.has(1)
        market.publish("jade", "2")
        second.has(1)
        assert (names(first.events), names(second.events)) == (["1"], ["2"])
        assert [each.number for each in second.events] == [1]


def test_resuming_leaves_no_gap_and_repeats_nothing_though_redis_forgets_everything(market: Market) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    person = market.person_looking_for("pearl")
    server = redis.Redis(unix_socket_path=str(embedded_redis.socket_path(market.system.var)))
    received: list[Received] = []
    with ThreadPoolExecutor(PUBLISHERS) as pool:
        publishing = [pool.submit(publish_all, market, "pearl", number) for number in range(PUBLISHERS)]
        while len(received) < PUBLISHERS * ITEMS_OF_EACH:
            with Listener(market.system, person, after=received[-1].number if received else 0) as listener:
                some = rng.randrange(1, 20)
                rest = PUBLISHERS * ITEMS_OF_EACH - len(received)
                wait_until(
                    lambda some=some, rest=rest, heard=listener.events: len(heard) >= min(some, rest),  # type: ignore[misc]
                    seconds=SOON,
                    why=lambda: market.system.log[-3000:],
                )
            received += listener.events
            server.flushall()
        for each in publishing:
            each.result()
    assert [each.number for each in received] == list(range(1, PUBLISHERS * ITEMS_OF_EACH + 1))
    there = {match["id"] for match in market.matches(person)}
    assert len(there) == PUBLISHERS * ITEMS_OF_EACH
    assert {each.match["id"] for each in received} == there


def publish_all(market: Market, parcel: str, publisher: int) -> None:
    for number in range(ITEMS_OF_EACH):
        market.publish(parcel, f"{publisher}.{number}")


def test_so_many_feeds_a_person_may_have_and_a_closed_one_is_free_again(market: Market) -> None:
    person = market.person_looking_for("agate")
    wait_until(lambda: open_feeds(market.system) == 0, seconds=SOON)
    with ExitStack() as streams:
        for _ in range(MOST_OF_AN_OWNER):
            streams.enter_context(Listener(market.system, person)).is_at_a_place()
        assert open_feeds(market.system) == MOST_OF_AN_OWNER
        with Listener(market.system, person) as refused:
            assert refused.answer.status == 429
            assert refused.answer.headers["Content-Type"] == PROBLEM
            assert refused.answer.headers["Retry-After"]
            assert "close one first" in json.load(refused.answer)["detail"]
    wait_until(lambda: open_feeds(market.system) == 0, seconds=SOON)
    with Listener(market.system, person) as listener:
        listener.is_at_a_place()


def open_feeds(system: RunningSystem) -> float:
    return figures(system)["feed_streams"]


def test_a_signed_in_person_needs_no_key_and_idle_feeds_keep_no_database_connection(market: Market) -> None:
    """More feeds than the pool has connections, each of a session that had to be read."""
    browser, token = browser_at_sign_in(market.system)
    form = {"login": DEMO_EMAIL, "password": market.system.demo_password(), "csrfmiddlewaretoken": token}
    browser.open(f"{market.system.url}/accounts/login/", urllib.parse.urlencode(form).encode())
    with ExitStack() as streams:
        for _ in range(MOST_OF_AN_OWNER):
            answer = streams.enter_context(browser.open(market.system.url + STREAM, timeout=SOON))
            assert answer.readline() == b"retry: 2000\n"
        with browser.open(f"{market.system.url}/api/v1/matches", timeout=SOON) as page:
            assert "unseen" in json.load(page)


@pytest.mark.parametrize("number", ["x", "-1", "1.5", "\u0661", "9" * 19, "1 2"])
def test_what_is_no_number_is_a_problem(market: Market, stranger: str, number: str) -> None:
    query = "?last_event_id=" + urllib.parse.quote(number)
    with Listener(market.system, stranger, query=query) as listener:
        assert (listener.answer.status, listener.answer.headers["Content-Type"]) == (400, PROBLEM)
        assert "Last-Event-ID" in json.load(listener.answer)["detail"]


def test_only_people_may_listen(market: Market) -> None:
    for person, status in ((market.publisher, 403), ("ls_nobody", 401)):
        with Listener(market.system, person) as listener:
            assert (listener.answer.status, listener.answer.headers["Content-Type"]) == (status, PROBLEM)
    assert market.system.get(STREAM)[0] == 401


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE"])
def test_it_can_only_be_read(market: Market, stranger: str, method: str) -> None:
    request = urllib.request.Request(
        market.system.url + STREAM,
        method=method,
        headers={"Authorization": f"Bearer {stranger}"},
    )
    with pytest.raises(urllib.error.HTTPError, match="405") as refused:
        urllib.request.urlopen(request, timeout=SOON)
    refused.value.close()


def test_the_documentation_knows_it(market: Market) -> None:
    paths = json.loads(market.system.get("/api/v1/openapi.json")[1])["paths"]
    stream = paths[STREAM]["get"]
    assert list(stream["responses"]["200"]["content"]) == ["text/event-stream"]
    assert {each["name"] for each in stream["parameters"]} == {"Last-Event-ID", "last_event_id"}


@pytest.mark.any_database
def test_an_open_feed_does_not_hold_up_the_stop(own_system: RunningSystem) -> None:
    person = key(own_system, "subscriber", "collector@example.org")
    with Listener(own_system, person) as listener:
        listener.is_at_a_place()
        assert own_system.stop() == 0
    assert "Traceback" not in own_system.log
