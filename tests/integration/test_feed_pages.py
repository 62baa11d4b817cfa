"""The feed as a page: items once, by day, and why; filters, paging, hiding, seeing; only one's own."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from matching import feed_items, hiding, seen, services
from matching.models import Match, PublishedEvent, Subscription
from matching.seen import count_unseen
from notifications.models import Preferences
from notifications.pages import feed_filters
from schema_registry.accounts.models import User
from tests.integration.collector import Collector, item, match
from tests.integration.test_emails import HOSTILE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_noon")]
HTMX = {"HX-Request": "true"}
NEW = 'class="badge new"'


@pytest.fixture
def collector(client: Client) -> Collector:
    collector = Collector()
    client.force_login(collector.user)
    return collector


@pytest.fixture
def search(collector: Collector) -> Subscription:
    return collector.searches("price <= 200", name="Cheap")


def page(client: Client, address: str = "/feed", **headers: str) -> str:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def titles(html: str) -> list[str]:
    return re.findall(r"<h3 id=\"title-\d+\">(?:<a [^>]*>)?([^<]*)", html)


def found(search: Subscription, title: str, **fields: Any) -> Match:
    """An item with this title that the search found now."""
    at = fields.pop("at", timezone.now())
    each = match(item(title, title=title, **fields), search)
    Match.objects.filter(pk=each.pk).update(matched_at=at)
    return each


def older(html: str) -> str | None:
    link = re.search(r'href="(/feed\?[^"]*before=[^"]*)"', html)
    return link and link[1].replace("&amp;", "&")


def test_a_card_says_what_it_costs_when_it_ends_where_it_is_and_why(
    client: Client, search: Subscription
) -> None:
    found(search, "Oak table", ends_at=timezone.now() + timedelta(hours=3, minutes=5))
    html = page(client)
    assert titles(html) == ["Oak table"]
    for words in (
        "180 EUR",
        "ends in 3 h",
        "Maison Belleroche",
        "Cheap",
        "price at most 200 EUR: 180 EUR",
        NEW,
    ):
        assert words in html
    assert 'href="https://belleroche.example/lots/7"' in html
    assert re.search(r'<img src="https://belleroche.example/lots/7.jpg" alt="" loading="lazy"', html)


def test_an_item_of_two_searches_is_one_card_where_its_newest_match_is(
    client: Client, collector: Collector, search: Subscription
) -> None:
    both = found(search, "Both")
    for number in range(40):
        found(search, f"Item {number}")
    match(both.event, collector.searches("price exists", name="Priced"))
    html = page(client)
    assert titles(html)[0] == "Both"
    assert re.findall(r"Why: </span>([^<]*)", html)[:2] == ["Priced", "Cheap"]
    below = page(client, older(html) or "")
    assert len(titles(html) + titles(below)) == 41
    assert titles(below)[-1] == "Item 0"
    assert "Both" not in titles(below)


def test_pages_show_every_item_once_and_keep_the_filters(client: Client, search: Subscription) -> None:
    for number in range(70):
        found(search, f"Item {number}")
    seen, address = [], f"/feed?search={search.pk}"
    while address:
        html = page(client, address)
        seen += titles(html)
        assert f'value="{search.pk}" selected' in html
        address = older(html) or ""
    assert seen == [f"Item {number}" for number in reversed(range(70))]


def test_days_are_those_of_the_reader(client: Client, collector: Collector, search: Subscription) -> None:
    Preferences.objects.create(owner=collector.user, time_zone="Pacific/Auckland")
    now = timezone.now()
    found(search, "Long ago", at=datetime(2020, 11, 11, 20, tzinfo=UTC))
    found(search, "Yesterday's", at=now - timedelta(days=1))
    found(search, "Today's", at=now)
    html = page(client)
    assert re.findall(r"<h2 id=\"day-[^>]*>([^<]*)", html) == [
        "Today",
        "Yesterday",
        "Thursday 12 November 2020",
    ]


def test_the_next_part_does_not_repeat_the_heading_of_the_day(client: Client, search: Subscription) -> None:
    for number in range(31):
        found(search, f"Item {number}")
    html = page(client)
    link = re.search(r'hx-get="(/feed/older[^"]*)"', html)
    assert link is not None
    part = page(client, link[1].replace("&amp;", "&"))
    assert titles(part) == ["Item 0"]
    assert "<h2" not in part
    assert "<html" not in part


def test_filters_by_search_site_newness_and_words(
    client: Client, collector: Collector, search: Subscription
) -> None:
    other = collector.searches("price exists", name="Priced")
    found(search, "Oak table")
    elsewhere = found(other, "Oak CHAIR", house="Quai Noord")
    looked_at = found(search, "Éléphant")
    seen.mark_items(collector.user, [looked_at.event_id])
    site = elsewhere.event.publisher_id
    assert titles(page(client, f"/feed?search={search.pk}")) == ["Éléphant", "Oak table"]
    assert titles(page(client, f"/feed?site={site}")) == ["Oak CHAIR"]
    assert titles(page(client, "/feed?unseen=1")) == ["Oak CHAIR", "Oak table"]
    assert titles(page(client, "/feed?text=chair+oak")) == ["Oak CHAIR"]
    assert titles(page(client, "/feed?text=éLÉ")) == ["Éléphant"]
    assert titles(page(client, f"/feed?text=oak&search={search.pk}&unseen=1")) == ["Oak table"]
    assert "No find fits these filters" in page(client, "/feed?text=nothing")
    assert titles(page(client, "/feed?search=x&site=y&before=z&text=")) == [
        "Éléphant",
        "Oak CHAIR",
        "Oak table",
    ]


def test_a_site_of_which_nothing_was_found_is_answered_as_if_there_were_none(
    client: Client, search: Subscription
) -> None:
    found(search, "Oak table", house="Quai Noord")
    foreign = item("not found", house="A house of others").publisher_id
    html = page(client, f"/feed?site={foreign}")
    assert "A house of others" not in html
    assert titles(html) == []
    missing = page(client, "/feed?site=999999").replace("999999", str(foreign))
    token = r'name="csrfmiddlewaretoken" value="\w+"'
    assert re.sub(token, "", html) == re.sub(token, "", missing)


def test_a_site_whose_finds_are_old_is_named_where_they_are(
    client: Client, search: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_filters, "MOST_LOOKED_AT", 1)
    site = found(search, "Old", house="Quai Noord").event.publisher_id
    found(search, "New")
    assert f'<option value="{site}" selected>Quai Noord</option>' in page(client, f"/feed?site={site}")
    assert f'<option value="{site}" selected>One site</option>' in page(
        client, f"/feed?site={site}&text=nothing"
    )


def test_of_what_is_new_an_item_stands_at_its_newest_unseen_match(
    client: Client, collector: Collector, search: Subscription
) -> None:
    twice = found(search, "Twice")
    found(search, "Between")
    again = match(twice.event, collector.searches("price exists"))
    Match.objects.filter(pk=again.pk).update(seen=True)
    assert titles(page(client)) == ["Twice", "Between"]
    assert titles(page(client, "/feed?unseen=1")) == ["Between", "Twice"]


def test_a_filter_that_seldom_fits_says_how_far_it_looked_and_goes_on_from_there(
    client: Client, search: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_items, "_PORTIONS", (5, 5))
    found(search, "A needle")
    for number in range(12):
        found(search, f"Hay {number}")
    html = page(client, "/feed?text=needle")
    assert titles(html) == []
    assert "Look further back" in html
    assert titles(page(client, older(html) or "")) == ["A needle"]


def test_withdrawn_and_hidden_items_are_gone(
    client: Client, collector: Collector, search: Subscription
) -> None:
    found(search, "Stays")
    withdrawn, hidden = found(search, "Withdrawn"), found(search, "Hidden")
    services.withdraw(PublishedEvent.objects.get(pk=withdrawn.event_id))
    hiding.hide(collector.user, hidden.event_id)
    assert titles(page(client)) == ["Stays"]
    assert count_unseen(collector.user) == 1
    assert titles(page(client, f"/feed/new?match={withdrawn.pk}&match={hidden.pk}")) == []


def test_an_item_is_hidden_and_shown_again_by_plain_forms(client: Client, search: Subscription) -> None:
    event = found(search, "Oak table").event_id
    answer = client.post(f"/feed/items/{event}/hide", {"back": "text=oak"})
    assert answer.headers["Location"] == f"/feed?text=oak&hidden={event}"
    html = page(client, answer.headers["Location"])
    assert titles(html) == []
    assert f'action="/feed/items/{event}/show"' in html
    assert (
        client.post(f"/feed/items/{event}/show", {"back": "text=oak"}).headers["Location"] == "/feed?text=oak"
    )
    assert titles(page(client)) == ["Oak table"]


def test_a_script_gets_the_place_of_the_hidden_card_and_the_card_back(
    client: Client, search: Subscription
) -> None:
    event = found(search, "Oak table").event_id
    answer = client.post(f"/feed/items/{event}/hide", headers=HTMX)
    assert "Hidden: Oak table" in answer.content.decode()
    assert answer.headers["X-Unseen"] == "0"
    answer = client.post(f"/feed/items/{event}/show", headers=HTMX)
    assert titles(answer.content.decode()) == ["Oak table"]
    assert answer.headers["X-Unseen"] == "1"


def test_what_was_in_view_is_seen_with_all_its_matches(
    client: Client, collector: Collector, search: Subscription
) -> None:
    looked_at = found(search, "Looked at")
    match(looked_at.event, collector.searches("price exists"))
    found(search, "Not yet")
    answer = client.post("/feed/seen", {"quietly": "1", "item": [looked_at.event_id, "x", "9" * 30]})
    assert (answer.status_code, answer.headers["X-Unseen"]) == (204, "1")
    assert page(client).count(NEW) == 1


def test_all_are_marked_up_to_the_newest_that_the_page_knew(
    client: Client, collector: Collector, search: Subscription
) -> None:
    for number in range(3):
        found(search, f"Item {number}")
    newest = re.search(r'name="up_to" value="(\d+)"', page(client))
    assert newest is not None
    found(search, "Late")
    assert client.post("/feed/seen", {"up_to": newest[1]}).headers["Location"] == "/feed"
    assert count_unseen(collector.user) == 1


def test_the_price_of_the_revision_before_is_told_when_it_has_dropped(
    client: Client, search: Subscription
) -> None:
    item("lot", price=250)
    match(item("lot", price=190, revision=2), search)
    html = page(client)
    assert "190 EUR" in html
    assert "was 250 EUR" in html


def test_no_more_like_this_leads_to_the_search_with_a_proposal(
    client: Client, collector: Collector, search: Subscription
) -> None:
    event = found(search, "Oak table", attributes={"material": ["oak & ash"]}).event_id
    part = page(client, f"/feed/items/{event}/less", **HTMX)
    proposal = "price%20%3C%3D%20200%20and%20%28not%20material%20exists%20or%20not%20material%20contains"
    assert f'href="/searches/{search.pk}?text={proposal}' in part
    assert "<html" not in part
    assert "Back to the feed" in page(client, f"/feed/items/{event}/less")
    services.unsubscribe(search)
    assert "deleted" in page(client, f"/feed/items/{event}/less")


def test_an_item_with_many_searches_names_some_and_counts_the_others(
    client: Client, collector: Collector
) -> None:
    event = item(title="Wanted by all")
    for number in range(7):
        match(event, collector.searches("price exists", name=f"Search {number}"))
    html = page(client)
    assert html.count('class="why"') == feed_items.SEARCHES_PER_ITEM
    assert "and 3 more searches" in html


def test_new_cards_are_fetched_by_their_matches_and_fit_the_filters(
    client: Client, collector: Collector, search: Subscription
) -> None:
    first, second = found(search, "Oak table"), found(search, "Chair")
    stranger = User.objects.create_user("stranger@example.org")
    theirs = match(
        item("theirs", title="Theirs"),
        services.subscribe(stranger, "price exists", now=timezone.now()).subscription,
    )
    numbers = "&".join(f"match={number}" for number in (first.pk, second.pk, theirs.pk, "x"))
    answer = client.get(f"/feed/new?{numbers}")
    assert titles(answer.content.decode()) == ["Chair", "Oak table"]
    assert answer.headers["X-Unseen"] == "2"
    assert titles(page(client, f"/feed/new?text=oak&{numbers}")) == ["Oak table"]


def test_the_stream_goes_on_where_the_page_was_read(client: Client, search: Subscription) -> None:
    for number in range(3):
        found(search, f"Item {number}")
    assert 'data-stream="/api/v1/feed/stream?last_event_id=3"' in page(client)


def test_empty_pages_name_the_next_step(client: Client, collector: Collector) -> None:
    assert "Make your first search" in page(client)
    collector.searches()
    html = page(client)
    assert "Your searches are at work" in html
    assert "data-filters" not in html
    assert "You have seen everything" in page(client, "/feed?unseen=1")


def test_visitors_are_asked_to_sign_in_and_others_items_are_not_there(
    client: Client, collector: Collector, search: Subscription
) -> None:
    event = found(search, "Mine").event_id
    client.force_login(User.objects.create_user("stranger@example.org"))
    assert titles(page(client)) == []
    for number in (event, event + 1_000, 10**30):
        assert client.post(f"/feed/items/{number}/hide").status_code == 404
        assert client.post(f"/feed/items/{number}/show").status_code == 404
        assert client.get(f"/feed/items/{number}/less").status_code == 404
    for number in (search.pk, search.pk + 1_000):
        assert client.get(f"/feed?search={number}").status_code == 404
    client.post("/feed/seen", {"item": event})
    assert count_unseen(collector.user) == 1
    assert not Match.objects.filter(hidden=True).exists()
    client.logout()
    for address in ("/feed", "/feed/older", "/feed/new", f"/feed/items/{event}/less"):
        assert client.get(address).headers["Location"].startswith("/accounts/login/")
    assert client.get(f"/feed/items/{event}/hide").status_code == 405


def test_pictures_of_other_sites_are_let_in_and_scripts_are_not(client: Client, search: Subscription) -> None:
    policy = client.get("/feed").headers["Content-Security-Policy"]
    assert "img-src 'self' data: https: http:" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_words_are_inert(client: Client, collector: Collector, hostile: str) -> None:
    search = collector.searches("material exists", name=hostile[:200])
    event = item(
        hostile[:200],
        title=hostile,
        house=hostile[:100],
        url="javascript:alert(1)",
        image_url="javascript:alert(1)",
        attributes={"material": hostile},
    )
    match(event, search)
    for html in (page(client), page(client, f"/feed/items/{event.pk}/less")):
        assert not re.search(r"""(href|src|action)=["']?javascript:""", html)
        assert "<img src=x" not in html
        assert "<script>alert" not in html


def test_the_number_of_queries_does_not_grow_with_the_feed(
    client: Client, collector: Collector, search: Subscription
) -> None:
    others = [collector.searches("price exists", name=f"Search {number}") for number in range(5)]
    counts = []
    for number in range(90):
        event = found(search, f"Item {number}", house=f"House {number % 7}", revision=1 + number % 2).event
        for other in others[: number % 6]:
            match(event, other)
        if number in (30, 89):
            page(client)  # it numbers what is new
            with CaptureQueriesContext(
                connection,
            ) as queries:
                page(client)
            counts.append(len(queries))
    assert counts[1] <= counts[0]
    assert counts[1] <= 20
