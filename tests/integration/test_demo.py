"""The demo: a month that could have been, the same each time, complete or not there at all."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import CommandError, call_command
from django.db.models import Count, F
from django.db.models.functions import TruncDate
from django.test import TestCase
from rich.console import Console

from lesubscribe.demo import DEMO_EMAIL
from lesubscribe.demo.catalogue import HOUSES
from lesubscribe.demo.items import ITEMS, SPAN, Fate, Publication, publications
from lesubscribe.demo.load import MATCHING_TOOK, SEED, UNSEEN, belongs_here, load
from lesubscribe.demo.opening import NEIGHBOUR_EMAIL, is_whole, opened_at
from lesubscribe.demo.pictures import DRAWINGS
from lesubscribe.demo.searches import NEIGHBOUR_SEARCHES, SEARCHES, Search
from lesubscribe.demo.stock import stock
from lesubscribe.management.commands.up import bring_the_demo
from matching.models import Announcement, Match, MatchWork, PublishedEvent, Subscription
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.language import parse
from schema_registry.models import SchemaVersion
from schema_registry.selectors import current_schema

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
State = Subscription.State


def interrupt_halfway(done: int, of: int) -> None:
    if done > of / 2:
        raise KeyboardInterrupt


def month() -> list[Publication]:
    return publications(seed=SEED, now=NOW)


def searches_of(email: str) -> dict[str, Subscription]:
    found = Subscription.objects.filter(owner__email=email).annotate(found=Count("matches"))
    return {search.name: search for search in found}


def was_valid(search: Search, moment: datetime) -> bool:
    return search.valid_days is None or moment < NOW - SPAN + timedelta(days=search.valid_days)


def test_the_month_is_the_same_for_the_same_seed_and_moment() -> None:
    assert month() == month()
    assert month() != publications(seed=SEED + 1, now=NOW)


def test_the_month_has_its_rhythm_and_its_variety() -> None:
    sent = month()
    by_day = Counter(each.accepted_at.date() for each in sent)
    working = [count for day, count in by_day.items() if day.weekday() < 5]
    free = [count for day, count in by_day.items() if day.weekday() >= 5]
    assert len(by_day) >= 29
    assert sum(working) / len(working) > 2 * sum(free) / len(free)
    assert all(NOW - SPAN < each.accepted_at < NOW for each in sent)
    assert len({each.envelope.event["category"] for each in sent}) > 60
    assert sum(each.envelope.ends_at is not None and each.envelope.ends_at > NOW for each in sent) > 200
    assert sum(each.envelope.ends_at is not None and each.envelope.ends_at < NOW for each in sent) > 200


def test_every_item_has_a_picture_that_is_there() -> None:
    kinds = {kind.category for family in stock().families for kind in family.kinds}
    assert kinds <= set(DRAWINGS)
    for each in month():
        path = each.envelope.image_url.removeprefix(settings.BASE_URL + settings.STATIC_URL)
        assert finders.find(path), each.envelope.image_url


def test_an_item_that_comes_again_is_cheaper() -> None:
    first = {(each.house, each.envelope.external_id): each for each in month() if each.envelope.revision == 1}
    again = [each for each in month() if each.envelope.revision == 2]
    assert len(again) > 50
    for each in again:
        before = first[each.house, each.envelope.external_id]
        assert each.accepted_at > before.accepted_at
        assert each.envelope.event["price"] <= before.envelope.event["price"]
        assert each.envelope.title == before.envelope.title


@pytest.mark.database
class TestTheDemo(TestCase):
    """Loaded once for all of these: interrupted, and then completed."""

    @classmethod
    def setUpTestData(cls) -> None:
        assert belongs_here()
        with pytest.raises(KeyboardInterrupt):
            load(now=NOW, report=interrupt_halfway)
        assert not is_whole()
        assert belongs_here()
        assert PublishedEvent.objects.count() < ITEMS
        assert load(now=NOW + timedelta(days=3)), "it is completed for the moment it was begun with"

    def test_everything_is_there(self) -> None:
        assert list(Publisher.objects.values_list("state", flat=True)) == ["approved"] * len(HOUSES)
        assert PublishedEvent.objects.filter(revision=1).count() == ITEMS
        states = dict(PublishedEvent.objects.values_list("state").annotate(Count("pk")))
        fates = Counter(each.fate for each in month())
        assert states == {
            "matched": fates[Fate.KEPT],
            "withdrawn": fates[Fate.WITHDRAWN],
            "parked": fates[Fate.PARKED],
        }
        assert (states["parked"], states["withdrawn"]) == (1, 12)
        assert PublishedEvent.objects.get(state="parked").reason == "No worker survived matching it 5 times."
        assert not MatchWork.objects.exists()
        assert {len(searches_of(DEMO_EMAIL)), len(SEARCHES)} == {40}
        assert len(searches_of(NEIGHBOUR_EMAIL)) == len(NEIGHBOUR_SEARCHES)

    def test_the_schema_is_the_houses_work_at_the_beginning_of_the_month(self) -> None:
        versions = SchemaVersion.objects.all()
        assert set(versions.values_list("publisher__name", flat=True)) == {house.name for house in HOUSES}
        assert {each.created_at for each in versions} == {NOW - SPAN} == {opened_at()}
        assert {domain.kind for domain in current_schema().domains.values()} == {
            *("numeric", "string", "text", "enumerated", "hierarchical")
        }

    def test_matches_are_those_of_the_oracle(self) -> None:
        schema = current_schema()
        asked = [(search, parse(search.text, schema)) for search in (*SEARCHES, *NEIGHBOUR_SEARCHES)]
        expected = set()
        for each in month():
            event = schema.validate(each.envelope.event)
            if each.fate is not Fate.PARKED:
                expected |= {
                    (each.house.name, each.envelope.external_id, each.envelope.revision, search.name)
                    for search, parsed in asked
                    if was_valid(search, each.accepted_at) and parsed.matches(event)
                }
        found = Match.objects.values_list(
            "event__publisher__name", "event__external_id", "event__revision", "subscription__name"
        )
        assert set(found) == expected
        assert found.count() == len(expected)

    def test_all_but_the_hopeless_searches_have_found_something(self) -> None:
        stored = searches_of(DEMO_EMAIL)
        hopeless = {search.name for search in SEARCHES if search.is_hopeless}
        assert len(hopeless) == 3
        assert {name for name, search in stored.items() if not search.found} == hopeless  # type: ignore[attr-defined]

    def test_searches_are_in_every_state_and_one_expires_soon(self) -> None:
        stored = searches_of(DEMO_EMAIL)
        for search in SEARCHES:
            expected = search.state if was_valid(search, NOW) else State.EXPIRED
            assert stored[search.name].state == expected, search.name
        states = Counter(search.state for search in stored.values())
        assert min(states[state] for state in (State.ACTIVE, State.PAUSED, State.MUTED, State.EXPIRED)) >= 2
        soon = [
            search.name
            for search in stored.values()
            if search.expires_at and NOW < search.expires_at < NOW + timedelta(days=3)
        ]
        assert soon == ["Dining tables under 200 EUR"]

    def test_matches_are_spread_over_the_month(self) -> None:
        late = Match.objects.exclude(matched_at=F("event__accepted_at") + MATCHING_TOOK)
        assert not late.exists()
        assert (
            not PublishedEvent.objects.exclude(matched_at=F("accepted_at") + MATCHING_TOOK)
            .exclude(matched_at=None)
            .exists()
        )
        by_day = Match.objects.annotate(day=TruncDate("matched_at")).values("day").distinct()
        assert by_day.count() >= 29

    def test_nobody_is_told_of_a_month_gone_by(self) -> None:
        assert not Announcement.objects.exists()

    def test_only_the_newest_matches_are_unseen(self) -> None:
        mine = Match.objects.filter(owner__email=DEMO_EMAIL)
        unseen = mine.filter(seen=False).order_by("matched_at")
        assert unseen.count() == UNSEEN
        first = unseen.first()
        assert first is not None
        assert mine.filter(seen=True).order_by("-matched_at")[0].matched_at <= first.matched_at

    def test_loading_it_again_changes_nothing(self) -> None:
        def everything() -> list[Any]:
            return [
                list(model.objects.order_by("pk").values()) for model in (PublishedEvent, Match, Subscription)
            ]

        before = everything()
        assert not load(now=NOW + timedelta(days=1))
        assert not belongs_here()
        assert everything() == before


def test_names_in_the_way_are_told_in_a_sentence_and_nothing_is_left_behind(db: None) -> None:
    schema_services.create_domain(schema_services.Author(None), "period", {"kind": "string"})
    assert not belongs_here()
    with pytest.raises(
        CommandError, match=r"^The demo was not loaded: there is already a domain 'period'\.$"
    ):
        call_command("load_demo")
    assert opened_at() is None
    assert SchemaVersion.objects.count() == 1
    assert not any(model.objects.exists() for model in (Publisher, User, Subscription, PublishedEvent))


def test_a_start_that_cannot_have_the_demo_goes_on_without(
    db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    publisher_named(HOUSES[0].name, state=Publisher.State.PENDING)
    bring_the_demo(Console(soft_wrap=True))
    assert f"there is already a publisher '{HOUSES[0].name}'." in capsys.readouterr().out
    assert Publisher.objects.count() == 1
