"""Before staff change the schema they read which searches that touches; after it the new value is offered."""

import pytest
from django.test import Client
from django.utils import timezone

from matching import schema_impact, services
from matching.models import Subscription
from schema_registry.accounts.models import User
from schema_registry.models import Attribute, Domain, DomainValue, EventType
from tests.integration.admin.pages import ask, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("schema")]


@pytest.fixture
def searches(schema: None, owner: User) -> None:
    other = User.objects.create_user("other@example.org")
    for who, name, said in (
        (owner, "Kitchen", "category <= table and price <= 200"),
        (owner, "", "category = table"),
        (other, "No tables", "not category = table and event_type contains furniture"),
        (other, "Gone", "category <= table"),
        (other, "Cheap", "price <= 5"),
    ):
        services.subscribe(who, said, name=name, now=timezone.now())
    services.unsubscribe(Subscription.objects.get(name="Gone"))


@pytest.mark.usefixtures("searches")
def test_extending_a_hierarchy_tells_which_searches_it_touches(page: Client) -> None:
    shown = text(page.get(ask("add-values", Domain.objects.get(name="furniture"))))
    assert "3 searches of 2 people ask for it: “No tables”, “category = table” and “Kitchen”." in shown
    assert "2 of them take in more than they name, so they may find items with new values:" in shown
    assert "“No tables” and “Kitchen”." in shown


@pytest.mark.usefixtures("searches")
def test_other_changes_tell_who_asks_for_what_they_touch(page: Client) -> None:
    for row, sentence in (
        (Attribute.objects.get(name="price"), "2 searches of 2 people ask for it: “Cheap” and “Kitchen”."),
        (DomainValue.objects.get(identifier="dining table"), "No search asks for it."),
        (DomainValue.objects.get(identifier="table"), "3 searches of 2 people ask for it:"),
        (EventType.objects.get(name="furniture"), "1 search of 1 person asks for it: “No tables”."),
        (Attribute.objects.get(name="state"), "No search asks for it."),
    ):
        assert sentence in text(page.get(ask("deprecate", row))), row


@pytest.mark.usefixtures("searches")
def test_where_there_are_too_many_to_look_at_it_says_at_least(
    page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema_impact, "MOST_LOOKED_AT", 2)
    shown = text(page.get(ask("deprecate", Attribute.objects.get(name="price"))))
    assert "At least 2 searches of 2 people ask for it" in shown


def test_a_new_value_is_offered_where_searches_are_made(page: Client, client: Client) -> None:
    page.post(ask("add-values", Domain.objects.get(name="furniture")), {"values": "settle | Settles | table"})
    for address in (
        "/schema/domains/furniture/values?q=settle",
        "/schema/domains/furniture/values?q=settle&pick=1",
    ):
        assert "Settles" in client.get(address).content.decode()
    under = client.get("/schema/domains/furniture/values?of=table").content.decode()
    assert "Settles" in under
    checked = client.post("/language/check", {"text": "category <= settle"}, content_type="application/json")
    assert checked.json()["ok"], checked.json()
