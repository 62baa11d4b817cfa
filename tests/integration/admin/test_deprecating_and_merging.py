"""Deprecating and merging: staff are told first what it affects."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from schema_registry import selectors, services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.models import Attribute, Domain, DomainValue, SchemaVersion
from schema_registry.signals import ProposedChange, schema_impact
from tests.integration.admin.pages import (
    MONEY,
    NOBODY,
    address,
    ask,
    newest,
    one_of_each_part,
    text,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def one_search_asks_for_it() -> Iterator[list[ProposedChange]]:
    asked: list[ProposedChange] = []

    def answer(change: ProposedChange, **named: Any) -> list[str]:
        asked.append(change)
        return ["One search asks for it."]

    schema_impact.connect(answer)
    yield asked
    schema_impact.disconnect(answer)


@pytest.mark.usefixtures("schema")
def test_every_part_can_be_deprecated_and_that_taken_back(page: Client, staff: User) -> None:
    for row in one_of_each_part():
        before = newest().version
        assert page.post(ask("deprecate", row), {"why": "too vague"}).status_code == 302
        row.refresh_from_db()
        assert row.deprecated_since == before + 1
        assert (newest().rule, newest().author, newest().why) == ("deprecate", staff, "too vague")
        page.post(ask("restore", row))
        row.refresh_from_db()
        assert row.deprecated_since is None
        assert newest().version == before + 2
    assert LogEntry.objects.count() == 8


@pytest.mark.usefixtures("schema")
def test_several_rows_of_a_list_are_asked_about_at_once(page: Client) -> None:
    chosen = [row.pk for row in Attribute.objects.filter(name__in=["price", "state"])]
    action = {"action": "deprecate", "_selected_action": chosen, "index": 0}
    answer = page.post(address("attribute", "changelist"), action, follow=True)
    assert "price" in text(answer)
    assert "state" in text(answer)
    done = page.post(answer.request["PATH_INFO"] + "?" + answer.request["QUERY_STRING"], follow=True)
    assert "Deprecated: price and state." in text(done)
    assert selectors.current_schema().deprecated.attributes == {"price", "state"}


@pytest.mark.usefixtures("schema")
def test_the_question_tells_what_uses_the_part(page: Client) -> None:
    publisher = publisher_named("Drouot", state=Publisher.State.APPROVED)
    services.create_view(publisher, "sales", ["furniture"], ["price", "category"])
    domain, attribute, event_type, value = (
        text(page.get(ask("deprecate", row))) for row in one_of_each_part()
    )
    assert "The attribute price uses it." in domain
    assert "So it occurs in events of type furniture." in domain
    assert "The event type furniture carries it." in attribute
    assert "It is in the view Drouot: sales." in attribute
    assert "Its attributes are price and category." in event_type
    assert "It is in the view Drouot: sales." in event_type
    assert "It is a value of furniture. The 1 value right below it stays as it is." in value
    assert "The attribute category uses it." in value


@pytest.mark.usefixtures("schema")
def test_asking_changes_nothing(page: Client) -> None:
    before = newest()
    for row in one_of_each_part():
        page.get(ask("deprecate", row))
    assert newest() == before
    assert not LogEntry.objects.exists()


@pytest.mark.usefixtures("schema")
def test_the_apps_above_say_what_a_change_means_for_them(
    page: Client, one_search_asks_for_it: list[ProposedChange]
) -> None:
    assert "One search asks for it." in text(page.get(ask("deprecate", Domain.objects.get(name="money"))))
    (asked,) = one_search_asks_for_it
    assert asked.rule == SchemaVersion.Rule.DEPRECATE
    assert (asked.domains, asked.attributes, asked.event_types) == (("money",), ("price",), ("furniture",))


@pytest.mark.usefixtures("schema")
def test_the_apps_above_are_told_of_single_values(
    page: Client, one_search_asks_for_it: list[ProposedChange]
) -> None:
    page.get(ask("deprecate", DomainValue.objects.get(identifier="table")))
    (asked,) = one_search_asks_for_it
    assert (asked.values, asked.attributes) == ({"furniture": ("table",)}, ("category",))


@pytest.mark.usefixtures("schema")
def test_what_is_deprecated_already_cannot_be_again(page: Client) -> None:
    services.deprecate(NOBODY, "attributes", "price")
    before, price = newest(), Attribute.objects.get(name="price")
    answer = page.get(ask("deprecate", price))
    assert "'price' is already deprecated." in text(answer)
    assert 'type="submit" class="default"' not in answer.content.decode()
    done = page.post(ask("deprecate", price), follow=True)
    assert "'price' is already deprecated." in text(done)
    assert newest() == before


@pytest.mark.usefixtures("schema")
def test_merging_moves_the_attributes_to_the_domain_that_is_kept(page: Client, staff: User) -> None:
    services.create_domain(NOBODY, "euros", MONEY)
    services.create_attribute(NOBODY, "reserve", "euros")
    before, both = newest().version, list(Domain.objects.filter(name__in=["money", "euros"]))
    asked = text(page.get(ask("merge", *both)))
    assert "The attribute price uses it." in asked
    assert "The attribute reserve uses it." in asked
    page.post(ask("merge", *both), {"kept": "money", "why": "the same"})
    assert (newest().version, newest().author, newest().why) == (before + 1, staff, "the same")
    assert selectors.current_schema().attributes["reserve"] == "money"
    assert "euros" not in selectors.current_schema().domains
    assert LogEntry.objects.count() == 2
    assert "money" in text(page.get(address("attribute", "changelist") + "?q=reserve"))


@pytest.mark.usefixtures("schema")
def test_domains_that_differ_are_not_merged(page: Client) -> None:
    before, both = newest(), list(Domain.objects.filter(name__in=["money", "condition"]))
    sentence = "'money' and 'condition' are not defined alike, so they cannot be merged."
    assert sentence in text(page.get(ask("merge", *both)))
    answer = page.post(ask("merge", *both), {"kept": "condition"})
    assert sentence in text(answer)
    assert newest() == before


@pytest.mark.usefixtures("schema")
def test_one_domain_alone_cannot_be_merged(page: Client) -> None:
    action = {"action": "merge", "_selected_action": [Domain.objects.get(name="money").pk], "index": 0}
    answer = page.post(address("domain", "changelist"), action, follow=True)
    assert "Choose 2 to 20 of them." in text(answer)
    assert page.get(ask("merge", Domain.objects.get(name="money"))).status_code == 404
