"""What an import takes, and what it says of what it does not take."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from matching.drafts import Draft
from matching.portable import MOST_FAULTS, MOST_PREDICATES, InvalidImport, read_document
from matching.validity import State
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema

SCHEMA = Schema.from_dict(
    {"domains": {"money": {"kind": "numeric"}}, "attributes": {"price": "money"}, "version": 2}
)
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
ENTRY = {"name": "Cheap", "text": "price < 5", "state": "active", "expires_at": None}


def document(*entries: object, **changes: Any) -> dict[str, Any]:
    return {
        "format": "lesubscribe-subscriptions",
        "version": 1,
        "exported_at": "2026-11-15T12:00:00Z",
        "subscriptions": list(entries),
        **changes,
    }


def read(raw: object, *, seconds_a_look: float = 0) -> list[Draft]:
    looks = iter(range(1_000_000))
    return read_document(raw, SCHEMA, now=NOW, clock=lambda: next(looks) * seconds_a_look)


def refused(raw: object, **options: float) -> dict[str, str]:
    with pytest.raises(InvalidImport) as caught:
        read(raw, **options)
    return {place: str(fault) for place, fault in caught.value.found.items()}


def test_subscriptions_keep_name_text_state_and_expiry() -> None:
    expires_at = NOW + timedelta(days=3, microseconds=7)
    (draft,) = read(
        document({**ENTRY, "text": "price <  5", "state": "muted", "expires_at": expires_at.isoformat()})
    )
    assert (draft.name, draft.text, draft.canonical) == ("Cheap", "price <  5", "price < 5")
    assert (draft.state, draft.expires_at) == (State.MUTED, expires_at)
    assert read(document()) == []


@pytest.mark.parametrize("state", ["active", "paused", "muted", "expired"])
def test_what_expired_comes_back_as_expired(state: str) -> None:
    (draft,) = read(document({**ENTRY, "state": state, "expires_at": "2026-11-16T12:00:00Z"}))
    assert (draft.state, draft.expires_at) == (State.EXPIRED, NOW)


@pytest.mark.parametrize("raw", [None, [], "x", 5, True])
def test_what_is_no_object_is_refused(raw: object) -> None:
    assert list(refused(raw)) == ["document"]
    assert list(refused(document(raw))) == ["subscriptions[0]"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "csv"}, "This must be 'lesubscribe-subscriptions'."),
        ({"format": None}, "This must be"),
        ({"version": 2}, "This must be 1"),
        ({"version": True}, "This must be 1"),
        ({"exported_at": "yesterday"}, "This must be a moment"),
        ({"exported_at": "2026-11-15T12:00:00"}, "time zone"),
        ({"exported_at": "0001-01-01T00:00:00+14:00"}, "This must be a moment"),
        ({"exported_at": 5}, "This must be a string."),
        ({"subscriptions": {}}, "This must be a list."),
        ({"subscriptions": [ENTRY] * 10_001}, "There are 10,001; one import takes at most 10,000."),
        ({"colour": "red"}, "There is no such field"),
    ],
)
def test_the_head_must_be_as_an_export_wrote_it(change: dict[str, Any], says: str) -> None:
    ((place, fault),) = refused(document(**change)).items()
    assert [place] == list(change)
    assert says in fault


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": 5}, "This must be a string."),
        ({"name": "x" * 201}, "at most 200 characters; this one has 201"),
        ({"text": None}, "This must be a string."),
        ({"text": ["price < 5"]}, "This must be a string."),
        ({"text": "prise < 5"}, "prise"),
        ({"text": "price < 5 and " * 400}, "at most 4,096 bytes"),
        ({"text": "price < 5\0"}, "NUL"),
        ({"state": "removed"}, "This must be one of active, paused, muted, expired."),
        ({"state": []}, "This must be one of"),
        ({"expires_at": "never"}, "This must be a moment"),
        ({"expires_at": "2126-11-16T12:00:00Z"}, "more than 3,650 days from now"),
        ({"ticket": "x"}, "There is no such field; there are name, text, state, expires_at."),
    ],
)
def test_each_fault_is_named_by_index_and_field(change: dict[str, Any], says: str) -> None:
    ((place, fault),) = refused(document(ENTRY, {**ENTRY, **change})).items()
    assert place == f"subscriptions[1].{next(iter(change))}"
    assert says in fault


def test_a_missing_field_is_a_fault() -> None:
    for name in ENTRY:
        entry = {field: value for field, value in ENTRY.items() if field != name}
        assert refused(document(entry)) == {f"subscriptions[0].{name}": "This field is required."}


def test_all_faults_are_told_and_the_sentence_names_the_first() -> None:
    with pytest.raises(InvalidImport) as caught:
        read(document({**ENTRY, "text": "prise < 5", "state": "?"}, ENTRY, {**ENTRY, "name": 5}, 7))
    places = ["subscriptions[0].text", "subscriptions[0].state", "subscriptions[2].name", "subscriptions[3]"]
    assert list(caught.value.found) == places
    fault = caught.value.found["subscriptions[0].text"]
    assert isinstance(fault, SubscriptionError)
    assert (fault.line, fault.column) == (1, 1)
    assert str(caught.value).startswith("Nothing was imported. subscriptions[0].text: ")
    assert str(caught.value).endswith("And 1 more.")


def test_after_many_faults_it_looks_no_further() -> None:
    found = refused(document(*[{**ENTRY, "name": 5}] * 1_000))
    assert len(found) == MOST_FAULTS + 1
    assert "no further" in found[f"subscriptions[{MOST_FAULTS}]"]


def test_texts_that_take_too_long_to_check_are_refused() -> None:
    found = refused(document(*[ENTRY] * 100), seconds_a_look=1)
    assert "no further" in found["subscriptions[20]"]


def test_texts_that_take_too_much_room_are_refused() -> None:
    many = " or ".join(f"price = {number}" for number in range(64))
    found = refused(document({**ENTRY, "name": 5}, *[{**ENTRY, "text": many}] * 9_999))
    assert list(found) == ["subscriptions[0].name", f"subscriptions[{MOST_PREDICATES // 64 + 1}]"]


def test_a_text_that_occurs_often_is_parsed_once() -> None:
    first, second = read(document(ENTRY, {**ENTRY, "name": "Again"}))
    assert first.compiled is second.compiled
    assert (first.name, second.name) == ("Cheap", "Again")
