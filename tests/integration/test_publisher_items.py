"""A publisher's items: found, looked at, taken back; and bounded work however many there are."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from matching import item_lists
from matching.models import MatchWork, PublishedEvent
from tests.integration.collector import NOW, item, make_schema
from tests.integration.publishing_house import House, text

pytestmark = pytest.mark.django_db
NAME = "Quai Noord"


@pytest.fixture
def house() -> House:
    make_schema()
    return House(NAME)


def published(name: str, **fields: Any) -> PublishedEvent:
    return item(name, house=NAME, **{"title": "", "matched_at": NOW, **fields})


def listed(house: House, **asked: Any) -> list[str]:
    answer = house.client.get(house.address("items"), asked)
    assert answer.status_code == 200
    return [each.external_id for each in answer.context["listed"].items]


def test_the_newest_come_first_each_item_once(house: House) -> None:
    assert "Nothing was accepted yet" in house.sees("items")
    published("a")
    published("b")
    published("a", revision=2)
    item("of another house", house="Lindenhof Auktionen")
    assert listed(house) == ["a", "b"]
    assert "revision 2" in house.sees("items")


def test_pages_follow_each_other_without_gap_or_repeat(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_lists, "PER_PAGE", 3)
    names = [f"lot {number}" for number in range(8)]
    for name in names:
        published(name)
    seen: list[str] = []
    query = ""
    while True:
        answer = house.client.get(f"{house.address('items')}?{query}")
        seen += [each.external_id for each in answer.context["listed"].items]
        if not (query := answer.context["next_page"]):
            break
    assert seen == names[::-1]


def test_an_id_in_full_is_found_however_far_back_and_words_among_the_newest(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_lists, "LOOKED_THROUGH", 4)
    published("lot 1", title="Écritoire of walnut")
    for number in range(2, 7):
        published(f"lot {number}", title="Oak table" if number % 2 else "Chair")
    assert listed(house, q=" lot 1 ") == ["lot 1"]
    assert listed(house, q="OAK") == ["lot 5", "lot 3"]
    assert listed(house, q="ot 4") == ["lot 4"]
    answer = house.client.get(house.address("items"), {"q": "walnut"})
    assert "None of the 4 events that were looked through fits" in text(answer)
    further = house.client.get(f"{house.address('items')}?{answer.context['next_page']}")
    assert [each.external_id for each in further.context["listed"].items] == ["lot 1"]
    assert further.context["next_page"] == ""
    assert listed(house, q="mahogany", before="x") == []


def test_items_of_a_state(house: House) -> None:
    published("1", state="parked", reason="No worker survived.")
    published("2", state="withdrawn")
    published("3", state="accepted", matched_at=None)
    published("4")
    for state, names in {"parked": ["1"], "withdrawn": ["2"], "accepted": ["3"], "matched": ["4"]}.items():
        assert listed(house, state=state) == names
        assert listed(house, state=state, q="4") == (["4"] if state == "matched" else [])
    assert listed(house, state="nonsense") == ["4", "3", "2", "1"]


@pytest.mark.parametrize("state", ["", "accepted", "matched", "parked", "withdrawn"])
def test_lists_are_read_along_an_index_of_the_publisher(house: House, state: str) -> None:
    """In order, among many rows of others: nothing is sorted, and nothing of the others is read."""
    other = House("Lindenhof Auktionen").publisher
    PublishedEvent.objects.bulk_create(
        PublishedEvent(
            publisher=house.publisher if number % 50 == 0 else other,
            external_id=str(number),
            revision=1,
            schema_version=1,
            document={},
            accepted_at=NOW + timedelta(seconds=number),
            state="matched",
        )
        for number in range(5_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        if connection.vendor == "postgresql":  # it sorts so few rows; these it does without where it can
            for way in ("sort", "bitmapscan", "seqscan"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
    with CaptureQueriesContext(connection) as queries:
        item_lists.newest(house.publisher, state=state, before=1_000_000)
    explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
    for query in queries:
        with connection.cursor() as cursor:
            cursor.execute(f"{explain} {query['sql']}")
            plan = "\n".join(str(row) for row in cursor.fetchall())
        assert "of_a_publisher" in plan, (query["sql"], plan)
        assert "TEMP B-TREE" not in plan
        assert "Sort" not in plan


def test_an_item_is_shown_with_its_revisions_and_attributes(house: House) -> None:
    first = published("lot 7", title="Table", attributes={"category": "dining-table"})
    second = published("lot 7", revision=2, title="Table, again", match_count=3, price=90)
    shown = house.sees(f"items/{second.pk}")
    assert "90 EUR" in shown
    assert "3 searches" in shown
    shown = house.sees(f"items/{first.pk}")
    assert "there is a newer one" in shown
    assert "furniture > Tables > Dining table" in shown
    first.state, first.reason = "parked", "No worker survived."
    first.save()
    assert "No worker survived." in house.sees(f"items/{first.pk}")


def test_an_item_is_withdrawn_for_good(house: House) -> None:
    event = published("lot 7", title="Table", state="accepted", matched_at=None)
    MatchWork.objects.create(event=event)
    assert "This cannot be undone" in house.sees(f"items/{event.pk}")
    assert house.client.get(house.address(f"items/{event.pk}/withdraw")).status_code == 405
    answer = house.sends(f"items/{event.pk}/withdraw")
    assert "“Table” is withdrawn. To offer it again, send it as revision 2." in text(answer)
    event.refresh_from_db()
    assert event.state == "withdrawn"
    assert not MatchWork.objects.exists()
    assert "Withdraw it" not in house.sees(f"items/{event.pk}")


def test_the_item_of_another_publisher_is_not_there(house: House) -> None:
    theirs = item("lot 7", house="Lindenhof Auktionen")
    assert house.client.get(house.address(f"items/{theirs.pk}")).status_code == 404
    assert house.client.post(house.address(f"items/{theirs.pk}/withdraw")).status_code == 404
    theirs.refresh_from_db()
    assert theirs.state == "matched"
