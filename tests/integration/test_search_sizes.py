"""Forms of a search that are larger than any search, and the largest that there are."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from matching.models import Subscription
from notifications.pages.search_attributes import MOST_LISTS
from notifications.pages.search_rows import MOST_SUGGESTIONS
from notifications.pages.search_size import MOST_CONDITIONS
from schema_registry import services as schema_services
from tests.effort import effort
from tests.integration.collector import BY_STAFF, Collector
from tests.integration.plain_forms import PlainForm, opened
from tests.integration.searching import FORM, NEW, posted

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
TOO_MANY = "A search has at most 128 conditions."
TOO_LONG = "A search has at most 4,096 characters."
MOST_CALLS = 500_000  # most of them are made by reading the form
SCRIPTS = {"HX-Request": "true", "HX-Trigger": "structure"}


@pytest.fixture
def reader(client: Client) -> Client:
    client.force_login(Collector().user)
    return client


def rows(*each: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a form with these rows, the attribute of which was chosen before."""
    fields: dict[str, Any] = {"is.0": "all"}
    for number, row in enumerate(each):
        fields |= {f"{name}.0.{number}": value for name, value in row.items()}
    return fields


def row(attribute: str, operator: str, value: Any) -> dict[str, Any]:
    return {"is": "row", "attribute": attribute, "was": attribute, "operator": operator, "value": value}


LARGE = {
    "rows": (rows(*[row("price", ">", "1")] * (MOST_CONDITIONS + 1)), TOO_MANY),
    "groups": (rows(*[{"is": "any"}] * 900), TOO_MANY),
    "long values": (rows(*[row("title", "contains", "x" * 10_000)] * 100), TOO_LONG),
    "long attributes": (rows(*[row("x" * 10_000, "exists", "")] * 100), TOO_LONG),
    "texts": (rows(*[{"is": "raw", "raw": "price > 1 or " * 300}] * 100), TOO_LONG),
    "many values": (
        rows(row("category", "in", [f"no-such-{number:04d}" for number in range(900)])),
        TOO_LONG,
    ),
}


@pytest.mark.parametrize(("fields", "says"), LARGE.values(), ids=LARGE)
def test_what_is_too_large_is_refused_at_once(reader: Client, fields: dict[str, Any], says: str) -> None:
    reader.post("/searches/form", rows(row("price", ">", "1")), headers=SCRIPTS)  # what is loaded once
    with effort() as refusal:
        answer = reader.post("/searches/form", fields, headers=SCRIPTS)
    assert refusal.calls < MOST_CALLS
    assert says in answer.content.decode()
    assert len(answer.content) < 1_000
    assert answer.headers["HX-Reswap"] == "none"  # the rows stay, so nothing that was typed is lost
    assert "HX-Trigger-After-Swap" not in answer.headers


@pytest.mark.parametrize("do", ["show", "save", "preview"])
def test_without_scripts_the_search_is_there_as_it_was_before(reader: Client, do: str) -> None:
    large, says = LARGE["texts"]
    form = opened(reader, f"{NEW}?text=price+<=+200", FORM)
    answer = reader.post(NEW, {**form.sent(do=do, name="Cheap"), **large})
    page = answer.content.decode()
    assert says in page
    form = PlainForm(page, FORM)
    assert (form.value("text"), form.value("value.0.0"), form.value("name")) == (
        "price <= 200",
        "200",
        "Cheap",
    )
    assert not Subscription.objects.exists()


def test_the_text_from_before_is_not_taken_on_trust(reader: Client) -> None:
    large, says = LARGE["texts"]
    page = reader.post(NEW, {**large, "text_was": "x" * 1_000_000}).content.decode()
    assert says in page
    assert PlainForm(page, FORM).value("text") == ""


def test_nothing_is_added_to_a_search_that_is_full(reader: Client) -> None:
    full = " and ".join(f"price>{number}" for number in range(MOST_CONDITIONS))
    page = reader.get(NEW, {"text": full}).content.decode()
    assert len(page) < 2_000 * MOST_CONDITIONS
    form = PlainForm(page, FORM)
    answer = reader.post(NEW, form.sent(do="add-row 0"))
    assert TOO_MANY in answer.content.decode()
    form = PlainForm(answer.content.decode(), FORM)
    assert form.value(f"value.0.{MOST_CONDITIONS - 1}") == str(MOST_CONDITIONS - 1)
    assert f"value.0.{MOST_CONDITIONS}" not in form.fields
    assert reader.post(NEW, form.sent(do="save")).headers["Location"] == "/searches"


def test_a_text_with_too_many_conditions_has_a_mistake(reader: Client) -> None:
    page = reader.get(NEW, {"text": " and ".join(["price>1"] * 300)}).content.decode()
    assert TOO_MANY in page
    assert "value.0.1" not in PlainForm(page, FORM).fields


def test_an_answer_that_is_not_refused_takes_the_refusal_away(reader: Client) -> None:
    answer = reader.post("/searches/form", rows(row("price", ">", "1")), headers=SCRIPTS)
    assert 'id="refusal" role="alert" hx-swap-oob="true" hidden' in answer.content.decode()


def test_parentheses_do_no_harm_wherever_they_stand(reader: Client) -> None:
    for hostile in ({"is": "raw", "raw": "(" * 4_000}, row("price", "(" * 4_000, "1")):
        answer = reader.post("/searches/form", rows(hostile), headers=SCRIPTS)
        assert "nested 32 deep" in answer.content.decode()


def test_only_the_first_mistakes_come_with_what_was_meant(reader: Client) -> None:
    wrong = [row("category", "=", f"tabl{number}") for number in range(20)] + [row("pric", "=", "1")] * 20
    answer = reader.post("/searches/form", rows(*wrong), headers=SCRIPTS).content.decode()
    errors = list(PlainForm(answer, FORM).errors.values())
    assert "Did you mean 'table'?" in errors[0]
    assert sum("Did you mean" in error for error in errors) == MOST_SUGGESTIONS
    assert errors[19] == "category: 'tabl19' is not one of its values."
    assert errors[39] == "There is no attribute 'pric'."


def test_many_rows_share_one_list_of_attributes(reader: Client) -> None:
    schema_services.create_attribute(BY_STAFF, "made__of_", "name")
    several = " and ".join(["made__of_ = oak"] + ["price > 1"] * (MOST_LISTS - 1))
    assert "price" in opened(reader, f"{NEW}?text={several}", FORM).options["attribute.0.1"]
    page = reader.get(NEW, {"text": f"{several} and price > 2"}).content.decode()
    assert page.count('<option value="category">') == 1
    form = PlainForm(page, FORM)
    assert "attribute.0.1" not in form.options
    form = posted(reader, form, "show", **{"attribute.0.1": "title", "value.0.1": ""})
    assert form.value("was.0.0") == "made__of_"
    assert form.options["operator.0.1"] == ["contains", "exists"]
