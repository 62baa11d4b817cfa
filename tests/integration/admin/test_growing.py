"""Values for a domain that is there, an optional attribute for an event type that is there."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from schema_registry import selectors, services
from schema_registry.accounts.models import User
from schema_registry.core.domains import EnumeratedDomain, HierarchicalDomain
from schema_registry.models import Attribute, Domain, EventType
from tests.integration.admin.pages import (
    NOBODY,
    ask,
    newest,
    text,
)

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.mark.usefixtures("schema")
def test_several_values_are_added_to_a_tree_in_one_version(page: Client, staff: User) -> None:
    before = newest().version
    lines = "chair | Chairs | furniture\n\narmchair||chair\nside table | | Tables\nlamp"
    url = ask("add-values", Domain.objects.get(name="furniture"))
    assert page.post(url, {"values": lines, "why": "winter sale"}).status_code == 302
    version = newest()
    assert (version.version, version.rule, version.author) == (before + 1, "add_values", staff)
    assert version.why == "winter sale"
    furniture = selectors.current_schema().domains["furniture"]
    assert isinstance(furniture, HierarchicalDomain)
    assert furniture.path("armchair") == "furniture > Chairs > armchair"
    assert furniture.path("side table") == "furniture > Tables > side table"
    assert furniture.path("lamp") == "lamp"
    assert (
        LogEntry.objects.get().get_change_message().startswith("Added chair, armchair, side table and lamp.")
    )


@pytest.mark.usefixtures("schema")
def test_values_are_added_to_a_list_with_their_order(page: Client) -> None:
    url = ask("add-values", Domain.objects.get(name="condition"))
    page.post(url, {"values": "mint | As new\nfair", "order": "mint is above good\npoor < fair"})
    condition = selectors.current_schema().domains["condition"]
    assert isinstance(condition, EnumeratedDomain)
    assert condition.below("poor", "mint")
    assert condition.below("poor", "fair")
    assert condition.label("mint") == "As new"


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize(
    ("domain", "entered", "field", "sentence"),
    [
        ("furniture", {"values": "table"}, "values", "'furniture' already has the value 'table'."),
        (
            "furniture",
            {"values": "a | | tabel"},
            "values",
            "The parent of “a”: 'tabel' is not one",
        ),
        ("furniture", {"values": "a | | b\nb | | a"}, "values", "The hierarchy has a cycle"),
        ("furniture", {"values": "a\na"}, "values", "Line 2: “a” is given twice."),
        ("furniture", {"values": "a | b | table | c"}, "values", "Line 1 has too many parts."),
        ("furniture", {"values": " | A"}, "values", "must not be empty"),
        ("furniture", {"values": " \n "}, "values", "This field is required."),
        ("condition", {"values": "a | b | poor"}, "values", "Line 1 has too many parts."),
        ("condition", {"values": "a", "order": "a good"}, "order", "Line 1 does not say that one value"),
        ("condition", {"values": "a", "order": "a < b"}, "order", "mentions 'b', which is not a value"),
        (
            "condition",
            {"values": "a", "order": "good < a\na < poor"},
            "order",
            "The order has a cycle",
        ),
    ],
)
def test_values_that_cannot_be_are_refused_beside_their_field(
    page: Client, domain: str, entered: dict[str, str], field: str, sentence: str
) -> None:
    before = newest()
    answer = page.post(ask("add-values", Domain.objects.get(name=domain)), entered)
    assert sentence in " ".join(answer.context["form"].errors[field])
    assert sentence in text(answer)
    assert newest() == before


@pytest.mark.usefixtures("schema")
def test_a_new_value_never_relates_two_old_ones(page: Client) -> None:
    services.create_domain(NOBODY, "size", {"kind": "enumerated", "values": ["small", "large"]})
    before = newest()
    order = "small is below middle\nmiddle is below large"
    answer = page.post(
        ask("add-values", Domain.objects.get(name="size")), {"values": "middle", "order": order}
    )
    assert "This would put 'small' below 'large', which changes what subscriptions mean." in text(answer)
    assert newest() == before


@pytest.mark.usefixtures("schema")
def test_a_domain_without_a_list_of_values_cannot_grow(page: Client) -> None:
    money = Domain.objects.get(name="money")
    assert "It has no list of values that could grow." in text(page.get(ask("add-values", money)))
    answer = page.post(ask("add-values", money), {"values": "a"})
    assert "'money' is a numeric domain" in " ".join(answer.context["form"].errors["values"])


@pytest.mark.usefixtures("schema")
def test_an_optional_attribute_is_added_to_an_event_type(page: Client, staff: User) -> None:
    url = ask("extend", EventType.objects.get(name="furniture"))
    entered = {"attribute": Attribute.objects.get(name="state").pk, "multiple": "on", "why": "asked for"}
    assert page.post(url, entered).status_code == 302
    assert selectors.current_schema().event_types["furniture"].attributes["state"] == (False, True)
    assert (newest().rule, newest().author, newest().why) == ("extend_event_type", staff, "asked for")
    assert LogEntry.objects.get().get_change_message().startswith("Added state.")


@pytest.mark.usefixtures("schema")
def test_an_attribute_that_is_there_cannot_be_added_again(page: Client) -> None:
    before = newest()
    url = ask("extend", EventType.objects.get(name="furniture"))
    answer = page.post(url, {"attribute": Attribute.objects.get(name="price").pk})
    sentence = "The event type 'furniture' already has the attribute 'price'."
    assert answer.context["form"].errors["attribute"] == [sentence]
    assert newest() == before
