from datetime import UTC, datetime
from typing import Any

import pytest

from matching.envelopes import MOST_UNKNOWN_TOLD, InvalidEnvelope, read_envelope

LEAST = {"external_id": "7", "event": {}}


def test_the_least_envelope_has_an_id_and_an_event() -> None:
    envelope = read_envelope(LEAST)
    assert (envelope.external_id, envelope.event, envelope.revision, envelope.title) == ("7", {}, None, "")


def test_moments_are_kept_in_utc() -> None:
    envelope = read_envelope({**LEAST, "ends_at": "2026-11-16T13:00:00+01:00"})
    assert envelope.ends_at == datetime(2026, 11, 16, 12, tzinfo=UTC)


def test_null_means_that_a_field_is_not_there() -> None:
    assert read_envelope({**LEAST, "ends_at": None, "revision": None}) == read_envelope(LEAST)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"external_id": None}, "external_id: This field is required."),
        ({"external_id": " "}, "external_id: This must not be blank"),
        ({"external_id": "x" * 201}, "external_id: This has 201 characters; the limit is 200."),
        ({"external_id": "a\0"}, "NUL"),
        ({"external_id": 7}, "external_id: This must be a string."),
        ({"event": []}, "event: This must be an object"),
        ({"revision": True}, "revision: This must be a whole number"),
        ({"revision": 0}, "revision: This must be a whole number"),
        ({"url": "javascript:alert(1)"}, "url: This must be an address"),
        ({"url": "http://["}, "url: This must be an address"),
        ({"image_url": "/picture.jpg"}, "image_url: This must be an address"),
        ({"ends_at": "soon"}, "ends_at: This must be a moment"),
        ({"ends_at": "2026-11-16T12:00:00"}, "ends_at: A moment needs its time zone"),
        ({"ends_at": "0001-01-01T00:00:00+23:00"}, "ends_at: This must be a moment"),
        ({"colour": "red"}, "colour: There is no such field"),
    ],
)
def test_what_is_wrong_is_told_with_its_field(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidEnvelope) as raised:
        read_envelope({**LEAST, **change})
    assert says in str(raised.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InvalidEnvelope) as raised:
        read_envelope({"title": 5, "url": "x"})
    assert set(raised.value.faults) == {"title", "url", "external_id", "event"}


def test_of_many_fields_that_do_not_exist_a_few_are_told() -> None:
    with pytest.raises(InvalidEnvelope) as raised:
        read_envelope({**LEAST, **{f"field {number}": number for number in range(60_000)}})
    assert len(raised.value.faults) == MOST_UNKNOWN_TOLD
    assert len(str(raised.value)) < 3_000


@pytest.mark.parametrize("document", [[], "x", 5, None])
def test_what_is_no_object_is_no_envelope(document: Any) -> None:
    with pytest.raises(InvalidEnvelope, match="Send one JSON object"):
        read_envelope(document)
