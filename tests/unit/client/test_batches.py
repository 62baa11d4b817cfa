"""Many items: cut into batches, each sent until all of its lines have an outcome."""

import gzip
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from lesubscribe_client import Envelope, Publisher, Refused, connection
from lesubscribe_client.envelopes import batches
from tests.unit.client.scripted import CUT, Asked, Reply, client


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)


def lot(name: str, **more: Any) -> Envelope:
    envelope: Any = {"external_id": name, "event": {"event_type": ["lot"]}, **more}
    made: Envelope = envelope
    return made


def taken(*numbers: int) -> list[dict[str, Any]]:
    return [{"line": 0, "status": 202, "id": number, "repeated": False} for number in numbers]


def answer(*results: dict[str, Any]) -> Reply:
    return Reply(200, {"results": results})


def names_in(asked: Asked) -> str:
    return "".join(json.loads(line)["external_id"] for line in gzip.decompress(asked.body).splitlines())


def test_a_lost_answer_has_the_same_batch_sent_again() -> None:
    with client(Publisher, CUT, answer(*taken(1, 2)), answer(*taken(3))) as (publisher, asked):
        outcomes = list(publisher.publish_many(map(lot, "abc"), batch_size=2))
    assert [(each.external_id, each.id) for each in outcomes] == [("a", 1), ("b", 2), ("c", 3)]
    assert list(map(names_in, asked)) == ["ab", "ab", "c"]
    assert asked[0].headers["Content-Type"] == "application/x-ndjson"


def test_after_an_overload_on_the_way_only_the_rest_is_sent() -> None:
    stopped = {"line": 2, "status": 503, "code": "overloaded", "detail": "Later.", "retry_after": 0}
    with client(Publisher, answer(*taken(1), stopped), answer(*taken(2, 3))) as (publisher, asked):
        assert [each.id for each in publisher.publish_many(map(lot, "abc"))] == [1, 2, 3]
    assert list(map(names_in, asked)) == ["abc", "bc"]


def test_a_bad_line_is_named_and_the_others_are_taken() -> None:
    fault = {"field": "price", "code": "R2", "detail": "No."}
    bad = {"line": 2, "status": 422, "code": "invalid_event", "detail": "No.", "errors": [fault]}
    with client(Publisher, answer(*taken(1), bad, *taken(3))) as (publisher, _):
        first, second, third = publisher.publish_many(map(lot, "abc"))
    assert (first.id, second.id, third.id) == (1, None, 3)
    assert (first.refused, third.refused) == (None, None)
    assert second.refused is not None
    assert (second.refused.kind, second.refused.errors[0].code) == ("invalid-event", "R2")


def test_a_line_that_is_too_long_does_not_hold_up_the_others() -> None:
    unreadable = Reply(400, {"type": "urn:lesubscribe:problem:unreadable", "detail": "Long."})
    with client(Publisher, answer(*taken(1)), unreadable, answer(*taken(2))) as (publisher, _):
        outcomes = list(publisher.publish_many([lot("a"), lot("b", title="x" * 1_000_001), lot("c")]))
    assert [(each.external_id, each.id) for each in outcomes] == [("a", 1), ("b", None), ("c", 2)]


def test_a_key_that_is_not_taken_ends_it() -> None:
    with client(Publisher, Reply(401)) as (publisher, _), pytest.raises(Refused, match="401"):
        list(publisher.publish_many([lot("a")]))


@pytest.mark.parametrize(
    ("sent", "cut"),
    [
        ([lot("a"), lot("b"), lot("a"), lot("c")], ["ab", "ac"]),
        ([lot("a", revision=1), lot("a", revision=2)], ["aa"]),
        ([lot("a", title="x" * 600_000), lot("b", title="x" * 600_000)], ["a", "b"]),
        ([], []),
    ],
    ids=["an item again", "numbered revisions", "many bytes", "nothing"],
)
def test_a_batch_can_be_repeated_as_a_whole(sent: list[Envelope], cut: list[str]) -> None:
    assert ["".join(batch.names) for batch in batches(sent, most=100)] == cut


def test_moments_are_written_as_the_server_reads_them() -> None:
    (batch,) = batches([lot("a", ends_at=datetime(2030, 6, 1, 18, tzinfo=UTC))], most=1)
    assert json.loads(batch.lines[0])["ends_at"] == "2030-06-01T18:00:00+00:00"
    with pytest.raises(TypeError, match="cannot be sent"):
        list(batches([lot("a", title=object())], most=1))
