"""The running system: an auction site posts an item, and seconds later it is matched."""

import json
import re
import urllib.request
from typing import Any

from tests.running_system import RunningSystem, wait_until


def test_a_posted_item_is_matched_within_seconds(system: RunningSystem) -> None:
    publisher = key(system, "publisher", "Hôtel des ventes")
    subscriber = key(system, "subscriber", "collector@example.org")
    post(system, publisher, "schema/domains", {"name": "money", "definition": {"kind": "numeric"}})
    post(system, publisher, "schema/attributes", {"name": "price", "domain": "money"})
    lot = {"name": "lot", "attributes": {"price": ["mandatory", "unique"]}}
    post(system, publisher, "schema/event-types", lot)
    post(system, subscriber, "subscriptions", {"text": "price < 20"})
    item = {"external_id": "7", "event": {"event_type": ["lot"], "price": 12}}
    number = post(system, publisher, "events", item)["id"]
    event = wait_until(lambda: matched(system, publisher, number), seconds=15, why=lambda: system.log[-3000:])
    assert event is not None
    assert event["match_count"] == 1


def test_metrics_count_what_happened(system: RunningSystem) -> None:
    publisher = key(system, "publisher", "Another house")
    post(system, publisher, "schema/domains", {"name": "weight", "definition": {"kind": "numeric"}})
    post(system, publisher, "schema/attributes", {"name": "grams", "domain": "weight"})
    post(
        system,
        publisher,
        "schema/event-types",
        {"name": "coin", "attributes": {"grams": ["optional", "unique"]}},
    )
    before = figures(system)
    lines = [
        {"external_id": str(number), "event": {"event_type": ["coin"], "grams": number}}
        for number in range(100)
    ]
    body = "\n".join(
        map(json.dumps, [*lines, {"external_id": "x", "event": {"event_type": ["coin"], "gram": 1}}])
    )
    answer = call(system, publisher, "events/batch", body.encode(), kind="application/x-ndjson")
    assert (answer["accepted"], answer["rejected"]) == (100, 1)
    wait_until(lambda: grown(system, before, "events_matched_total") == 100, seconds=20)
    assert grown(system, before, "events_accepted_total") == 100
    assert grown(system, before, 'events_rejected_total{rule="R3"}') == 1
    assert grown(system, before, "publish_to_match_seconds_count") == 100


def figures(system: RunningSystem) -> dict[str, float]:
    _, text = system.get("/metrics")
    found = re.findall(r"^lesubscribe_(\S+) ([\d.e+-]+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found}


def grown(system: RunningSystem, before: dict[str, float], name: str) -> float:
    return figures(system).get(name, 0) - before.get(name, 0)


def matched(system: RunningSystem, key: str, number: int) -> dict[str, Any] | None:
    event = call(system, key, f"events/{number}")
    return event if event["state"] == "matched" else None


def key(system: RunningSystem, kind: str, name: str) -> str:
    answer = system.manage("issue_key", kind, name)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.splitlines()[-1]


def post(system: RunningSystem, key: str, path: str, document: dict[str, Any]) -> dict[str, Any]:
    return call(system, key, path, json.dumps(document).encode())


def call(
    system: RunningSystem, key: str, path: str, body: bytes | None = None, kind: str = "application/json"
) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{system.url}/api/v1/{path}",
        body,
        {"Authorization": f"Bearer {key}", "Content-Type": kind},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        document: dict[str, Any] = json.load(answer)
        return document
