"""Find more like this: from a card of the feed to the form of a new search, with others to choose."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from django.test import Client

from matching.models import PublishedEvent, Subscription
from schema_registry.accounts.models import User
from schema_registry.language import parse
from schema_registry.selectors import current_schema
from tests.integration.collector import Collector, match
from tests.integration.plain_forms import opened
from tests.integration.searching import FORM, published

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
NARROW = "category <= dining-table and price between 100 and 300\nand title contains 'chestnut extending'"
MIDDLE = "category <= dining-table and price between 100 and 300"
WIDE = "category <= table and price between 100 and 300"


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def reader(client: Client, collector: Collector) -> Client:
    client.force_login(collector.user)
    return client


@pytest.fixture
def found(collector: Collector) -> PublishedEvent:
    event = published("lot 7", category="dining-table", price=180, title="Extending dining table in chestnut")
    match(event, collector.searches())
    return event


def words(answer: Any) -> str:
    assert answer.status_code == 200, answer.status_code
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).split())


def test_a_card_leads_to_a_new_search_that_is_filled_in(reader: Client, found: PublishedEvent) -> None:
    address = f"/feed/items/{found.pk}/more"
    assert f'<a href="{address}">' in reader.get("/feed").content.decode()
    answer = reader.get(address)
    query = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert query == {"like": [str(found.pk)], "text": [MIDDLE]}
    form = opened(reader, answer.headers["Location"], FORM)
    assert form.value("text") == MIDDLE
    page = words(reader.get(answer.headers["Location"]))
    assert page.index("title has the words") < page.index("is a kind of Tables, and price between")
    assert page.count("chosen") == 1


def test_each_tells_how_many_it_would_have_found(reader: Client, found: PublishedEvent) -> None:
    published("lot 8", category="dining-table", price=250)
    published("lot 9", category="table", price=150, days_ago=2)
    published("lot 10", category="table", price=150, days_ago=45)
    part = words(reader.get(f"/feed/items/{found.pk}/more/counts", {"text": WIDE}))
    assert re.findall(r"(\d+) items? in 30 days", part) == ["1", "2", "3"]
    assert part.count("chosen") == 1


def test_it_is_saved_like_any_other_and_its_mistakes_keep_the_proposals(
    reader: Client, found: PublishedEvent
) -> None:
    address = reader.get(f"/feed/items/{found.pk}/more").headers["Location"]
    form = opened(reader, address, FORM)
    answer = reader.post(address, form.sent(do="save", text="prise < 5", valid="30"))
    assert "Did you mean" in words(answer)
    assert "More like" in words(answer)
    answer = reader.post(address, opened(reader, address, FORM).sent(do="save", valid="30"))
    assert answer.headers["Location"] == "/searches"
    assert Subscription.objects.order_by("-pk")[0].text == MIDDLE
    assert parse(MIDDLE, current_schema())


def test_an_item_in_nobodys_or_anothers_feed_proposes_nothing(reader: Client, found: PublishedEvent) -> None:
    other = published("lot 8", category="table", price=100)
    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger@example.org"))
    for client, number in ((reader, other.pk), (stranger, found.pk), (reader, 2**63)):
        assert client.get(f"/feed/items/{number}/more").status_code == 404
        assert client.get(f"/feed/items/{number}/more/counts").status_code == 404
        assert "More like" not in words(client.get("/searches/new", {"like": number}))
