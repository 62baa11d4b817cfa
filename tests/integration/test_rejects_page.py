"""The publisher's page of what was refused: why, how often, how to mend it, and what was sent."""

import gzip
import json
from typing import Any

import pytest
import redis
from django.conf import settings
from django.test import Client

from matching.models import RefusalReason
from matching.traffic.noting import COUNTS, SAMPLES
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import User
from tests.integration.refused import House, a_house, a_lot, collect, make_schema

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture
def house(client: Client) -> House:
    redis.Redis.from_url(settings.REDIS_URL).delete(COUNTS, SAMPLES)
    make_schema()
    return a_house("Hôtel des ventes", client)


@pytest.fixture
def member(house: House) -> Client:
    person, browser = User.objects.create_user("member@example.org"), Client()
    add_member(house.publisher, person)
    browser.force_login(person)
    return browser


def ask(member: Client, house: House, query: str = "") -> str:
    return member.get(f"/publish/{house.publisher.pk}/rejects{query}").content.decode()


def test_it_says_what_is_wrong_how_often_and_how_to_mend_it(house: House, member: Client) -> None:
    house.sends_lines(a_lot(1, "1.200,00 EUR"), a_lot(2, "<b>dear</b>"), a_lot(3, wood="fir"))
    collect()
    page = ask(member, house)
    for said in (
        "3 items were rejected in the last 24 hours, 0 accepted.",
        "“price” is not a number</h2>",
        "<strong>2</strong> items in 24 hours",
        "Send 1200 or 1199.5, not “1.200,00 EUR”",
        "The unit is always EUR.",
        "Send one of its values, spelt as in the schema: oak, elm",
        "&lt;b&gt;dear&lt;/b&gt;",
    ):
        assert said in page, said


def test_one_reason_is_shown_alone_and_one_of_another_publisher_is_passed_over(
    house: House, member: Client
) -> None:
    other = a_house("Another house", house.client)
    other.sends(a_lot(1, wood="kept to itself"))
    house.sends_lines(a_lot(1, "dear"), a_lot(2, wood="fir"))
    collect()
    mine, theirs = (
        RefusalReason.objects.get(publisher=each.publisher, about="wood") for each in (house, other)
    )
    alone = ask(member, house, f"?reason={mine.pk}")
    assert alone.count('class="paper reject"') == 1
    assert "&#x27;fir&#x27;" in alone
    for passed_over in (theirs.pk, 0, "nonsense"):
        page = ask(member, house, f"?reason={passed_over}")
        assert page.count('class="paper reject"') == 2
        assert "kept to itself" not in page


def test_a_publisher_of_whom_nothing_was_refused_reads_what_will_be_here(
    house: House, member: Client
) -> None:
    assert "Nothing was rejected so far." in ask(member, house)


def test_however_many_reasons_there_are_it_takes_as_many_queries(
    house: House, member: Client, django_assert_max_num_queries: Any
) -> None:
    for some in range(4):
        house.sends_lines(*(a_lot(number, **{f"name{some}_{number}": 1}) for number in range(15)))
    collect()
    with django_assert_max_num_queries(14):
        assert ask(member, house).count('class="paper reject"') == 20


def test_a_gzip_batch_is_shown_as_it_was_before_it_was_packed(house: House, member: Client) -> None:
    packed = gzip.compress(json.dumps(a_lot(1, "dear")).encode())
    house.sends_lines(packed, headers={"Content-Encoding": "gzip"})
    collect()
    assert "lot 1" in ask(member, house)
