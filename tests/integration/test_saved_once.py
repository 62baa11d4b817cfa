"""The form of a new search, sent more than once: by a second click, by coming back to it, all at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from matching import services
from matching.models import Match, Subscription, SubscriptionChange
from notifications.models import Terms
from schema_registry.accounts.models import User
from tests.integration.collector import Collector
from tests.integration.plain_forms import opened
from tests.integration.searching import FORM, NEW, published

pytestmark = pytest.mark.django_db


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def reader(client: Client, collector: Collector) -> Client:
    client.force_login(collector.user)
    return client


def filled_in(reader: Client, **fields: Any) -> dict[str, Any]:
    return opened(reader, f"{NEW}?text=price+<=+200", FORM).sent(do="save", **fields)


@pytest.mark.django_db(transaction=True)
def test_six_at_once_make_one_search(collector: Collector, reader: Client) -> None:
    form = filled_in(reader, name="Cheap")

    def send(_: int) -> str:
        client = Client()
        client.force_login(User.objects.get(pk=collector.user.pk))
        try:
            return client.post(NEW, form).headers["Location"]
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as senders:
        assert set(senders.map(send, range(6))) == {"/searches"}
    assert Subscription.objects.count() == Terms.objects.count() == SubscriptionChange.objects.count() == 1


def test_the_second_answer_is_that_of_the_first(reader: Client) -> None:
    published("a", days_ago=2)
    form = filled_in(reader, existing="on")
    for _ in range(2):
        answer = reader.post(NEW, form, follow=True)
        assert answer.redirect_chain == [("/feed", 302)]
        assert "1 find is in your feed." in answer.content.decode()
    assert Subscription.objects.count() == Match.objects.count() == 1


def test_also_when_there_is_no_room_for_another(reader: Client, settings: Settings) -> None:
    settings.MOST_SUBSCRIPTIONS_PER_OWNER = 1
    form = filled_in(reader)
    for _ in range(2):
        assert reader.post(NEW, form).headers["Location"] == "/searches"
    assert "You may have 1 searches" in reader.post(NEW, filled_in(reader)).content.decode()


@pytest.mark.parametrize("changed", [{"value.0.0": "300"}, {"name": "Another"}, {"valid": "90"}])
def test_somebody_who_comes_back_and_changes_it_makes_another(
    reader: Client, changed: dict[str, str]
) -> None:
    form = filled_in(reader)
    reader.post(NEW, form)
    reader.post(NEW, {**form, **changed})
    assert Subscription.objects.count() == 2


def test_the_same_search_is_made_twice_by_two_forms_or_by_two_people(reader: Client) -> None:
    form = filled_in(reader)
    reader.post(NEW, form)
    reader.post(NEW, filled_in(reader))
    reader.force_login(User.objects.create_user("other@example.org"))
    reader.post(NEW, form)
    assert Subscription.objects.count() == 3


def test_one_that_was_deleted_can_be_made_again(reader: Client) -> None:
    form = filled_in(reader)
    reader.post(NEW, form)
    services.unsubscribe(Subscription.objects.get())
    reader.post(NEW, form)
    there = Subscription.objects.exclude(state=Subscription.State.REMOVED)
    assert there.count() == 1
    assert Subscription.objects.count() == 2
