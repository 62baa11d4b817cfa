"""The live feed, read by the rules for Server-Sent Events and gone on with after a lost connection."""

import json
from itertools import islice
from typing import Any

import pytest

from lesubscribe_client import NoAnswer, Refused, Subscriber, connection, stream
from lesubscribe_client.stream import ServerEvent, server_events
from tests.unit.client.scripted import CUT, Reply, client

MATCH: dict[str, Any] = {
    "id": 9,
    "event": {
        "id": 41,
        "external_id": "lot-7",
        "url": "",
        "title": "Gem\u0085of the day",
        "image_url": "",
        "ends_at": None,
        "attributes": {"event_type": ["gem"], "carat": 2},
    },
    "subscription": 3,
    "why": [{"predicate": "carat > 1", "attribute": "carat", "value": 2}],
    "matched_at": "2026-11-16T12:00:00.123456Z",
    "seen": False,
}


def feed(*numbers: int, ending: str = "") -> Reply:
    document = json.dumps(MATCH, ensure_ascii=False)
    events = "".join(f"id: {number}\nevent: match\ndata: {document}\n\n" for number in numbers)
    return Reply(200, content=f"retry: 1\n\n: still here\n\n{events}{ending}".encode())


def test_it_goes_on_after_the_last_number_though_the_connection_is_lost() -> None:
    half = f"id: 3\nevent: match\ndata: {json.dumps(MATCH)[:40]}"
    with client(Subscriber, feed(1, 2, ending=half), CUT, feed(3)) as (subscriber, asked):
        heard = list(islice(subscriber.listen(after=0), 3))
    assert [each.number for each in heard] == [1, 2, 3]
    assert [each.headers["Last-Event-ID"] for each in asked] == ["0", "2", "2"]
    match = heard[0].match
    assert (match.event.title, match.event.attributes["carat"]) == ("Gem\u0085of the day", 2)
    assert (match.why[0].predicate, match.matched_at.year) == ("carat > 1", 2026)


def test_a_place_that_comes_before_any_match_is_kept() -> None:
    with client(Subscriber, feed(ending="id: 7\n\n"), feed(8)) as (subscriber, asked):
        assert next(subscriber.listen()).number == 8
    assert [each.headers.get("Last-Event-ID") for each in asked] == [None, "7"]


def test_a_key_that_is_revoked_meanwhile_ends_it() -> None:
    with client(Subscriber, feed(1), Reply(401)) as (subscriber, _):
        listening = subscriber.listen(after=0)
        assert next(listening).number == 1
        with pytest.raises(Refused, match="401"):
            next(listening)


def test_it_gives_up_when_nothing_was_heard_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(stream, "SECONDS_UNTIL_NEXT", 0.001)
    with client(Subscriber, *[CUT] * 1_000, patience=0.01) as (subscriber, _):
        listening = subscriber.listen(patience=0.05)
        with pytest.raises(NoAnswer, match="Nothing was heard"):
            next(listening)


def test_events_are_whole_however_their_bytes_are_cut() -> None:
    content = "id: 5\r\nevent: match\r\ndata: é\u2028\r\ndata: b\r\n\r\nid: 6\n\nid: 7\n".encode()
    whole = [ServerEvent(name="match", id=5, data="é\u2028\nb"), ServerEvent(id=6)]
    for size in (1, 2, 3, 7, len(content)):
        chunks = [content[at : at + size] for at in range(0, len(content), size)]
        assert list(server_events(chunks)) == whole
