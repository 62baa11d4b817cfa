"""What a text would have found lately: the items as they are now, by day, with samples."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from matching import past, selectors, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.models import PublishedEvent, Subscription
from matching.previews import Preview
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named
from schema_registry.selectors import current_schema

pytestmark = pytest.mark.django_db

Call = Callable[..., Any]
BY_STAFF = schema_services.Author(None)
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def schema() -> None:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")
    schema_services.create_event_type(BY_STAFF, "lot", {"price": ["optional", "multiple"]})


@pytest.fixture
def call(client: Client) -> Call:
    mine = issue_key(User.objects.create_user("reader@example.org"), [Scope.SUBSCRIPTIONS])[1]

    def send(document: Any, *, key: str | None = mine) -> Any:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        path = "/api/v1/subscriptions/preview"
        return client.post(path, body, content_type="application/json", headers=headers)

    return send


def post(
    name: str, price: int, *, at: datetime = NOW, house: str = "Hôtel des ventes", **fields: Any
) -> PublishedEvent:
    publisher = publisher_named(house, state=Publisher.State.APPROVED)
    event = {"event_type": ["lot"], "price": price}
    envelope = read_envelope({"external_id": name, "event": event, **fields})
    taken = publish(publisher, checked(publisher, envelope, current_schema()), now=at)
    return PublishedEvent.objects.get(pk=taken.number)


def previewed(text: str = "price < 20", *, days: int = 30) -> Preview:
    return selectors.previewed(text, days=days, now=NOW, clock=lambda: 0)


def test_a_preview_tells_counts_by_day_and_samples(call: Call, at_noon: datetime) -> None:
    now = at_noon
    url = "https://auctions.example.org/1"
    event = post("1", 5, at=now, title="An oak table", url=url)
    post("2", 50, at=now)
    answer = call({"text": "price < 20", "days": 7})
    assert answer.status_code == 200
    found = answer.json()
    assert (found["count"], found["looked_at"], found["complete"], found["warnings"]) == (1, 2, True, [])
    assert len(found["days"]) == 7
    assert found["days"][-1] == {"date": f"{now:%Y-%m-%d}", "count": 1}
    (sample,) = found["samples"]
    assert sample["event"] == {
        "id": event.pk,
        "external_id": "1",
        "url": url,
        "title": "An oak table",
        "image_url": "",
        "ends_at": None,
        "attributes": {"event_type": ["lot"], "price": 5},
    }
    assert sample["why"] == [{"predicate": "price < 20", "attribute": "price", "value": 5}]


def test_thirty_days_are_usual(call: Call) -> None:
    assert len(call({"text": "price < 20"}).json()["days"]) == 30


def test_nothing_is_stored_by_it(call: Call) -> None:
    call({"text": "price < 20"})
    assert not Subscription.objects.exists()


def test_a_text_that_cannot_be_is_refused_with_its_place(call: Call) -> None:
    answer = call({"text": "price < 5 and\nprise > 9"})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert (error["field"], error["line"], error["column"], error["suggestion"]) == ("text", 2, 1, "price")


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        "price < 5",
        None,
        {"text": 5},
        {"text": ["price < 5"]},
        {"text": None},
        {"text": ""},
        {"text": "price < 5 and " * 400},
        {"text": "price < 5", "days": 0},
        {"text": "price < 5", "days": 91},
        {"text": "price < 5", "days": "soon"},
        {"text": "price < 5", "days": True},
        {"text": "price < 5", "days": [5]},
        {"text": "price < 5", "day": 5},
    ],
)
def test_a_body_that_does_not_fit_is_refused(call: Call, document: Any) -> None:
    answer = call(document)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")


@pytest.mark.parametrize(
    "body", [b'{"text": "a\\u0000"}', b"[" * 100, b'{"text": NaN}', b"\xff", b'{"text": ']
)
def test_what_is_not_the_json_we_take_is_refused(call: Call, body: bytes) -> None:
    assert call(body).status_code == 400


def test_only_people_preview(call: Call) -> None:
    house = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    key = issue_key(house.user, [Scope.EVENTS, Scope.SUBSCRIPTIONS])[1]
    assert call({"text": "price < 5"}, key=key).status_code == 403
    assert call({"text": "price < 5"}, key=None).status_code == 401


def test_the_range_begins_with_a_day_and_ends_now() -> None:
    first_moment = datetime(2026, 11, 15, tzinfo=UTC)
    post("1", 5, at=first_moment)
    post("2", 5, at=first_moment - timedelta(microseconds=1))
    post("3", 5, at=NOW + timedelta(microseconds=1))
    found = previewed(days=2)
    assert (found.count, found.looked_at) == (1, 1)
    assert [count for _, count in found.days] == [1, 0]


def test_of_an_item_only_the_newest_revision_counts() -> None:
    post("1", 5, at=NOW - 3 * HOUR, revision=1)
    newest = post("1", 6, at=NOW - 2 * HOUR, revision=3)
    post("1", 7, at=NOW - HOUR, revision=2)
    post("1", 8, at=NOW - HOUR, house="Another house")
    found = previewed()
    assert (found.count, found.looked_at) == (2, 2)
    assert newest.pk in {sample.number for sample in found.samples}


def test_a_revision_that_no_longer_matches_counts_no_more() -> None:
    post("1", 5)
    post("1", 50)
    assert previewed().count == 0


def test_withdrawn_and_parked_items_do_not_count_nor_do_their_older_revisions() -> None:
    post("1", 5)
    services.withdraw(post("1", 6))
    post("2", 5)
    parked = post("3", 5)
    PublishedEvent.objects.filter(pk=parked.pk).update(state=PublishedEvent.State.PARKED)
    assert previewed().count == 1


def test_pages_leave_nothing_out_whatever_the_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "EVENTS_PER_PAGE", 3)
    for number in range(20):
        post(str(number), 5, at=NOW - (number // 7) * HOUR)
    pages = list(past.past_events(since=NOW - 24 * HOUR, until=NOW))
    rows = [(event.accepted_at, event.number) for page in pages for event in page]
    assert len(rows) == 20
    assert rows == sorted(rows, reverse=True)
    assert max(len(page) for page in pages) == 3


def test_an_event_is_judged_with_the_schema_it_was_validated_with() -> None:
    old = post("1", 5)
    schema_services.create_attribute(BY_STAFF, "weight", "money")
    schema_services.extend_event_type(BY_STAFF, "lot", "weight")
    post("2", 6)
    (page,) = past.past_events(since=NOW - HOUR, until=NOW)
    assert {event.event.schema_version for event in page} == {old.schema_version, current_schema().version}
    assert previewed("price < 20 and not weight exists").count == 2
