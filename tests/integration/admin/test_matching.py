"""Subscriptions, events and matches in the admin: what staff see, and what they may do."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from matching import services
from matching.admin import counting, events
from matching.models import Match, MatchWork, PublishedEvent, Subscription, SubscriptionChange
from matching.parked import NotParked, retry
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from tests.integration import cached
from tests.integration.admin.items import match_all, parked, published
from tests.integration.admin.pages import MATCHING_PARTS, address, ask, listed, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("schema")]


class TestSubscriptions:
    def test_the_list_tells_whose_they_are_and_how_they_do(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        match_all()
        shown = text(page.get(address("subscription", "changelist")))
        assert "Kitchen category <= table and price <= 200 collector@example.org active" in shown
        assert [row.match_count for row in listed(page, "subscription")] == [1]

    def test_they_are_found_by_text_name_owner_and_state(
        self, page: Client, subscription: Subscription
    ) -> None:
        other = User.objects.create_user("other@example.org")
        cheap = services.subscribe(other, "price <= 5", now=timezone.now()).subscription
        services.change(cheap, now=timezone.now(), state=Subscription.State.PAUSED)
        past = timezone.now() - timedelta(days=40)
        old = services.subscribe(other, "price <= 6", now=past).subscription
        for query, found in {
            "?q=kitchen": [subscription],
            "?q=price 200": [subscription],
            "?q=COLLECTOR@": [subscription],
            "?q=nobody@": [],
            "?state=active": [subscription],
            "?state=paused": [cheap],
            "?state=expired": [old],
            "?state=removed": [],
            "?state=odd": [old, cheap, subscription],
        }.items():
            assert listed(page, "subscription", query) == found, query

    def test_pausing_and_resuming_are_asked_about_logged_and_noted(
        self, page: Client, subscription: Subscription
    ) -> None:
        asked = text(page.get(ask("pause", subscription)))
        assert "It belongs to collector@example.org and looks for: category <= table" in asked
        assert self.state_of(subscription) == "active"
        page.post(ask("pause", subscription), {"why": "too many matches"})
        assert self.state_of(subscription) == "paused"
        page.post(ask("resume", subscription))
        assert self.state_of(subscription) == "active"
        changes = SubscriptionChange.objects.filter(subscription=subscription).order_by("sequence")
        assert [change.is_matched for change in changes] == [True, False, True]
        notes = [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]
        assert notes == ["Pause. too many matches", "Resume."]

    def test_a_removed_one_stays_removed(self, page: Client, subscription: Subscription) -> None:
        page.post(ask("remove", subscription))
        assert self.state_of(subscription) == "removed"
        for question in ("pause", "resume", "remove"):
            assert "It is removed." in text(page.get(ask(question, subscription)))
            page.post(ask(question, subscription))
            assert self.state_of(subscription) == "removed"

    def test_an_expired_one_can_only_be_removed(self, page: Client, owner: User) -> None:
        past = timezone.now() - timedelta(days=40)
        expired = services.subscribe(owner, "price <= 5", now=past).subscription
        content = page.get(address("subscription", "change", expired.pk)).content.decode()
        assert "/ask/remove/" in content
        assert "/ask/pause/" not in content
        page.post(ask("pause", expired))
        assert self.state_of(expired) == "active"  # as stored; its expiry makes it an expired one

    def test_one_of_several_that_cannot_be_is_named_and_the_others_are_done(
        self, page: Client, subscription: Subscription, owner: User
    ) -> None:
        paused = services.subscribe(owner, "price <= 5", now=timezone.now(), name="Cheap").subscription
        services.change(paused, now=timezone.now(), state=Subscription.State.PAUSED)
        answer = page.post(ask("pause", subscription, paused), follow=True)
        assert "Done for Kitchen." in text(answer)
        assert "Cheap: It is paused." in text(answer)

    def test_matches_are_counted_only_so_far(
        self,
        page: Client,
        subscription: Subscription,
        house: Publisher,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        for number in range(3):
            published(house, f"lot {number}")
        match_all()
        monkeypatch.setattr(counting, "MOST_COUNTED", 2)
        monkeypatch.setattr("matching.admin.subscriptions.MOST_COUNTED", 2)
        assert counting.match_counts([subscription.pk]) == {subscription.pk: 3}
        assert "2+" in text(page.get(address("subscription", "change", subscription.pk)))

    def state_of(self, subscription: Subscription) -> str:
        return Subscription.objects.get(pk=subscription.pk).state


class TestEvents:
    def test_the_list_tells_what_became_of_them(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        match_all()
        shown = text(page.get(address("publishedevent", "changelist")))
        assert "A dining table lot 7 Drouot matched" in shown

    def test_they_are_found_by_id_title_state_publisher_and_date(
        self, page: Client, event: PublishedEvent
    ) -> None:
        other = published(publisher_named("Ader", state=Publisher.State.APPROVED), "x-1")
        services.withdraw(other)
        PublishedEvent.objects.filter(pk=other.pk).update(accepted_at=timezone.now() - timedelta(days=9))
        for query, found in {
            "?q=x-1": [other],
            "?q=dining table": [event],
            "?q=oak": [],
            "?state__exact=withdrawn": [other],
            f"?publisher={event.publisher_id}": [event],
            "?publisher=x": [other, event],
            f"?publisher={'9' * 40}": [other, event],
            f"?accepted_at__gte={timezone.now() - timedelta(days=2):%Y-%m-%d}%2000:00:00%2b00:00": [event],
        }.items():
            assert listed(page, "publishedevent", query) == found, query

    def test_words_are_looked_for_among_the_newest_and_ids_among_all(
        self, page: Client, event: PublishedEvent, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(events, "MOST_SEARCHED", 1)
        newest = published(publisher_named("Ader", state=Publisher.State.APPROVED), "x-1")
        for query, found in {
            "?q=dining table": [],
            f"?q={event.external_id}": [event],
            f"?q={event.external_id[:2]}": [],
            "?q=x-": [newest],
        }.items():
            assert listed(page, "publishedevent", query) == found, query

    def test_the_page_shows_attributes_readably_with_the_matches(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        match_all()
        shown = text(page.get(address("publishedevent", "change", event.pk)))
        assert "price 140 EUR" in shown
        assert "category furniture > Tables > dining table" in shown
        assert "Kitchen collector@example.org" in shown

    def test_only_some_of_many_matches_are_shown(
        self, page: Client, owner: User, event: PublishedEvent, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(4):
            services.subscribe(owner, f"price <= {200 + number}", now=timezone.now())
        match_all()
        monkeypatch.setattr(events, "MATCHES_SHOWN", 3)
        answer = page.get(address("publishedevent", "change", event.pk))
        assert "And 1 more." in text(answer)
        everything = answer.context["matches_url"]
        assert len(page.get(everything).context["cl"].result_list) == 4

    def test_withdrawing_takes_its_work_away(self, page: Client, event: PublishedEvent) -> None:
        assert "Drouot sent it as lot 7, revision 1." in text(page.get(ask("withdraw", event)))
        page.post(ask("withdraw", event), {"why": "sold elsewhere"})
        event.refresh_from_db()
        assert event.state == "withdrawn"
        assert not MatchWork.objects.exists()
        assert LogEntry.objects.get().get_change_message() == "Withdrawn. sold elsewhere"
        assert "It is withdrawn already." in text(page.get(ask("withdraw", event)))

    def test_a_parked_one_tells_why_and_is_matched_when_tried_again(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        parked(event)
        assert listed(page, "publishedevent", "?state__exact=parked") == [event]
        assert "No worker survived matching it 5 times." in text(
            page.get(address("publishedevent", "change", event.pk))
        )
        page.post(ask("retry", event), {"why": "fixed the operator"})
        event.refresh_from_db()
        assert (event.state, event.reason) == ("accepted", "")
        assert list(MatchWork.objects.values_list("event", "attempts")) == [(event.pk, 0)]
        match_all()
        event.refresh_from_db()
        assert (event.state, event.match_count) == ("matched", 1)
        assert Match.objects.get().subscription == subscription

    def test_what_is_not_parked_is_not_tried_again(self, page: Client, event: PublishedEvent) -> None:
        assert "It is not parked." in text(page.get(ask("retry", event)))
        answer = page.post(ask("retry", event), follow=True)
        assert "A dining table is not parked." in text(answer)
        with pytest.raises(NotParked):
            retry(event)
        assert MatchWork.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_trying_again_wakes_a_worker(event: PublishedEvent) -> None:
    parked(event)
    cached.forget()
    retry(event)
    assert not cache.add("matching.tasks.drain-is-on-its-way-to-match", True)


class TestMatches:
    def test_the_list_and_the_page_tell_who_was_found_what_and_why(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        match_all()
        assert "A dining table Kitchen collector@example.org" in text(
            page.get(address("match", "changelist"))
        )
        shown = text(page.get(address("match", "change", Match.objects.get().pk)))
        assert "category <= table (dining table)" in shown
        assert "price <= 200 (140)" in shown

    def test_they_are_found_by_owner_event_and_subscription(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        match_all()
        match = Match.objects.get()
        for query, found in {
            "?q=collector@example": [match],
            "?q=other": [],
            f"?event__id__exact={event.pk}": [match],
            f"?event__id__exact={event.pk + 1}": [],
            f"?subscription__id__exact={subscription.pk}": [match],
        }.items():
            assert listed(page, "match", query) == found, query

    def test_a_text_that_was_changed_since_is_no_riddle(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        match_all()
        services.change(subscription, now=timezone.now(), text="price > 1000")
        shown = text(page.get(address("match", "change", Match.objects.get().pk)))
        assert "Its text was changed since and no longer matches." in shown


class TestRights:
    def test_nothing_is_added_edited_or_deleted_by_a_form(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        match_all()
        for row in (subscription, event, Match.objects.get()):
            part = str(row._meta.model_name)
            assert page.get(address(part, "add")).status_code == 403
            assert page.post(address(part, "change", row.pk), {"name": "other"}).status_code == 403
            assert page.post(address(part, "delete", row.pk), {"post": "yes"}).status_code == 403
            row.refresh_from_db()

    def test_who_may_only_look_does_nothing_else(
        self, client: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        user = User.objects.create_user("some@example.org", is_staff=True)
        allowed = [f"view_{part}" for part in MATCHING_PARTS]
        user.user_permissions.set(Permission.objects.filter(codename__in=allowed))
        client.force_login(user)
        for row, question in ((subscription, "remove"), (event, "withdraw")):
            content = client.get(address(str(row._meta.model_name), "change", row.pk)).content.decode()
            assert "/ask/" not in content
            assert client.post(ask(question, row)).status_code == 403
        event.refresh_from_db()
        assert event.state == "accepted"

    def test_matches_are_shown_to_those_who_may_see_matches(
        self, client: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        match_all()
        user = User.objects.create_user("some@example.org", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename="view_publishedevent"))
        client.force_login(user)
        assert "collector@example.org" not in text(client.get(address("publishedevent", "change", event.pk)))
        for part in ("subscription", "match"):
            assert client.get(address(part, "changelist")).status_code == 403
