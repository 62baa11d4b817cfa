"""The list of searches: what it shows, whom it obeys, and how much work it makes."""

import re
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags
from pytest_django import Settings

from matching import daily_counts, services
from matching.models import DailyCount, Match, Subscription
from notifications import selectors, terms
from notifications.core.policy import Frequency
from notifications.pages import searches_bulk
from schema_registry.accounts.models import User
from tests.integration.collector import Collector, item, match

pytestmark = pytest.mark.django_db

HTMX, BOM = {"HX-Request": "true"}, b"\xef\xbb\xbf"


@pytest.fixture
def collector(client: Client) -> Collector:
    somebody = Collector()
    client.force_login(somebody.user)
    return somebody


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def five(collector: Collector, now: datetime) -> dict[str, Subscription]:
    """One in each state, and one that never ends."""
    made = {
        name: services.subscribe(
            collector.user, text, name=name, now=now - timedelta(days=age), valid_days=days
        )
        for name, text, age, days in (
            ("Tables", "category <= table and price <= 200", 1, 30),
            ("Oak", "material = oak", 0, None),
            ("Quiet", "title contains clock", 0, 90),
            ("Resting", "price <= 5", 0, 30),
            ("Over", "price <= 6", 40, 30),
        )
    }
    rows = {name: each.subscription for name, each in made.items()}
    services.change(rows["Quiet"], state=services.State.MUTED, now=now)
    services.change(rows["Resting"], state=services.State.PAUSED, now=now)
    return rows


def text(answer: Any) -> str:
    return re.sub(r"\s+", " ", strip_tags(answer.content.decode()))


def names(answer: Any) -> list[str]:
    return [row.name for row in answer.context["rows"]]


def states(owner: User) -> dict[str, str]:
    return dict(Subscription.objects.filter(owner=owner).values_list("name", "state"))


class TestTheList:
    def test_a_row_says_what_how_much_how_often_and_until_when(
        self, client: Client, collector: Collector, five: dict[str, Subscription], now: datetime
    ) -> None:
        terms.choose(five["Oak"], frequency=Frequency.DAILY)
        found = match(item(), five["Tables"])
        Match.objects.filter(pk=found.pk).update(matched_at=now - timedelta(hours=3))
        DailyCount.objects.create(subscription=five["Tables"], day=now.date(), count=12)
        shown = text(client.get("/searches"))
        for words in (
            "Tables category is a kind of Tables, and price at most 200 EUR",
            "12 in 30 days last 3 h ago tells you at once ends in 28 days",
            "tells you once a day at most never ends",
            "muted finds are only in your feed ends in 89 days",
            "paused we do not look for it",
            "ended we no longer look for it ended 10 days ago",
            "none in 30 days nothing found yet",
            "All 5 Active 2 Paused 1 Muted 1 Ended 1",
        ):
            assert words in shown, words

    def test_it_is_filtered_searched_and_sorted(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        match(item(), five["Tables"])
        match(item("lot 8"), five["Quiet"])
        for query, expected in {
            "": ["Over", "Resting", "Quiet", "Oak", "Tables"],
            "?state=active": ["Oak", "Tables"],
            "?state=expired": ["Over"],
            "?state=odd&sort=odd&page=odd": ["Over", "Resting", "Quiet", "Oak", "Tables"],
            "?q=PRICE": ["Over", "Resting", "Tables"],
            "?q=table 200": ["Tables"],
            "?q=quiet&state=muted": ["Quiet"],
            "?sort=name": ["Oak", "Over", "Quiet", "Resting", "Tables"],
            "?sort=last-match": ["Quiet", "Tables", "Over", "Resting", "Oak"],
            "?sort=ends": ["Over", "Tables", "Resting", "Quiet", "Oak"],
            "?q=nothing-like-it": [],
            "?page=99": ["Over", "Resting", "Quiet", "Oak", "Tables"],
        }.items():
            assert names(client.get(f"/searches{query}")) == expected, query
        assert "No search fits." in text(client.get("/searches?q=nothing-like-it"))
        assert "All 3 Active 1 Paused 1 Muted 0 Ended 1" in text(client.get("/searches?q=price"))

    def test_what_is_hostile_in_a_name_stays_words(self, client: Client, collector: Collector) -> None:
        collector.searches(name="<script>alert(1)</script>", days=None)
        assert "<script>alert(1)" not in client.get("/searches").content.decode()

    def test_others_see_none_of_it(self, client: Client, five: dict[str, Subscription]) -> None:
        client.force_login(User.objects.create_user("other@example.org"))
        assert "Tables" not in text(client.get("/searches"))
        client.logout()
        assert client.get("/searches").headers["Location"] == "/accounts/login/?next=/searches"

    def test_an_empty_list_teaches(self, client: Client, collector: Collector) -> None:
        item(attributes={"category": ["dining-table"]})
        page = client.get("/searches")
        assert "Make your first search" in text(page)
        assert "Category is a kind of Tables, and price at most 200 EUR" in text(page)
        link = "/searches/new?text=category%20%3C%3D%20table%20and%20price%20%3C%3D%20200"
        assert link in page.content.decode()
        assert "/searches/import" in page.content.decode()

    def test_however_many_there_are_a_page_takes_as_many_queries(
        self, client: Client, collector: Collector, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(60):
            match(item(str(number)), collector.searches(f"price <= {number}", name=f"n {number}"))
        daily_counts.count(now=timezone.now(), clock=time.monotonic)
        client.get("/searches")
        with django_assert_max_num_queries(10):
            page = client.get("/searches?sort=last-match&q=n")
        assert len(page.context["rows"]) == 50
        assert "1 to 50 of 60" in text(page)
        assert len(client.get("/searches?page=2").context["rows"]) == 10


class TestOneSearch:
    def test_it_is_paused_muted_resumed_and_renewed(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        oak, over = five["Oak"], five["Over"]
        for verb, state in {"pause": "paused", "resume": "active", "mute": "muted"}.items():
            answer = client.post(f"/searches/{oak.pk}/{verb}", {"back": "state=active&page=1"}, follow=True)
            assert answer.redirect_chain == [("/searches?state=active", 302)]
            assert states(collector.user)["Oak"] == state
            assert "“Oak” is" in text(answer)
        client.post(f"/searches/{over.pk}/renew")
        over.refresh_from_db()
        assert over.state == "active"
        assert over.expires_at is not None
        assert over.expires_at > timezone.now() + timedelta(days=29)

    def test_htmx_gets_the_row_the_counts_and_a_word(
        self, client: Client, five: dict[str, Subscription]
    ) -> None:
        oak = five["Oak"]
        answer = client.post(f"/searches/{oak.pk}/pause", headers=HTMX)
        body = answer.content.decode()
        assert body.count(f'id="search-{oak.pk}"') == 1
        assert "<html" not in body
        assert "All 5 Active 1 Paused 2" in text(answer)
        assert "“Oak” is paused." in text(answer)

    def test_one_that_has_ended_is_renewed_first(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        address = f"/searches/{five['Over'].pk}/pause"
        assert "“Over” has ended. Renew it first." in text(client.post(address, follow=True))
        row = client.post(address, headers=HTMX).content.decode()
        assert '<p class="note error" role="alert">“Over” has ended. Renew it first.</p>' in row
        assert Subscription.objects.get(name="Over").state != "paused"

    def test_what_is_deleted_can_be_taken_back(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        quiet = five["Quiet"]
        page = client.post(f"/searches/{quiet.pk}/delete", follow=True)
        assert "1 search is deleted." in text(page)
        assert states(collector.user)["Quiet"] == "removed"
        assert "1 search is back." in text(client.post("/searches/undo", follow=True))
        assert states(collector.user)["Quiet"] == "muted"

    def test_htmx_gets_an_undo_in_its_place_and_then_the_row(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        number = five["Quiet"].pk
        answer = client.post(f"/searches/{number}/delete", headers=HTMX)
        assert "“Quiet” is deleted. Undo" in text(answer)
        assert "1 search is deleted." in text(client.get("/searches")), "whoever loads the page anew, too"
        answer = client.post(f"/searches/{number}/restore", headers=HTMX)
        assert "finds are only in your feed" in text(answer)
        assert "deleted" not in text(client.get("/searches"))
        assert states(collector.user)["Quiet"] == "muted"

    def test_there_may_be_no_room_to_bring_it_back(
        self, client: Client, collector: Collector, five: dict[str, Subscription], settings: Settings
    ) -> None:
        client.post(f"/searches/{five['Oak'].pk}/delete")
        settings.MOST_SUBSCRIPTIONS_PER_OWNER = 4
        for answer in (
            client.post(f"/searches/{five['Oak'].pk}/restore", follow=True),
            client.post("/searches/undo", follow=True),
        ):
            assert "You may have 4 searches; this would be too many." in text(answer)
        assert states(collector.user)["Oak"] == "removed"
        settings.MOST_SUBSCRIPTIONS_PER_OWNER = 5
        assert "1 search is back." in text(client.post("/searches/undo", follow=True)), "it was not forgotten"
        assert states(collector.user)["Oak"] == "active"

    def test_a_copy_begins_as_it_is(self, client: Client, five: dict[str, Subscription]) -> None:
        answer = client.get(f"/searches/{five['Tables'].pk}/duplicate")
        expected = "/searches/new?text=category+%3C%3D+table+and+price+%3C%3D+200&name=Copy+of+Tables"
        assert answer.headers["Location"] == expected

    def test_looking_at_an_action_does_nothing(self, client: Client, five: dict[str, Subscription]) -> None:
        for verb in ("pause", "mute", "resume", "renew", "delete", "restore"):
            assert client.get(f"/searches/{five['Oak'].pk}/{verb}").status_code == 405

    def test_one_of_somebody_else_is_not_there(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        client.force_login(User.objects.create_user("other@example.org"))
        before = states(collector.user)
        for verb in ("pause", "mute", "resume", "renew", "delete", "restore"):
            assert client.post(f"/searches/{five['Oak'].pk}/{verb}").status_code == 404
        assert client.get(f"/searches/{five['Oak'].pk}/duplicate").status_code == 404
        assert states(collector.user) == before


class TestMany:
    def test_the_ticked_ones_are_changed_and_those_of_others_are_not(
        self, client: Client, collector: Collector, five: dict[str, Subscription], now: datetime
    ) -> None:
        stranger = User.objects.create_user("other@example.org")
        foreign = services.subscribe(stranger, "price <= 1", name="Foreign", now=now).subscription
        ticked = [five["Tables"].pk, five["Over"].pk, foreign.pk, 2**70, "odd"]
        answer = client.post(
            "/searches/actions", {"which": "chosen", "action": "pause", "number": ticked}, follow=True
        )
        assert "1 search is paused. 1 was left as it is" in text(answer)
        assert states(collector.user)["Tables"] == "paused"
        assert states(stranger) == {"Foreign": "active"}

    def test_each_action_has_its_effect(
        self, client: Client, collector: Collector, five: dict[str, Subscription], now: datetime
    ) -> None:
        def do(action: str) -> str:
            return text(client.post("/searches/actions", {"which": "all", "action": action}, follow=True))

        assert "3 searches are muted. 2 were left as they are" in do("mute")
        assert "5 searches are renewed." in do("renew:365")
        soonest = Subscription.objects.order_by("expires_at")[0]
        assert soonest.expires_at is not None
        assert soonest.expires_at > now + timedelta(days=364)
        assert "4 searches are active again. 1 was left as it is" in do("resume")
        assert "changed for 5 searches." in do("tell:weekly")
        told = {selectors.terms_of(row).frequency for row in Subscription.objects.select_related("terms")}
        assert told == {"weekly"}
        assert "Choose what to do with them." in do("odd")
        assert "Tick the searches first" in text(
            client.post("/searches/actions", {"which": "chosen", "action": "pause"}, follow=True)
        )

    def test_telling_less_often_leaves_the_other_terms(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        terms.choose(five["Oak"], channels=[collector.channel.pk])
        client.post("/searches/actions", {"which": "all", "action": "tell:daily"})
        chosen = selectors.terms_of(Subscription.objects.get(name="Oak"))
        assert (chosen.frequency, chosen.every_channel) == ("daily", False)
        assert selectors.chosen_channels(chosen) == [collector.channel.pk]

    def test_a_whole_list_is_deleted_and_comes_back_as_it_was(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        before = states(collector.user)
        body = {"which": "all", "action": "delete", "back": "q=price"}
        assert "3 searches are deleted." in text(client.post("/searches/actions", body, follow=True))
        assert list(states(collector.user).values()).count("removed") == 3
        assert "3 searches are back." in text(client.post("/searches/undo", {"back": ""}, follow=True))
        assert states(collector.user) == before

    def test_with_htmx_many_go_in_portions_that_say_how_far_they_are(
        self,
        client: Client,
        collector: Collector,
        five: dict[str, Subscription],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(searches_bulk, "PORTION", 2)
        before = states(collector.user)
        body: dict[str, Any] = {"which": "all", "action": "delete", "total": 5}
        seen = follow_progress(client, "/searches/actions", body)
        assert seen == ["2 of 5 done.", "4 of 5 done."]
        assert set(states(collector.user).values()) == {"removed"}
        seen = follow_progress(client, "/searches/undo", {})
        assert seen == ["2 of 5 done.", "4 of 5 done."]
        assert states(collector.user) == before

    def test_what_leaves_the_list_by_the_action_does_not_make_it_skip_any(
        self,
        client: Client,
        collector: Collector,
        five: dict[str, Subscription],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(searches_bulk, "PORTION", 1)
        body = {"which": "all", "action": "pause", "total": 2, "back": "state=active"}
        follow_progress(client, "/searches/actions", body)
        assert [states(collector.user)[name] for name in ("Tables", "Oak")] == ["paused", "paused"]


def follow_progress(client: Client, address: str, body: dict[str, Any]) -> list[str]:
    """As the page does it: each answer holds the form of the next request."""
    seen: list[str] = []
    while True:
        answer = client.post(address, body, headers=HTMX)
        if "HX-Redirect" in answer.headers:
            return seen
        seen.append(re.findall(r"\d+ of \d+ done\.", text(answer))[0])
        hidden = re.findall(r'name="(\w+)" value="([^"]*)"', answer.content.decode())
        body = {name: value for name, value in hidden if name != "csrfmiddlewaretoken"}


class TestFiles:
    def test_an_export_comes_back_by_an_import(
        self, client: Client, collector: Collector, five: dict[str, Subscription]
    ) -> None:
        terms.choose(five["Oak"], frequency=Frequency.DAILY)
        export = client.get("/searches/export")
        assert export.headers["Content-Disposition"] == 'attachment; filename="lesubscribe-searches.json"'
        other = User.objects.create_user("other@example.org")
        client.force_login(other)
        services.subscribe(other, "material = oak", name="Oak", now=timezone.now())
        answer = client.post("/searches/import", {"file": upload(export.content)}, follow=True)
        assert "4 searches were imported. 1 was skipped: you have it already." in text(answer)
        answer = client.post("/searches/import", {"file": upload(BOM + export.content)}, follow=True)
        assert "5 were skipped: you have them already." in text(answer)
        assert states(other)["Quiet"] == "muted"

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            (b"no json", "This is not JSON: here should be a value (line 1, column 1)."),
            ("é".encode("utf-16"), "This file is not UTF-8. Save it with this encoding, and try again."),
            (b"", "The submitted file is empty."),
            (b" " * 8_000_001, "This file is over 8 MB, the most that is taken."),
            (b'{"format": 5}', "Nothing was imported: this is no file that “Export” gave."),
        ],
    )
    def test_what_is_wrong_with_a_file_stands_beside_it(
        self, client: Client, collector: Collector, body: bytes, words: str
    ) -> None:
        answer = client.post("/searches/import", {"file": upload(body)})
        assert answer.status_code == 422
        assert words in text(answer)
        assert not Subscription.objects.exists()

    def test_a_faulty_search_is_named_by_its_place_and_nothing_is_imported(
        self, client: Client, collector: Collector
    ) -> None:
        entry = '{"name": "a", "text": "%s", "state": "active", "expires_at": null}'
        document = (
            '{"format": "lesubscribe-subscriptions", "version": 1, "exported_at": "2026-11-15T12:00:00Z",'
            f' "subscriptions": [{entry % "price < 5"}, {entry % "prise < 5"}]}}'
        )
        shown = text(client.post("/searches/import", {"file": upload(document.encode())}))
        assert "Nothing was imported: something in this file is wrong." in shown
        assert "subscriptions[1].text" in shown
        assert not Subscription.objects.exists()

    def test_a_file_for_which_there_is_no_room_is_refused_in_the_words_of_the_pages(
        self, client: Client, five: dict[str, Subscription], settings: Settings
    ) -> None:
        export = client.get("/searches/export")
        client.force_login(User.objects.create_user("other@example.org"))
        settings.MOST_SUBSCRIPTIONS_PER_OWNER = 4
        answer = client.post("/searches/import", {"file": upload(export.content)})
        assert "You may have 4 searches; this would be too many. Delete some first." in text(answer)

    def test_without_a_file_it_asks_for_one(self, client: Client, collector: Collector) -> None:
        assert "This field is required." in text(client.post("/searches/import"))
        assert client.get("/searches/import").status_code == 200


def upload(body: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("searches.json", body, content_type="application/json")
