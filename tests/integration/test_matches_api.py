"""What matched, why, and whether it was seen: for its owner and nobody else."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from matching import draining, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.live import LiveMatcher
from matching.models import PublishedEvent
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named
from schema_registry.selectors import current_schema

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
BY_STAFF = schema_services.Author(None)


@pytest.fixture
def reader() -> User:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_domain(BY_STAFF, "words", {"kind": "text"})
    schema_services.create_attribute(BY_STAFF, "price", "money")
    schema_services.create_attribute(BY_STAFF, "title", "words")
    lot = {"price": ["mandatory", "unique"], "title": ["optional", "unique"]}
    schema_services.create_event_type(BY_STAFF, "lot", lot)
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def matches(client: Client, reader: User) -> Callable[..., Any]:
    key = issue_key(reader, [Scope.SUBSCRIPTIONS])[1]

    def ask(query: str = "", *, key: str = key) -> Any:
        return client.get(f"/api/v1/matches{query}", headers={"Authorization": f"Bearer {key}"}).json()

    return ask


@pytest.fixture
def see(client: Client, reader: User) -> Callable[..., Any]:
    key = issue_key(reader, [Scope.SUBSCRIPTIONS])[1]

    def tell(body: object, *, key: str = key) -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        return client.post("/api/v1/matches/seen", body, content_type="application/json", headers=headers)

    return tell


def publish_and_match(number: int, price: float, title: str = "An oak table") -> int:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    event = {"event_type": ["lot"], "price": price, "title": title}
    url = f"https://auctions.example.org/{number}"
    envelope = read_envelope({"external_id": str(number), "url": url, "event": event})
    taken = publish(publisher, checked(publisher, envelope, current_schema()), now=NOW)
    draining.drain(LiveMatcher("quarantining"))
    return taken.number


def test_a_match_tells_the_item_and_why(matches: Callable[..., Any], reader: User) -> None:
    search = services.subscribe(reader, "price < 20 and title contains oak", now=NOW).subscription
    event = publish_and_match(7, 12.5)
    (match,) = matches()["results"]
    assert match["event"]["id"] == event
    assert match["event"]["url"] == "https://auctions.example.org/7"
    assert match["event"]["attributes"]["price"] == 12.5
    assert match["subscription"] == search.pk
    assert match["why"] == [
        {"predicate": "price < 20", "attribute": "price", "value": 12.5},
        {"predicate": "title contains oak", "attribute": "title", "value": "oak"},
    ]


def test_they_come_newest_first_in_pages(matches: Callable[..., Any], reader: User) -> None:
    services.subscribe(reader, "price exists", now=NOW)
    for number in range(5):
        publish_and_match(number, number + 1)
    page = matches("?page_size=2")
    assert [match["event"]["external_id"] for match in page["results"]] == ["4", "3"]
    rest = matches("?" + page["next"].split("?")[1])
    assert [match["event"]["external_id"] for match in rest["results"]] == ["2", "1"]
    assert matches("?page_size=500")["next"] is None


def test_one_search_can_be_asked_for(matches: Callable[..., Any], reader: User) -> None:
    cheap = services.subscribe(reader, "price < 5", now=NOW).subscription
    services.subscribe(reader, "price exists", now=NOW)
    publish_and_match(1, 3)
    assert len(matches()["results"]) == 2
    assert [match["subscription"] for match in matches(f"?subscription={cheap.pk}")["results"]] == [cheap.pk]
    for nonsense in ("nonsense", "9" * 40, "-1", "%00"):
        assert matches(f"?subscription={nonsense}")["results"] == []


def test_nobody_sees_what_was_found_for_another(matches: Callable[..., Any], reader: User) -> None:
    services.subscribe(reader, "price exists", now=NOW)
    publish_and_match(1, 3)
    stranger = issue_key(User.objects.create_user("stranger@example.org"), [Scope.SUBSCRIPTIONS])[1]
    assert matches(key=stranger)["results"] == []


def test_withdrawn_items_are_gone(matches: Callable[..., Any], reader: User) -> None:
    services.subscribe(reader, "price exists", now=NOW)
    number = publish_and_match(1, 3)
    services.withdraw(PublishedEvent.objects.get(pk=number))
    assert matches()["results"] == []


def test_a_text_that_was_changed_since_gives_no_wrong_reason(
    matches: Callable[..., Any], reader: User
) -> None:
    search = services.subscribe(reader, "price < 5", now=NOW).subscription
    publish_and_match(1, 3)
    services.change(search, now=NOW, text="price > 100")
    (match,) = matches()["results"]
    assert match["why"] == []


def test_a_page_tells_what_was_seen_and_how_many_were_not(
    matches: Callable[..., Any], see: Callable[..., Any], reader: User
) -> None:
    services.subscribe(reader, "price exists", now=NOW)
    for number in range(3):
        publish_and_match(number, number + 1)
    page = matches("?page_size=2")
    assert page["unseen"] == 3
    newest, older = (match["id"] for match in page["results"])
    assert see({"ids": [newest]}).json() == {"unseen": 2}
    assert [match["seen"] for match in matches()["results"]] == [True, False, False]
    assert [match["id"] for match in matches("?seen=true")["results"]] == [newest]
    assert [match["id"] for match in matches("?seen=false&page_size=1")["results"]] == [older]
    assert see({"ids": [newest], "seen": False}).json() == {"unseen": 3}
    assert see({"up_to": older}).json() == {"unseen": 1}
    assert [match["seen"] for match in matches()["results"]] == [False, True, True]


def test_what_is_anothers_stays_as_it_is_and_is_not_hinted_at(
    matches: Callable[..., Any], see: Callable[..., Any], reader: User
) -> None:
    services.subscribe(reader, "price exists", now=NOW)
    publish_and_match(1, 3)
    (match,) = matches()["results"]
    stranger = issue_key(User.objects.create_user("stranger@example.org"), [Scope.SUBSCRIPTIONS])[1]
    for body in ({"ids": [match["id"]]}, {"ids": [10**9]}, {"up_to": match["id"]}, {"up_to": 10**9}):
        answer = see(body, key=stranger)
        assert (answer.status_code, answer.json()) == (200, {"unseen": 0})
    assert matches()["unseen"] == 1


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "either ids, or up_to"),
        ({"ids": [1], "up_to": 1}, "either ids, or up_to"),
        ({"up_to": 1, "seen": False}, "by ids only"),
        ({"ids": [1], "seen": "no"}, "boolean"),
        ({"ids": "all"}, "ids"),
        ({"ids": [0]}, "ids"),
        ({"ids": [True]}, "ids"),
        ({"ids": [2**63]}, "ids"),
        ({"up_to": -1}, "up_to"),
        ({"id": [1]}, "no such field"),
        ({"ids": [1] * 501}, "These are 501 ids; 500 are the most at once."),
        ({"ids": [1] * 100_000}, "These are 100,000 ids"),
    ],
)
def test_what_cannot_be_marked_is_told(see: Callable[..., Any], body: object, says: str) -> None:
    answer = see(body)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert says in answer.json()["detail"]


def test_seen_is_true_or_false_and_nothing_else(matches: Callable[..., Any], reader: User) -> None:
    problem = matches("?seen=perhaps")
    assert (problem["status"], problem["detail"]) == (422, "seen: This is either true or false.")
