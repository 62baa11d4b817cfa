"""Hiding items of a feed, and taking that back."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from matching import feed, feed_items, hiding, seen, services
from matching.models import Match, Subscription
from matching.seen import count_unseen
from notifications import links
from schema_registry.accounts.models import User
from tests.integration.collector import NOW, Collector, item, match

pytestmark = pytest.mark.django_db


@pytest.fixture
def collector() -> Collector:
    return Collector()


def test_a_hidden_item_stays_hidden_when_another_search_finds_it_later(collector: Collector) -> None:
    event, other = item(), item("another")
    match(event, collector.searches("price exists"))
    match(other, collector.searches("price exists"))
    hiding.hide(collector.user, event.pk)
    later = match(event, collector.searches("price > 0"))
    (only,) = feed_items.page_of(collector.user).items
    assert only.matches[0].event_id == other.pk
    assert count_unseen(collector.user) == 1
    assert feed_items.items_of_matches(collector.user, [later.pk]) == []
    assert feed_items.item_of_event(collector.user, event.pk) is None
    hiding.show_again(collector.user, event.pk)
    assert feed_items.page_of(collector.user).items[0].count == 2
    assert count_unseen(collector.user) == 3
    assert seen.count_unseen_items(collector.user, most=100) == 2
    assert seen.count_unseen_items(collector.user, most=1) == 1


def test_a_hidden_item_is_in_no_list_stream_or_reader(client: Client, collector: Collector) -> None:
    search = collector.searches("price exists")
    stays, goes = match(item(), search), match(item("another"), search)
    feed.number_new(collector.user)
    client.force_login(collector.user)

    def shown() -> list[set[int]]:
        listed = client.get("/api/v1/matches").json()["results"]
        streamed = feed.after(collector.user, 0, limit=10)
        assert streamed.up_to == 2
        read = client.get(links.atom_address(collector.user.pk)).content.decode()
        return [
            {each["event"]["id"] for each in listed},
            {each.event_id for each in streamed.matches},
            {int(number) for number in re.findall(r":event/(\d+)<", read)},
        ]

    assert shown() == [{stays.event_id, goes.event_id}] * 3
    hiding.hide(collector.user, goes.event_id)
    match(goes.event, collector.searches("price > 0"))
    assert shown() == [{stays.event_id}] * 3
    hiding.show_again(collector.user, goes.event_id)
    assert shown() == [{stays.event_id, goes.event_id}] * 3


def test_what_one_person_hides_others_see(collector: Collector) -> None:
    neighbour, event = User.objects.create_user("neighbour@example.org"), item()
    match(event, collector.searches("price exists"))
    match(event, services.subscribe(neighbour, "price exists", now=NOW).subscription)
    hiding.hide(collector.user, event.pk)
    assert len(feed_items.page_of(neighbour).items) == count_unseen(neighbour) == 1


def test_hiding_and_seeing_many_matches_of_one_item_happens_in_small_transactions(
    collector: Collector,
) -> None:
    event = item()
    base = collector.searches("price exists")
    copies = [
        Subscription(
            owner=collector.user,
            text=base.text,
            canonical=base.canonical,
            compiled=[],
            schema_version=base.schema_version,
            created_at=base.created_at,
            ticket_digest=f"copy {number}",
        )
        for number in range(1_100)
    ]
    copies = Subscription.objects.bulk_create(copies)
    Match.objects.bulk_create(
        Match(event=event, subscription=copy, owner=collector.user, matched_at=timezone.now())
        for copy in copies
    )
    hiding.hide(collector.user, event.pk)
    assert count_unseen(collector.user) == 0
    hiding.show_again(collector.user, event.pk)
    assert count_unseen(collector.user) == 1_100
    (only,) = feed_items.page_of(collector.user).items
    assert only.count == 1_100
    seen.mark_items(collector.user, [event.pk])
    assert count_unseen(collector.user) == 0
