"""The first steps of a publisher: each says how it stands, and the shown command is one that works."""

import json
import shlex
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from matching import services
from matching.first_steps import progress
from matching.models import PublishedEvent
from schema_registry.accounts.memberships import publishers_of
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.services import issue_key, revoke_key, set_publisher_state
from schema_registry.core.schema import Schema
from schema_registry.event_examples import event_example, examples
from tests.integration.collector import item, make_schema
from tests.integration.publishing_house import House, text

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture
def house() -> House:
    make_schema()
    return House()


def steps_of(house: House) -> tuple[bool, ...]:
    return progress(publishers_of(house.member).get()).steps


def shown_command(house: House) -> list[str]:
    answer = house.client.get(house.address())
    return shlex.split(answer.context["command"].replace("\\\n", " "))


def sent(client: Client, command: list[str], secret: str, *, body: str = "") -> Any:
    """As the shown command does it, but for the network."""
    assert command[0] == "curl"
    headers = dict(header.split(": ", 1) for flag, header in pairwise(command) if flag == "-H")
    assert headers["Authorization"] == "Bearer $KEY"
    path = command[1].split("localhost:8000", 1)[-1]
    return client.post(
        path[path.index("/api/") :],
        body or command[command.index("-d") + 1],
        content_type=headers["Content-Type"],
        headers={"Authorization": f"Bearer {secret}"},
    )


def test_each_step_is_known_when_it_is_taken(house: House, client: Client) -> None:
    assert steps_of(house) == (False, False, False, False)
    key, secret = issue_key(house.publisher.user, [Scope.EVENTS])
    assert steps_of(house) == (True, False, False, False)

    command = shown_command(house)
    assert sent(client, command, secret, body='{"external_id": "lot-1", "event": {}}').status_code == 422
    assert steps_of(house) == (True, True, False, False)
    assert "Nothing was taken yet" in house.sees()

    assert sent(client, command, secret).status_code == 202
    assert steps_of(house) == (True, True, True, False)
    assert "It is being held against every search" in house.sees()
    PublishedEvent.objects.update(state="parked", reason="No worker survived.")
    assert "No worker survived." in house.sees()
    PublishedEvent.objects.update(state="matched", matched_at=timezone.now(), match_count=2)
    assert steps_of(house) == (True, True, True, True)
    assert "2 searches found it." in house.sees()
    assert "What next" in house.sees()

    services.withdraw(PublishedEvent.objects.get())
    revoke_key(key, now=timezone.now())
    assert steps_of(house) == (False, True, True, True)


def test_a_key_for_the_schema_alone_is_not_the_one_that_is_needed(house: House) -> None:
    _key, _secret = issue_key(house.publisher.user, [Scope.SCHEMA])
    assert steps_of(house) == (False, False, False, False)


def test_the_page_asks_again_and_is_answered_only_when_something_changed(house: House) -> None:
    def asked(mark: str) -> Any:
        return house.client.get(house.address("steps"), {"was": mark})

    mark = progress(house.publisher).mark
    assert f"was={mark}" in house.client.get(house.address()).content.decode()
    assert asked(mark).status_code == 204
    issue_key(house.publisher.user, [Scope.EVENTS])
    assert "Step 2 of 4 is next." in text(asked(mark))
    mark = progress(house.publisher).mark
    item(house="Quai Noord", matched_at=timezone.now())
    answer = asked(mark)
    assert "All four steps are done." in text(answer)
    assert "hx-get" not in answer.content.decode()


def test_who_waits_for_approval_or_is_suspended_is_told(house: House, client: Client) -> None:
    waiting = House("Not looked at yet", state=Publisher.State.PENDING)
    assert "waits for our approval" in waiting.sees()
    _key, secret = issue_key(waiting.publisher.user, [Scope.EVENTS])
    assert sent(client, shown_command(waiting), secret).status_code == 403
    assert "Then send it again" in waiting.sees()
    set_publisher_state(waiting.publisher, Publisher.State.SUSPENDED)
    assert "is suspended: its keys are refused" in waiting.sees()


def test_it_takes_few_queries_however_much_was_published(
    house: House, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(300):
        item(f"lot {number}", house="Quai Noord", matched_at=timezone.now() if number == 150 else None)
    with django_assert_max_num_queries(5):
        assert progress(house.publisher).matched is None


def test_examples_are_valid_whatever_the_schema_and_none_where_none_can_be() -> None:
    document: dict[str, Any] = {
        "version": 2,
        "domains": {
            "money": {"kind": "numeric", "min": 5, "max": 6},
            "states": {"kind": "enumerated", "values": ["old", "new"]},
            "kinds": {"kind": "hierarchical", "values": {"all": None, "some": "all", "it's": "some"}},
            "words": {"kind": "text"},
        },
        "attributes": {"price": "money", "state": "states", "kind": "kinds", "title": "words"},
        "event_types": {
            "full": {name: ["mandatory", "unique"] for name in ("price", "state", "kind", "title")},
            "bare": {"price": ["optional", "multiple"]},
            "gone": {"price": ["optional", "unique"]},
        },
        "deprecated": {"values": {"states": ["old"]}, "event_types": ["gone"]},
    }
    schema = Schema.from_dict(document)
    full = {"event_type": ["full"], "price": 5.5, "state": "new", "kind": "it's", "title": "oak table"}
    assert event_example(schema, "full") == full
    found = examples(schema, most=5)
    assert [name for name, _document in found] == ["full", "bare"]
    for _name, each in found:
        schema.validate(json.loads(json.dumps(each))["event"])
    document["deprecated"]["values"]["states"] = ["old", "new"]
    assert [name for name, _document in examples(Schema.from_dict(document), most=5)] == ["bare"]


def test_without_an_event_type_the_page_says_what_is_missing() -> None:
    assert "The schema has no event type yet" in House().sees()
