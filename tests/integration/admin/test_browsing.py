"""Lists, trees, history: what staff see, and what it costs to show it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from schema_registry import selectors, services
from schema_registry.accounts.models import User
from schema_registry.models import Domain, DomainValue, EventType
from schema_registry.services import Author
from tests.integration.admin.pages import (
    NOBODY,
    PARTS,
    address,
    text,
)

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("schema")
def test_the_lists_show_what_belongs_together(page: Client) -> None:
    assert "furniture tree of values 3 category 3 - -" in text(page.get(address("domain", "changelist")))
    assert "price money furniture 5 -" in text(page.get(address("attribute", "changelist")))
    assert "furniture category and price 8 -" in text(page.get(address("eventtype", "changelist")))
    assert "table Tables furniture furniture 3 -" in text(page.get(address("domainvalue", "changelist")))


@pytest.mark.usefixtures("schema")
def test_the_lists_can_be_searched_and_narrowed(page: Client) -> None:
    services.deprecate(NOBODY, "domains", "money")
    domains = address("domain", "changelist")
    for query, names in {
        "?q=mon": ["money"],
        "?kind__exact=enumerated": ["condition"],
        "?state=deprecated": ["money"],
        "?state=offered": ["condition", "furniture"],
        "?state=merged": [],
    }.items():
        assert [row.name for row in page.get(domains + query).context["cl"].result_list] == names
    furniture = Domain.objects.get(name="furniture")
    values = page.get(f"{address('domainvalue', 'changelist')}?domain={furniture.pk}&q=dining")
    assert [row.identifier for row in values.context["cl"].result_list] == ["dining table"]


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize("domain", ["x", "9" * 40, "-1"])
def test_an_address_with_an_impossible_domain_does_no_harm(page: Client, domain: str) -> None:
    answer = page.get(address("domainvalue", "changelist"), {"domain": domain}, follow=True)
    assert answer.status_code == 200


@pytest.mark.usefixtures("schema")
def test_the_page_of_a_domain_shows_its_tree_or_its_order(page: Client) -> None:
    services.deprecate_value(NOBODY, "furniture", "dining table")
    tree = text(page.get(address("domain", "change", Domain.objects.get(name="furniture").pk)))
    assert "furniture 1 below Tables table 1 below dining table deprecated" in tree
    order = text(page.get(address("domain", "change", Domain.objects.get(name="condition").pk)))
    assert "poor is below good" in order
    money = text(page.get(address("domain", "change", Domain.objects.get(name="money").pk)))
    assert '"kind": "numeric"' in money
    assert '"unit": "EUR"' in money


@pytest.mark.usefixtures("schema")
def test_the_tree_can_start_at_any_value(page: Client) -> None:
    value = DomainValue.objects.get(identifier="table")
    answer = text(page.get(f"{address('domain', 'change', value.domain_id)}?under={value.pk}"))
    assert "all > furniture > Tables dining table" in answer.replace(
        "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}", ">"
    )
    assert page.get(f"{address('domain', 'change', value.domain_id)}?under=x").status_code == 200


def test_a_tree_of_six_thousand_values_is_read_in_a_few_queries(
    page: Client, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    parents = {f"v{n}": f"v{n // 10}" if n >= 10 else None for n in range(6_000)}
    services.create_domain(NOBODY, "all", {"kind": "hierarchical", "values": parents})
    selectors.current_schema()
    where = address("domain", "change", Domain.objects.get(name="all").pk)
    with django_assert_max_num_queries(20):
        content = page.get(where).content.decode()
    assert content.count("<li>") >= 6_000
    assert content.count("<details>") == 599


def test_a_tree_too_large_for_a_page_leads_on_by_links(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schema_registry.admin.tree.MOST_SHOWN", 4)
    values = {"a": None, "b": None, "a1": "a", "a2": "a", "b1": "b", "a11": "a1"}
    services.create_domain(NOBODY, "few", {"kind": "hierarchical", "values": values})
    row, b = Domain.objects.get(name="few"), DomainValue.objects.get(identifier="b")
    content = page.get(address("domain", "change", row.pk)).content.decode()
    assert f'<a href="?under={b.pk}">1 below</a>' in content
    assert "b1" not in content
    assert "b1" in page.get(f"{address('domain', 'change', row.pk)}?under={b.pk}").content.decode()


@pytest.mark.usefixtures("schema")
def test_a_list_takes_the_same_few_queries_however_long_it_is(
    page: Client, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    for number in range(30):
        services.create_domain(NOBODY, f"domain {number}", {"kind": "string"})
        services.create_attribute(NOBODY, f"attribute_{number}", f"domain {number}")
    selectors.current_schema()
    for part in PARTS:
        with django_assert_max_num_queries(12):
            page.get(address(part, "changelist"))


@pytest.mark.usefixtures("schema")
def test_an_event_type_of_many_attributes_is_shown_in_a_few_queries(
    page: Client, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    names = [f"attribute_{number}" for number in range(30)]
    for name in names:
        services.create_attribute(NOBODY, name, "money")
    services.create_event_type(NOBODY, "all", {name: ["optional", "unique"] for name in names})
    selectors.current_schema()
    where = address("eventtype", "change", EventType.objects.get(name="all").pk)
    with django_assert_max_num_queries(12):
        assert "attribute_29" in text(page.get(where))


@pytest.mark.usefixtures("schema")
def test_the_history_tells_who_changed_what_and_why(page: Client, staff: User) -> None:
    services.add_values(Author(user=staff, why="winter sale"), "furniture", {"chair": "furniture"})
    listed = text(page.get(address("schemaversion", "changelist")))
    assert "9 values added furniture: chair staff@example.org winter sale" in listed
    shown = text(page.get(address("schemaversion", "change", 9)))
    assert "domains, changed: furniture" in shown
    assert "values of furniture, new: chair" in shown
    assert "domains, new: money" in text(page.get(address("schemaversion", "change", 2)))


@pytest.mark.usefixtures("schema")
def test_the_history_tells_of_deprecations(page: Client) -> None:
    services.deprecate(NOBODY, "attributes", "price")
    services.deprecate_value(NOBODY, "furniture", "table")
    assert "attributes, deprecated: price" in text(page.get(address("schemaversion", "change", 9)))
    assert "values of furniture, deprecated: table" in text(page.get(address("schemaversion", "change", 10)))
