"""Atom feeds at secret addresses: what was found, why, and nothing for whoever has not the address."""

import xml.etree.ElementTree as ElementTree

import pytest
from django.test import Client

from matching import services
from matching.models import PublishedEvent, Subscription
from notifications import links
from notifications.models import Preferences
from schema_registry.accounts.models import User
from tests.integration.collector import NOW, Collector, item, match
from tests.integration.test_emails import HOSTILE, Page

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def search(collector: Collector) -> Subscription:
    return collector.searches(name="Cheap")


def entries(client: Client, address: str) -> list[ElementTree.Element]:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(answer.content).findall(f"{ATOM}entry")


def text(entry: ElementTree.Element, name: str) -> str:
    return entry.findtext(f"{ATOM}{name}") or ""


def test_a_feed_has_what_was_found_with_price_reason_and_link(
    client: Client, collector: Collector, search: Subscription
) -> None:
    match(item(), search)
    (entry,) = entries(client, links.atom_address(collector.user.pk))
    assert text(entry, "title") == "Oak dining table - 180 EUR"
    assert text(entry, "id").startswith("tag:localhost,2026:event/")
    assert text(entry, "updated") == text(entry, "published") == "2026-11-16T12:00:00+00:00"
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == "https://belleroche.example/lots/7"
    words = Page(text(entry, "summary")).words
    assert "price at most 200 EUR: 180 EUR" in words
    assert "Cheap" in words


def test_an_item_is_one_entry_whichever_searches_found_it(
    client: Client, collector: Collector, search: Subscription
) -> None:
    other = collector.searches(name="Other")
    old, new = item("old", title="old"), item("new", title="new")
    for event, found_by in ((old, search), (new, search), (new, other)):
        match(event, found_by)
    found = entries(client, links.atom_address(collector.user.pk))
    assert [text(entry, "title") for entry in found] == ["new - 180 EUR", "old - 180 EUR"]
    words = Page(text(found[0], "summary")).words
    assert "Cheap" in words
    assert "Other" in words
    of_one = entries(client, links.atom_address(collector.user.pk, other.pk))
    assert [text(entry, "title") for entry in of_one] == ["new - 180 EUR"]


def test_it_has_the_newest_hundred_and_nothing_that_was_withdrawn(
    client: Client, collector: Collector, search: Subscription
) -> None:
    events = [item(str(number), title=str(number)) for number in range(102)]
    for event in events:
        match(event, search)
    services.withdraw(PublishedEvent.objects.get(pk=events[101].pk))
    found = entries(client, links.atom_address(collector.user.pk))
    assert [text(entry, "title") for entry in found] == [
        f"{number} - 180 EUR" for number in range(100, 0, -1)
    ]


def test_ids_stay_the_same(client: Client, collector: Collector, search: Subscription) -> None:
    match(item(), search)
    address = links.atom_address(collector.user.pk)
    (before,) = entries(client, address)
    services.change(search, name="Another name", now=NOW)
    (after,) = entries(client, address)
    assert text(before, "id") == text(after, "id")
    assert text(before, "summary") != text(after, "summary")


def test_who_has_it_already_gets_it_again_only_when_something_has_changed(
    client: Client, collector: Collector, search: Subscription
) -> None:
    match(item(), search)
    address = links.atom_address(collector.user.pk)
    first = client.get(address)
    assert first["Last-Modified"] == "Mon, 16 Nov 2026 12:00:00 GMT"
    assert client.get(address, headers={"if-none-match": first["ETag"]}).status_code == 304
    match(item("another"), search)
    again = client.get(address, headers={"if-none-match": first["ETag"]})
    assert again.status_code == 200
    services.change(search, name="Renamed", now=NOW)
    assert client.get(address, headers={"if-none-match": again["ETag"]}).status_code == 200


def test_who_asks_by_date_gets_it_again_only_when_something_was_found(
    client: Client, collector: Collector, search: Subscription
) -> None:
    match(item(), search)
    address = links.atom_address(collector.user.pk)
    since = {"if-modified-since": client.get(address)["Last-Modified"]}
    assert client.get(address, headers=since).status_code == 304
    late = match(item("another"), search)
    late.matched_at = NOW.replace(minute=1)
    late.save()
    assert client.get(address, headers=since).status_code == 200


def test_an_empty_feed_is_a_feed(client: Client, collector: Collector) -> None:
    address = links.atom_address(collector.user.pk)
    assert entries(client, address) == []
    assert client.head(address).status_code == 200


def test_it_is_kept_from_search_engines_and_shared_caches(client: Client, collector: Collector) -> None:
    answer = client.get(links.atom_address(collector.user.pk))
    assert answer["X-Robots-Tag"] == "noindex"
    assert "private" in answer["Cache-Control"]
    assert "Set-Cookie" not in answer.headers


def test_the_address_stays_until_it_is_revoked(client: Client, collector: Collector) -> None:
    Preferences.objects.create(owner=collector.user, time_zone="Europe/Paris")
    old = links.atom_address(collector.user.pk)
    assert links.atom_address(collector.user.pk) == old
    links.revoke_atom_addresses(collector.user.pk)
    assert client.get(old).status_code == 404
    assert client.get(links.atom_address(collector.user.pk)).status_code == 200
    assert Preferences.objects.get().time_zone == "Europe/Paris"


def test_wrong_addresses_and_those_of_the_gone_lead_nowhere(
    client: Client, collector: Collector, search: Subscription
) -> None:
    mine, of_search = links.atom_address(collector.user.pk), links.atom_address(collector.user.pk, search.pk)
    of_another_purpose = links.mute_address(collector.channel.pk, search.pk)
    for wrong in (mine[:-1], mine + "x", mine.replace("atom/", "atom/x"), of_another_purpose):
        assert client.get(wrong.replace("/mute/", "/atom/")).status_code == 404
    assert client.post(mine).status_code == 405
    services.unsubscribe(search)
    assert client.get(of_search).status_code == 404
    collector.user.is_active = False
    collector.user.save()
    assert client.get(mine).status_code == 404


def test_another_person_s_search_is_not_in_it(client: Client, collector: Collector) -> None:
    stranger = User.objects.create_user("stranger@example.org")
    theirs = services.subscribe(stranger, "price exists", now=NOW).subscription
    match(item(), theirs)
    assert entries(client, links.atom_address(collector.user.pk)) == []
    assert client.get(links.atom_address(collector.user.pk, theirs.pk)).status_code == 404


@pytest.mark.parametrize("hostile", [*HOSTILE, "\ufffe\uffff\x0b]]>"])
def test_hostile_words_are_inert(client: Client, collector: Collector, hostile: str) -> None:
    search = collector.searches("material exists", name=hostile[:200])
    attributes = {"material": hostile}
    match(item(hostile[:200], title=hostile, house=hostile[:100], url="", attributes=attributes), search)
    match(
        item("link", url="javascript:alert(1)", image_url="javascript:alert(1)", attributes=attributes),
        search,
    )
    for address in (links.atom_address(collector.user.pk), links.atom_address(collector.user.pk, search.pk)):
        for entry in entries(client, address):
            page = Page(text(entry, "summary"))
            assert page.tags <= {"p", "img", "strong", "br"}
            assert page.attributes <= {"src", "alt"}
            assert all(value.startswith("https://belleroche.example/") for _, value in page.addresses)
            link = entry.find(f"{ATOM}link")
            assert link is not None
            assert (link.get("href") or "").startswith("http")
            assert text(entry, "title").isprintable()
