"""Searches that call operators: made, matched, told, previewed, and what happens when an operator fails."""

import json
import shutil
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from lesubscribe.operations import matchers
from matching import existing, operator_states, previews, schema_impact, selectors
from matching.demand.wishes import Wishes, WishReader
from matching.describing import described
from matching.draining import drain
from matching.live import LiveMatcher
from matching.models import Match, MatchWork, PublishedEvent, Subscription
from matching.recent import reading, upkeep
from matching.recent.settling import Settling
from matching.shards import WHOLE
from notifications.composing import composed
from notifications.core.messages import MatchFound
from notifications.items import items_of, words_of
from schema_registry.accounts.models import Scope, User
from schema_registry.accounts.services import issue_key
from schema_registry.models import SchemaVersion
from schema_registry.selectors import current_schema
from schema_registry.signals import ProposedChange
from tests.integration.collector import NOW, Collector, item
from tests.integration.failing_operators import installed_broken
from tests.integration.plain_forms import PlainForm, opened
from tests.integration.searching import FORM, NEW, posted, published

pytestmark = pytest.mark.django_db
pages = pytest.mark.any_database

NEAR_LYON = "distance(material, 'Lyon', ?km) and ?km <= 50"


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def reader(client: Client, collector: Collector) -> Client:
    client.force_login(collector.user)
    return client


def waiting(name: str, **attributes: Any) -> PublishedEvent:
    """An item that nobody has matched yet; `material` is where it is."""
    event = item(name, attributes=attributes, state=PublishedEvent.State.ACCEPTED)
    MatchWork.objects.create(event=event, shards=WHOLE.of, shard=WHOLE.number)
    return event


def found() -> set[tuple[str, str]]:
    rows = Match.objects.values_list("event__external_id", "subscription__text")
    return set(rows)


# From the API to the feed and the mail ---------------------------------------------------------------------


@pytest.mark.parametrize("matcher", ["engine", "quarantining"])
def test_a_search_by_distance_finds_what_is_near_and_says_how_near(
    reader: Client, collector: Collector, matcher: str
) -> None:
    key = issue_key(collector.user, [Scope.SUBSCRIPTIONS])[1]
    answer = reader.post(
        "/api/v1/subscriptions",
        json.dumps({"text": f"{NEAR_LYON} and price < 200"}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert answer.status_code == 201
    waiting("near", material=["Villeurbanne", "Tokyo"])
    waiting("far", material=["Paris"])
    waiting("unknown", material=["Xyzzyville"])
    waiting("nowhere")
    drain(LiveMatcher(matcher))
    (match,) = Match.objects.all()
    assert match.event.external_id == "near"
    assert not PublishedEvent.objects.exclude(state=PublishedEvent.State.MATCHED).exists()
    feed = reader.get("/feed").content.decode()
    assert "material 3.1 km from Lyon (at most 50)" in feed
    assert selectors.explainer()(match)[1:] == [
        {"predicate": "distance(material, 'Lyon', ?km) and ?km <= 50", "attribute": "material", "value": 3.1}
    ]
    with override("fr"):
        (shown,) = items_of([match])
        assert shown.reasons[0].why[1].words == "distance de material à Lyon\u00a0: 3,1 km (au plus 50)"


@pages
def test_the_mail_says_it_too(collector: Collector) -> None:
    search = collector.searches("similar(title, 'omega seamaster', ?score) and ?score >= 80")
    event = item(attributes={"title": "Omega Seamster, 1968"})
    sent = composed(collector.is_told((event, search)), now=NOW)
    assert isinstance(sent, MatchFound)
    (why,) = sent.item.reasons[0].why
    assert why.words == "title 96.2 % like “omega seamaster” (at least 80)"


@pages
def test_a_place_that_nobody_knows_is_refused_with_what_was_probably_meant(client: Client) -> None:
    Collector()
    text = "price < 5 and distance(material, 'Marseile', ?km) and ?km < 9"
    answer = client.post("/language/check", {"text": text}, content_type="application/json").json()
    assert answer["error"]["message"].startswith("place: There is no city 'Marseile' in our table.")
    assert answer["error"]["suggestion"] == "'Marseille'"
    assert text[answer["error"]["start"] : answer["error"]["end"]] == "'Marseile'"


@pages
def test_the_editor_completes_calls(client: Client) -> None:
    Collector()
    answer = client.post(
        "/language/completions", {"text": "price < 5 and dist"}, content_type="application/json"
    )
    (offer,) = answer.json()["offers"]
    assert offer["text"] == "distance("
    assert offer["detail"].startswith("distance(location, place, ?km): How many kilometres")


@pages
def test_the_operators_are_listed_once_for_whoever_has_them(client: Client) -> None:
    answer = client.get("/api/v1/operators")
    signatures = [each["signature"] for each in answer.json()]
    assert "distance(location, place, ?km)" in signatures
    again = client.get("/api/v1/operators", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    french = client.get("/api/v1/operators", headers={"Accept-Language": "fr"})
    assert french.headers["ETag"] != answer.headers["ETag"]


# The form ---------------------------------------------------------------------------------------------------


@pages
def test_a_row_that_calls_an_operator_is_chosen_filled_in_and_saved(
    reader: Client, collector: Collector
) -> None:
    form = opened(reader, NEW, FORM)
    assert {"distance()", "similar()", "money()"} <= {*form.options["attribute.0.0"]}
    form = posted(reader, form, "show", **{"attribute.0.0": "distance()"})
    assert form.value("text") == ""
    assert form.fields["kind.0.0"] == ["attribute", "text", "result"]
    places = {"place.0.0": ["material", "Lyon", "km"]}
    form = posted(reader, form, "show", **places, **{"operator.0.0": "<=", "value.0.0": "50"})
    assert form.value("text") == NEAR_LYON
    form = posted(reader, form, "add-row 0")
    form = posted(reader, form, "show", **{"attribute.0.1": "distance()"})
    places = {"place.0.1": ["material", "Paris", "km"]}
    form = posted(reader, form, "show", **places, **{"operator.0.1": ">", "value.0.1": "100"})
    expected = f"{NEAR_LYON} and distance(material, 'Paris', ?km2) and ?km2 > 100"
    assert form.value("text").split() == expected.split()
    answer = reader.post(NEW, form.sent(do="save", name="", valid="90", frequency="daily"))
    assert answer.headers["Location"] == "/searches"
    saved = Subscription.objects.get()
    words = "material at most 50 km from Lyon, and material above 100 km from Paris"
    assert words_of(saved.canonical, current_schema()) == words
    with override("fr"):
        said = words_of(saved.canonical, current_schema())
    assert said == (
        "distance de material à Lyon\u00a0: au plus 50 km,"
        " et distance de material à Paris\u00a0: au-dessus de 100 km"
    )
    again = PlainForm(reader.get(f"/searches/{saved.pk}").content.decode(), FORM)
    assert again.fields["place.0.1"] == ["material", "Paris", "km2"]
    assert again.value("text") == saved.text


@pages
def test_what_is_wrong_with_a_call_stands_beside_its_row(reader: Client) -> None:
    form = posted(reader, opened(reader, NEW, FORM), "show", **{"attribute.0.0": "distance()"})
    places = {"place.0.0": ["material", "Lyno", "km"]}
    form = posted(reader, form, "show", **places, **{"value.0.0": "near) or (price > 1"})
    assert "There is no city 'Lyno'" in form.errors["0-0"]
    form = posted(reader, form, "show", **{"place.0.0": ["material", "Lyon", "km"]})
    assert form.value("text") == "distance(material, 'Lyon', ?km) and ?km <= 'near) or (price > 1'"
    assert "?km is a number" in form.errors["0-0"]
    form = posted(reader, form, "show", **{"attribute.0.0": "price"})
    assert form.value("text") == ""
    assert "place.0.0" not in form.fields


# Looking back -----------------------------------------------------------------------------------------------


@pytest.fixture
def columns() -> Iterator[None]:
    shutil.rmtree(reading.folder(), ignore_errors=True)
    yield
    shutil.rmtree(reading.folder(), ignore_errors=True)


def test_a_preview_asks_operators_for_what_the_columns_leave_possible(
    reader: Client,
    collector: Collector,
    columns: None,
    at_noon: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = at_noon
    for day in range(6):
        published(f"near {day}", days_ago=day, material=["Villeurbanne"])
        published(f"far {day}", days_ago=day, material=["Paris"])
    published("dear", price=900, material=["Lyon"])
    text = f"price < 200 and {NEAR_LYON}"

    def previewed() -> previews.Preview:
        return selectors.previewed(text, days=30, now=now + timedelta(hours=1), clock=lambda: 0)

    without = previewed()
    assert (without.count, without.looked_at, without.complete) == (6, 13, True)
    assert upkeep.keep(Settling(), now=now + timedelta(hours=1), clock=time.monotonic, least=1)
    published("latest", material=["Lyon"])
    found = previewed()
    assert (found.count, found.looked_at, found.complete) == (7, 14, True)
    assert dict(found.days)[now.date()] == 2
    assert found.samples[0].why[-1].value == 0
    monkeypatch.setattr(selectors, "MOST_CANDIDATES", 3)
    cut = previewed()
    assert cut.count < 7
    assert not cut.complete
    assert "at least as many" in cut.warnings[-1]
    page = reader.post("/searches/preview", {"text": text}).content.decode()
    assert "at least <strong>" in page


def test_items_of_the_past_are_put_into_the_feed(collector: Collector) -> None:
    published("near", material=["Villeurbanne"])
    published("far", material=["Paris"])
    search = collector.searches(NEAR_LYON)
    assert existing.add_existing(search, now=timezone.now(), clock=time.monotonic) == 1
    assert found() == {("near", NEAR_LYON)}


@pages
def test_a_search_is_proposed_that_would_not_have_found_an_item(reader: Client, collector: Collector) -> None:
    event = published("near", material=["Villeurbanne"], category="table")
    search = collector.searches(NEAR_LYON)
    Match.objects.create(event=event, subscription=search, owner=collector.user, matched_at=NOW)
    (proposed,) = reader.get(f"/feed/items/{event.pk}/less").context["proposals"]
    assert {each.attribute for each in proposed.narrowings} == {"category", "material"}
    assert all(each.text.startswith(f"{NEAR_LYON} and ") for each in proposed.narrowings)


# An operator that fails -------------------------------------------------------------------------------------


def test_an_operator_that_fails_is_left_alone_and_told_of_and_nothing_else_changes(
    collector: Collector, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(User.objects.create_superuser("staff@example.org"))
    with installed_broken(monkeypatch):
        collector.searches("broken(material, ?count) and ?count < 5")
        collector.searches("price < 200 or broken(material, ?count) and ?count < 5", name="either")
        collector.searches(NEAR_LYON)
        for number in range(8):
            waiting(f"lot {number}", material=["Lyon"])
        live = LiveMatcher("quarantining")
        live.start_operators()
        drain(live)
        assert Match.objects.count() == 16
        assert not PublishedEvent.objects.exclude(state=PublishedEvent.State.MATCHED).exists()
        states = {state.name: state for state in live.operator_states()}
        assert (states["broken"].failures, states["broken"].skipped) == (5, 3)
        operator_states.count(live.operator_states())
        matchers.record(WHOLE, described(live))
        answer = client.get("/operations")
        sentences = [each.sentence for each in answer.context["troubles"]]
        (said,) = [each for each in sentences if each.startswith("The operator broken")]
        assert "has failed 5 times within" in said
        assert "LookupError: its table is gone" in said
        assert "It is left alone for" in said
        assert "The operator at elsewhere:odd is left out: it is odd." in sentences
        assert "5 evaluations" in answer.content.decode()
        search = Subscription.objects.get(name="either")
        (shown,) = items_of([Match.objects.filter(subscription=search)[0]])
        assert [held.words for held in shown.reasons[0].why] == ["price below 200 EUR: 180 EUR"]
    # Once the plug-in is gone its searches stay, and their pages too.
    assert words_of(search.canonical, current_schema()) == search.canonical
    (shown,) = items_of([Match.objects.filter(subscription=search)[0]])
    assert shown.reasons[0].why == ()


@pages
def test_those_who_read_stored_conjunctions_read_these_too(collector: Collector) -> None:
    search = collector.searches(f"category = table and {NEAR_LYON}")
    wishes = Wishes()
    WishReader(current_schema()).read(search.compiled, wishes)
    assert wishes.places == {("category", "table")}
    change = ProposedChange(rule=SchemaVersion.Rule.DEPRECATE, attributes=("material",))
    (sentence,) = schema_impact.impact_on_subscriptions(change)
    assert sentence.startswith("1 search of 1 person asks for it")
