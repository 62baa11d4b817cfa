"""Lists of tables with millions of rows: the newest of them, in a few queries."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from matching import services
from matching.admin import long_lists
from matching.models import Match, PublishedEvent, Subscription
from schema_registry.accounts.models import Publisher, User
from tests.integration.admin.items import published
from tests.integration.admin.pages import MATCHING_PARTS, address, listed, text

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def many(schema: None, owner: User, house: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    """130 of each, and lists that end at 120."""
    monkeypatch.setattr(long_lists, "MOST_LISTED", 120)
    subscribed = services.subscribe(owner, "price >= 0", now=timezone.now()).subscription
    now = timezone.now()
    Subscription.objects.bulk_create(
        Subscription(
            owner=owner,
            text="price >= 0",
            canonical="price >= 0",
            compiled=subscribed.compiled,
            schema_version=subscribed.schema_version,
            created_at=now,
            ticket_digest=str(number),
        )
        for number in range(129)
    )
    first = published(house, "0")
    PublishedEvent.objects.bulk_create(
        PublishedEvent(
            publisher=house,
            external_id=str(number),
            revision=1,
            schema_version=first.schema_version,
            document=first.document,
            accepted_at=now,
        )
        for number in range(1, 130)
    )
    Match.objects.bulk_create(
        Match(event=event, subscription=subscribed, owner=owner, matched_at=now)
        for event in PublishedEvent.objects.all()
    )


@pytest.mark.parametrize("part", MATCHING_PARTS)
def test_a_page_takes_a_few_queries_and_counts_nothing_it_does_not_show(
    page: Client, part: str, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    with django_assert_max_num_queries(6) as captured:
        answer = page.get(address(part, "changelist"))
    asked = [query["sql"] for query in captured.captured_queries]
    table = f'FROM "matching_{part}"'
    assert not [sql for sql in asked if sql.startswith("SELECT COUNT") and table in sql]
    assert all("LIMIT 121" in sql or " IN (" in sql for sql in asked if table in sql)
    assert len(answer.context["cl"].result_list) == 50


@pytest.mark.parametrize("part", MATCHING_PARTS)
def test_the_newest_are_listed_and_it_says_that_there_are_more(page: Client, part: str) -> None:
    keys = [row.pk for row in [*listed(page, part), *listed(page, part, "?p=2"), *listed(page, part, "?p=3")]]
    assert len(keys) == 120
    assert keys == sorted(keys, reverse=True)
    assert "There are more; these are the newest." in text(page.get(address(part, "changelist")))
    assert page.get(address(part, "changelist") + "?p=4").status_code == 302


def test_a_list_that_ends_says_nothing(page: Client) -> None:
    answer = page.get(address("publishedevent", "changelist") + "?q=77")
    assert "There are more" not in text(answer)
    assert "1 event" in text(answer)


def test_more_than_can_be_asked_about_at_once_is_refused(page: Client) -> None:
    action = {
        "action": "withdraw",
        "select_across": 1,
        "_selected_action": [PublishedEvent.objects.latest("pk").pk],
        "index": 0,
    }
    answer = page.post(address("publishedevent", "changelist"), action, follow=True)
    assert "Choose 1 to 100 of them." in text(answer)


def test_the_page_of_an_event_takes_a_few_queries(
    page: Client, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    row = PublishedEvent.objects.latest("pk")
    page.get(address("publishedevent", "change", row.pk))
    with django_assert_max_num_queries(9):
        page.get(address("publishedevent", "change", row.pk))
