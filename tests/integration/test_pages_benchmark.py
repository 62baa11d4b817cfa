"""The benchmark of the pages: what it fills is whole, and each address it asks for is there."""

import pytest
from django.utils import timezone

from benchmarks.pages import administration, filling
from benchmarks.pages.addresses import PAGES
from benchmarks.pages.measuring import asked, client_of, found_there, measured
from matching import daily_counts
from matching.feed import last_number
from matching.models import Match, PublishedEvent, Subscription
from schema_registry.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def test_what_it_fills_is_whole_and_every_page_is_there() -> None:
    told: list[str] = []
    for _ in range(2):  # the second time there is nothing to do
        filling.fill(subscriptions=20, searches=10, events=60, tell=told.append)
    person = User.objects.get(email=filling.PERSON)
    mine = Match.objects.filter(owner=person)
    assert PublishedEvent.objects.count() == 60
    assert Subscription.objects.filter(owner=person).count() == 10
    assert mine.count() == last_number(person) > 0
    searches = list(Subscription.objects.values_list("pk", flat=True))
    counted = daily_counts.per_day(searches, days=32, now=timezone.now())
    assert sum(map(sum, counted.values())) == Match.objects.count()
    there = found_there(person)
    for page in (*PAGES, *administration.pages()):
        asked(page, client_of(page, person), there)  # each says what only it says
    assert measured(PAGES[0], person, rounds=1)["queries"] > 0
