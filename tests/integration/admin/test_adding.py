"""New domains, attributes and event types: each save is the next version, or a sentence on the form."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.urls import reverse

from schema_registry import selectors, services
from schema_registry.accounts.models import User
from schema_registry.models import Attribute, Domain
from schema_registry.services import Author
from tests.integration.admin.pages import (
    MONEY,
    NO_ROWS,
    NOBODY,
    address,
    newest,
    text,
)

pytestmark = pytest.mark.django_db


def test_adding_a_domain_yields_the_next_version_with_author_and_reason(page: Client, staff: User) -> None:
    entered = {"name": "money", "definition": '{"kind": "numeric", "min": 0.5}', "why": "prices"}
    assert page.post(address("domain", "add"), entered).status_code == 302
    version = newest()
    assert (version.version, version.rule, version.subject) == (2, "create_domain", "money")
    assert (version.author, version.publisher, version.why) == (staff, None, "prices")
    assert selectors.current_schema().domains["money"].definition() == {"kind": "numeric", "min": 0.5}


def test_adding_a_domain_is_noted_in_the_log(page: Client, staff: User) -> None:
    page.post(address("domain", "add"), {"name": "money", "definition": '{"kind": "string"}', "why": "w"})
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_repr, entry.is_addition()) == (staff, "money", True)
    assert entry.get_edited_object() == Domain.objects.get(name="money")
    assert entry.get_change_message() == "Version 2. w"


@pytest.mark.usefixtures("schema")
def test_after_adding_a_domain_like_others_their_names_are_told(page: Client) -> None:
    entered = {"name": "euros", "definition": '{"unit": "EUR", "min": 0, "kind": "numeric"}'}
    answer = page.post(address("domain", "add"), entered, follow=True)
    assert "It means the same as money. You can merge them." in text(answer)


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize(
    ("name", "definition", "sentence"),
    [
        ("money", '{"kind": "string"}', "There is already a domain 'money'."),
        ("a/b", '{"kind": "string"}', "must not contain '/'"),
        ("event_type", '{"kind": "string"}', "'event_type' is the domain of event types"),
        ("new", '{"kind": "string"', "This is not JSON: it ends too soon (line 1, column 18)."),
        ("new", '{"kind": "numerc"}', "A domain's kind is one of numeric, string, text, enumerated"),
        ("new", '{"kind": "numeric", "min": NaN}', "NaN is not a number"),
        ("new", '{"kind": "hierarchical", "values": {"a": "b", "b": "a"}}', "The hierarchy has a cycle"),
        ("new", "[]", "A domain's definition must be an object; a list is not."),
        ("new", "", "This field is required."),
    ],
)
def test_a_domain_that_cannot_be_is_refused_on_the_form_and_changes_nothing(
    page: Client, name: str, definition: str, sentence: str
) -> None:
    before = newest()
    answer = page.post(address("domain", "add"), {"name": name, "definition": definition})
    assert sentence in text(answer)
    assert newest() == before
    assert not Domain.objects.filter(name="new").exists()


@pytest.mark.usefixtures("schema")
def test_the_sentence_stands_beside_the_field_it_is_about(page: Client) -> None:
    answer = page.post(address("domain", "add"), {"name": "money", "definition": '{"kind": "x"}'})
    errors = answer.context["adminform"].form.errors
    assert list(errors) == ["name", "definition"]


@pytest.mark.usefixtures("schema")
def test_the_name_of_a_merged_domain_is_not_free(page: Client) -> None:
    services.create_domain(NOBODY, "euros", MONEY)
    services.merge_domains(NOBODY, "money", ["euros"])
    answer = page.post(address("domain", "add"), {"name": "euros", "definition": '{"kind": "text"}'})
    assert "There is already one of this name." in text(answer)


@pytest.mark.usefixtures("schema")
def test_adding_an_attribute(page: Client, staff: User) -> None:
    domain = Domain.objects.get(name="money")
    page.post(address("attribute", "add"), {"name": "reserve", "domain": domain.pk, "why": "asked for"})
    assert selectors.current_schema().attributes["reserve"] == "money"
    assert (newest().author, newest().why) == (staff, "asked for")


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("price", "There is already an attribute 'price'."),
        ("and", "'and' is a keyword of the subscription language"),
        ("1st", "not starting with a digit"),
    ],
)
def test_an_attribute_that_cannot_be_is_refused_beside_its_name(
    page: Client, name: str, sentence: str
) -> None:
    before = newest()
    domain = Domain.objects.get(name="money")
    answer = page.post(address("attribute", "add"), {"name": name, "domain": domain.pk})
    assert sentence in answer.context["adminform"].form.errors["name"][0]
    assert newest() == before


@pytest.mark.usefixtures("schema")
def test_a_deprecated_domain_is_not_offered_to_a_new_attribute(page: Client) -> None:
    services.deprecate(NOBODY, "domains", "money")
    query = {"app_label": "schema_registry", "model_name": "attribute", "field_name": "domain"}
    offered = page.get(reverse("admin:autocomplete"), query).json()["results"]
    assert [each["text"] for each in offered] == ["condition", "furniture"]


@pytest.mark.usefixtures("schema")
def test_adding_an_event_type_with_its_attributes_is_one_version(page: Client, staff: User) -> None:
    before = newest().version
    price, state = (Attribute.objects.get(name=name) for name in ("price", "state"))
    rows = {
        "attributes-TOTAL_FORMS": "3",
        "attributes-INITIAL_FORMS": "0",
        "attributes-0-attribute": price.pk,
        "attributes-0-mandatory": "on",
        "attributes-1-attribute": state.pk,
        "attributes-1-multiple": "on",
    }
    answer = page.post(address("eventtype", "add"), {"name": "antiques", "why": "new sales", **rows})
    assert answer.status_code == 302
    assert newest().version == before + 1
    assert (newest().author, newest().why) == (staff, "new sales")
    event_type = selectors.current_schema().event_types["antiques"]
    assert event_type.attributes == {"price": (True, False), "state": (False, True)}


@pytest.mark.usefixtures("schema")
def test_an_event_type_of_a_taken_name_is_refused_beside_its_name(page: Client) -> None:
    before = newest()
    answer = page.post(address("eventtype", "add"), {"name": "furniture", **NO_ROWS})
    errors = answer.context["adminform"].form.errors
    assert errors["name"] == ["There is already an event type 'furniture'."]
    assert newest() == before


@pytest.mark.usefixtures("schema")
def test_an_event_type_cannot_have_an_attribute_twice(page: Client) -> None:
    before, price = newest(), Attribute.objects.get(name="price").pk
    rows = {"attributes-TOTAL_FORMS": "2", "attributes-INITIAL_FORMS": "0"}
    twice = {"attributes-0-attribute": price, "attributes-1-attribute": price}
    answer = page.post(address("eventtype", "add"), {"name": "antiques", **rows, **twice})
    assert "duplicate" in text(answer)
    assert newest() == before


def test_who_is_too_late_reads_so_on_the_form_and_keeps_what_was_entered(
    page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = services.create_domain

    def somebody_was_faster(by: Author, name: str, definition: Any) -> Any:
        create(NOBODY, name, {"kind": "string"})
        return create(by, name, definition)

    monkeypatch.setattr(services, "create_domain", somebody_was_faster)
    entered = {"name": "money", "definition": '{"kind": "text"}', "why": "prices"}
    answer = page.post(address("domain", "add"), entered)
    assert "There is already a domain 'money'." in text(answer)
    assert answer.context["adminform"].form.data["why"] == "prices"
    assert not LogEntry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_who_add_the_same_name_at_once_one_succeeds_and_the_others_read_why(
    client: Client, staff: User
) -> None:
    def add(number: int) -> str:
        try:
            own = Client()
            own.force_login(staff)
            entered = {"name": "money", "definition": f'{{"kind": "numeric", "max": {number}}}'}
            answer = own.post(address("domain", "add"), entered)
            return "added" if answer.status_code == 302 else text(answer)
        finally:
            connection.close()

    client.get("/healthz")  # the metrics of the middleware cannot be made by several threads at once
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(add, range(8)))
    assert answers.count("added") == 1
    assert sum("There is already" in answer for answer in answers) == 7
    assert newest().version == 2
    assert LogEntry.objects.count() == 1
