"""The running system: an auction site posts an item, and seconds later it is matched."""

import json
import re
import urllib.error
import urllib.request
from typing import Any

from lesubscribe_client import Envelope, Event, Publisher, Subscriber
from tests.running_system import RunningSystem, wait_until

TOO_BUSY = 503


def test_a_posted_item_is_matched_within_seconds(system: RunningSystem) -> None:
    with Publisher(system.url, key(system, "publisher", "Hôtel des ventes")) as publisher:
        publisher.create_domain("money", {"kind": "numeric"})
        publisher.create_attribute("price", "money")
        publisher.create_event_type("lot", {"price": ["mandatory", "unique"]})
        with Subscriber(system.url, key(system, "subscriber", "collector@example.org")) as subscriber:
            subscriber.subscribe("price < 20")
        number = publisher.publish("7", {"event_type": ["lot"], "price": 12}).id
        event = wait_until(lambda: matched(publisher, number), seconds=120, why=lambda: system.log[-3000:])
        assert event is not None
        assert event.match_count == 1
        assert publisher.dry_run("8", {"event_type": ["lot"], "price": 12}).match_count == 1


def test_metrics_count_what_happened(system: RunningSystem) -> None:
    coins: list[Envelope] = [
        {"external_id": str(number), "event": {"event_type": ["coin"], "grams": number}}
        for number in range(100)
    ]
    misspelt: Envelope = {"external_id": "x", "event": {"event_type": ["coin"], "gram": 1}}
    with Publisher(system.url, key(system, "publisher", "Another house")) as publisher:
        publisher.create_domain("weight", {"kind": "numeric"})
        publisher.create_attribute("grams", "weight")
        publisher.create_event_type("coin", {"grams": ["optional", "unique"]})
        before = figures(system)
        *taken, refused = publisher.publish_many([*coins, misspelt])
    assert all(outcome.id is not None for outcome in taken)
    assert refused.refused is not None
    wait_until(lambda: grown(system, before, "events_matched_total") == 100, seconds=120)
    assert grown(system, before, "events_accepted_total") == 100
    assert grown(system, before, 'events_rejected_total{rule="R3"}') == 1
    assert grown(system, before, "publish_to_match_seconds_count") == 100


def figures(system: RunningSystem) -> dict[str, float]:
    _, text = system.get("/metrics")
    found = re.findall(r"^lesubscribe_(\S+) ([\d.e+-]+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found}


def grown(system: RunningSystem, before: dict[str, float], name: str) -> float:
    return figures(system).get(name, 0) - before.get(name, 0)


def matched(publisher: Publisher, number: int) -> Event | None:
    event = publisher.status(number)
    return event if event.state == "matched" else None


def key(system: RunningSystem, kind: str, name: str) -> str:
    answer = system.manage("issue_key", kind, name)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.splitlines()[-1]


def post(system: RunningSystem, key: str, path: str, document: dict[str, Any]) -> dict[str, Any]:
    """Again as long as the system says that it is too busy, which it does before it stores anything."""

    def posted() -> dict[str, Any] | None:
        try:
            return call(system, key, path, json.dumps(document).encode())
        except urllib.error.HTTPError as refusal:
            if refusal.code != TOO_BUSY:
                raise
            refusal.close()
            return None

    answer = wait_until(posted, seconds=300)
    assert answer is not None
    return answer


def call(
    system: RunningSystem, key: str, path: str, body: bytes | None = None, kind: str = "application/json"
) -> dict[str, Any]:
    """As clients do, it comes again later if it is asked to, for which a busy machine is reason enough."""
    request = urllib.request.Request(
        f"{system.url}/api/v1/{path}",
        body,
        {"Authorization": f"Bearer {key}", "Content-Type": kind},
    )
    (document,) = wait_until(lambda: _unless_busy(request), seconds=300, why=lambda: system.log[-3000:])
    return document


def _unless_busy(request: urllib.request.Request) -> list[dict[str, Any]]:
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return [json.load(answer)]
    except urllib.error.HTTPError as error:
        if error.code != 503:
            raise
        error.close()
        return []
