"""What a search would find, where a new one may begin, and how much work the page is."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from matching.models import PublishedEvent
from notifications.pages import search_attributes
from schema_registry import services as schema_services
from schema_registry.core.definitions import EVENT_TYPE
from tests.integration.collector import BY_STAFF, Collector
from tests.integration.plain_forms import opened
from tests.integration.searching import FORM, NEW, posted, published

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

MOST_QUERIES = 12


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def reader(client: Client, collector: Collector) -> Client:
    client.force_login(collector.user)
    return client


def previewed(client: Client, text: str) -> str:
    answer = client.post("/searches/preview", {"text": text}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_preview_counts_per_day_and_says_why(reader: Client) -> None:
    published("a", days_ago=3, category="dining-table")
    published("b", category="table", price=5_000)
    shown = previewed(reader, "category <= table and price <= 200")
    assert "<strong>1</strong> item in the last 30 days" in shown
    assert "Oak dining table" in shown
    assert "category is a kind of Tables: Dining table" in shown
    assert "price at most 200 EUR: 180 EUR" in shown
    assert 'href="https://belleroche.example/lots/7"' in shown
    assert shown.count('<tr><th scope="row">') == 30
    assert "We looked at 2 items." in shown


def test_a_preview_warns_of_noise_of_dead_alternatives_and_of_what_can_never_be(reader: Client) -> None:
    base = published("0")
    PublishedEvent.objects.bulk_create(
        PublishedEvent(
            publisher_id=base.publisher_id,
            external_id=f"n{number}",
            revision=1,
            schema_version=base.schema_version,
            document=base.document,
            accepted_at=base.accepted_at,
            state=PublishedEvent.State.MATCHED,
        )
        for number in range(700)
    )
    assert "This would tell you about 23 times a day." in previewed(reader, "price exists")
    assert "That alternative is left out." in previewed(reader, "price = 3 or price < 5 and price > 9")
    assert "No event can match." in previewed(reader, "price < 5 and price > 9")
    assert "As soon as there is a condition" in previewed(reader, " ")


def test_links_of_items_lead_to_the_web_only(reader: Client) -> None:
    event = published("a")
    PublishedEvent.objects.filter(pk=event.pk).update(url="javascript:alert(1)")
    assert "javascript:" not in previewed(reader, "price exists")


def test_an_empty_search_begins_with_examples_that_can_be_saved(reader: Client) -> None:
    published("a", category="dining-table", title="Extending walnut table")
    page = reader.get(NEW).content.decode()
    assert "Category is a kind of Tables, and price at most 200 EUR" in page
    assert "?text=category%20%3C%3D%20table%20and%20price%20%3C%3D%20200" in page
    assert "begin with an example" not in reader.get(NEW, {"text": "price exists"}).content.decode()


def test_where_there_are_many_attributes_they_are_found_by_typing(
    reader: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_attributes, "MOST_IN_A_LIST", 2)
    schema_services.create_attribute(BY_STAFF, "made_of", "name")
    form = opened(reader, NEW, FORM)
    assert "attribute.0.0" not in form.options
    assert '"made of"' in reader.get("/searches/attributes", {"attribute.0.0": "made o"}).content.decode()
    form = posted(reader, form, "show", **{"attribute.0.0": "made of"})
    assert form.value("was.0.0") == "made_of"
    form = posted(reader, form, "show", **{"attribute.0.0": "made off", "value.0.0": "oak"})
    assert form.errors["0-0"].startswith("There is no attribute")


def test_attributes_stand_under_the_kind_of_item_that_has_them(reader: Client) -> None:
    form = opened(reader, NEW, FORM)
    assert form.options["attribute.0.0"][0] == ""
    offered = form.options["attribute.0.0"][1:]
    assert set(offered[:5]) == {"price", "category", "title", "material", EVENT_TYPE}
    assert all(name.endswith("()") for name in offered[5:])  # what operators compute comes last


@pytest.mark.parametrize(
    "ask",
    [
        lambda client, number: client.get(NEW),
        lambda client, number: client.get(f"/searches/{number}"),
        lambda client, number: client.post("/searches/form", {"is.0": "all"}, headers={"HX-Request": "true"}),
    ],
    ids=["new", "edit", "form"],
)
def test_a_page_takes_the_same_few_queries_however_much_there_is(
    reader: Client, collector: Collector, ask: Callable[[Client, int], Any]
) -> None:
    def queries() -> int:
        number = collector.searches(" or ".join(f"price = {price}" for price in range(50))).pk
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert ask(reader, number).status_code == 200
        return len(captured)

    few = queries()
    for number in range(5):
        collector.adds_channel(f"{number}@example.org")
        published(str(number))
    assert queries() == few <= MOST_QUERIES
