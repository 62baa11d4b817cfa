"""Searches shared by a link: what it shows and to whom, how it ends, and the copy that somebody makes."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone, translation

from lesubscribe import account_deletion
from matching import services
from matching.models import Subscription
from notifications import links, sharing
from notifications.models import SharedSearch
from notifications.pages import shared as shared_pages
from notifications.pages.search_preview import previewed
from schema_registry.accounts.models import User
from schema_registry.selectors import current_schema
from tests.integration.collector import Collector, match
from tests.integration.searching import published

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


@pytest.fixture
def collector() -> Collector:
    return Collector("keeper@example.org")


@pytest.fixture
def search(collector: Collector) -> Subscription:
    return collector.searches("category <= table and price <= 200", name="Tables for the hall")


@pytest.fixture
def owner(collector: Collector) -> Client:
    client = Client()
    client.force_login(collector.user)
    return client


@pytest.fixture
def friend() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("friend@example.org"))
    return client


def shared(search: Subscription) -> str:
    return sharing.share(search, now=timezone.now())


def text_of(answer: Any) -> str:
    assert answer.status_code == 200, answer.status_code
    return str(answer.content.decode())


def test_its_owner_makes_a_link_sees_it_again_and_stops_it(
    owner: Client, client: Client, search: Subscription
) -> None:
    page, listed = f"/searches/{search.pk}/share", f'<a href="/searches/{search.pk}/share">shared</a>'
    assert "Make a link" in text_of(owner.get(page))
    assert listed not in text_of(owner.get("/searches"))
    assert f'href="{page}"' in text_of(owner.get("/searches"))
    assert f'href="{page}"' in text_of(owner.get(f"/searches/{search.pk}"))
    assert owner.post(page).headers["Location"] == page
    link = sharing.link_of(search)
    owner.post(page)
    assert sharing.link_of(search) == link
    assert f'value="{link}"' in text_of(owner.get(page))
    assert "It is shared by a link" in text_of(owner.get(f"/searches/{search.pk}"))
    assert listed in text_of(owner.get("/searches"))
    assert client.get(link).status_code == 200

    owner.post(f"{page}/stop")
    assert client.get(link).status_code == 404
    assert client.get(f"{link}?found=1").status_code == 404
    owner.post(page)
    assert sharing.link_of(search) != link
    assert client.get(link).status_code == 404


def test_a_visitor_reads_what_it_looks_for_and_nothing_about_its_owner(
    client: Client, collector: Collector, search: Subscription
) -> None:
    mine = published("lot 1", category="dining-table", price=150)
    match(mine, search)
    answer = client.get(shared(search))
    page = text_of(answer)
    assert "Tables for the hall" in page
    assert "Category is a kind of Tables, and price at most 200 EUR" in page
    assert "/accounts/signup/?next=%2Fshared%2F" in page
    for secret in ("keeper", collector.channel.secret, "/feed/items", "Copy to my searches"):
        assert secret not in page
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "no-store" in answer.headers["Cache-Control"]
    assert "sessionid" not in answer.cookies


def test_what_it_would_have_found_is_of_all_items_and_not_of_its_matches(
    client: Client, search: Subscription
) -> None:
    published("lot 1", category="dining-table", price=150)
    published("lot 2", category="table", price=100)
    published("lot 3", category="table", price=900)
    link = shared(search)
    assert "items in the last 30 days" not in text_of(client.get(link))
    part = text_of(client.get(f"{link}?found=1", headers={"HX-Request": "true"}))
    assert "<strong>2</strong> items in the last 30 days" in part
    assert "<html" not in part
    page = text_of(client.get(f"{link}?found=1"))
    assert "<strong>2</strong> items in the last 30 days" in page
    assert "<html" in page


def test_it_is_looked_for_once_however_many_visitors_ask(
    client: Client, search: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def counted(*args: Any, **options: Any) -> Any:
        asked.append(args)
        return previewed(*args, **options)

    monkeypatch.setattr(shared_pages, "previewed", counted)
    link = shared(search)
    for _visitor in range(3):
        text_of(Client().get(f"{link}?found=1"))
    assert len(asked) == 1
    assert "items in the last 30 days" in text_of(client.get(link))  # at once, for it is kept
    services.change(search, text="price <= 7", now=timezone.now())
    text_of(client.get(f"{link}?found=1"))
    assert len(asked) == 2


def test_more_than_a_few_at_a_time_are_asked_to_come_back(client: Client, search: Subscription) -> None:
    link = shared(search)
    for _place in range(shared_pages.MOST_AT_ONCE):
        assert shared_pages._places.acquire(blocking=False)
    try:
        assert "Reload the page in a while." in text_of(client.get(f"{link}?found=1"))
    finally:
        for _place in range(shared_pages.MOST_AT_ONCE):
            shared_pages._places.release()
    assert "items in the last 30 days" in text_of(client.get(f"{link}?found=1"))  # that was not kept


def test_the_link_shows_the_search_as_it_is_and_a_copy_stays_as_it_was(
    friend: Client, collector: Collector, search: Subscription
) -> None:
    link = shared(search)
    assert f'href="{urlsplit(link).path}/copy"' in text_of(friend.get(link))
    answer = friend.get(f"{link}/copy")
    address = urlsplit(answer.headers["Location"])
    assert address.path == "/searches/new"
    begun = {"text": ["category <= table and price <= 200"], "name": ["Tables for the hall"]}
    assert parse_qs(address.query) == begun
    form = text_of(friend.get(answer.headers["Location"]))
    assert 'value="Tables for the hall"' in form
    his = User.objects.get(email="friend@example.org")
    copy = services.subscribe(his, begun["text"][0], name=begun["name"][0], now=timezone.now()).subscription

    services.change(search, name="Chairs", text="price <= 7", now=timezone.now())
    page = text_of(friend.get(link))
    assert "Chairs" in page
    assert "Price at most 7 EUR" in page
    services.unsubscribe(search)
    copy.refresh_from_db()
    assert (copy.name, copy.text) == ("Tables for the hall", "category <= table and price <= 200")


def test_a_visitor_who_copies_is_sent_to_sign_in_and_comes_back_to_the_copy(
    client: Client, search: Subscription
) -> None:
    path = urlsplit(shared(search)).path
    answer = client.get(f"{path}/copy")
    assert answer.headers["Location"] == f"/accounts/login/?next={path}/copy"


def test_a_deleted_search_is_not_shared_and_taken_back_it_is_again(
    client: Client, search: Subscription
) -> None:
    link = shared(search)
    services.unsubscribe(search)
    assert client.get(link).status_code == 404
    services.restore(search.pk, owner=search.owner)
    assert client.get(link).status_code == 200


def test_a_deleted_account_shares_nothing_and_leaves_no_row(client: Client, search: Subscription) -> None:
    link, now = shared(search), timezone.now()
    User.objects.filter(pk=search.owner_id).update(is_active=False)  # its searches are stopped a moment later
    assert client.get(link).status_code == 404
    User.objects.filter(pk=search.owner_id).update(is_active=True)
    account_deletion.delete(User.objects.get(pk=search.owner_id), now=now)
    assert client.get(link).status_code == 404
    account_deletion.erase(now=now + timedelta(days=1))
    assert not SharedSearch.objects.exists()


def test_a_link_of_one_search_opens_no_other(
    client: Client, collector: Collector, search: Subscription
) -> None:
    other = collector.searches("price <= 5", name="Private")
    shared(search)
    nonce = SharedSearch.objects.get().nonce
    assert client.get(links.shared_address(other.pk, nonce)).status_code == 404
    assert client.get(links.shared_address(search.pk, "guessed")).status_code == 404
    token = urlsplit(links.atom_address(collector.user.pk)).path.rpartition("/")[2]
    assert client.get(f"/shared/{token}").status_code == 404
    assert client.get(links.shared_address(search.pk, nonce)[:-1]).status_code == 404


def test_a_text_that_no_longer_parses_is_told_in_a_sentence(client: Client, search: Subscription) -> None:
    link = shared(search)
    Subscription.objects.filter(pk=search.pk).update(text="prise <= 200")  # as if the schema had moved on
    page = text_of(client.get(link))
    assert "There is no attribute &#x27;prise&#x27;. Did you mean &#x27;price&#x27;?" in page
    assert "Category is a kind of Tables, and price at most 200 EUR" in page  # it still says what was meant
    assert "What it would have found" not in page
    text_of(client.get(f"{link}?found=1"))


def test_a_search_without_a_name_is_called_by_what_it_says_once(client: Client, collector: Collector) -> None:
    page = text_of(client.get(shared(collector.searches("price <= 200"))))
    assert "<h1><bdi>price at most 200 EUR</bdi></h1>" in page
    assert 'class="lead"' not in page


def test_a_hostile_name_is_only_text(client: Client, collector: Collector) -> None:
    page = text_of(client.get(shared(collector.searches(name="<script>alert(1)</script>"))))
    assert "<script>alert" not in page


def test_what_is_kept_is_kept_for_each_language(client: Client, search: Subscription) -> None:
    schema = current_schema()
    with translation.override("en"):
        shared_pages._made_preview(search, schema)
        assert shared_pages.kept_preview(search, schema) is not None
    with translation.override("fr"):
        assert shared_pages.kept_preview(search, schema) is None


def test_the_api_shares_and_stops(owner: Client, client: Client, search: Subscription) -> None:
    address = f"/api/v1/subscriptions/{search.pk}/share"
    answer = owner.post(address)
    assert answer.status_code == 200
    assert answer.json() == {"url": sharing.link_of(search)}
    assert owner.post(address).json() == answer.json()
    assert client.get(answer.json()["url"]).status_code == 200
    assert owner.delete(address).status_code == owner.delete(address).status_code == 204
    assert client.get(answer.json()["url"]).status_code == 404


def test_the_api_shares_nobody_elses(friend: Client, search: Subscription) -> None:
    assert friend.post(f"/api/v1/subscriptions/{search.pk}/share").status_code == 404
    assert not SharedSearch.objects.exists()
