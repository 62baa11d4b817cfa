"""The operations page: each kind of trouble, brought about for real, is said there and can be mended."""

import re
from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from lesubscribe import health
from lesubscribe.operations import asking, lists, looking, sampling
from matching import leases
from matching.models import MatchWork, NightlyRun, PublishedEvent, Subscription
from notifications import channels, sending
from notifications.core.attempts import MOST_ATTEMPTS
from notifications.models import Channel, Delivery
from schema_registry.accounts.models import Publisher, User
from tests.integration import cached
from tests.integration.admin.items import match_all, parked, published
from tests.integration.admin.operating import QUEUES, notes, said, shown
from tests.integration.admin.pages import text
from tests.integration.lots import make_lots
from tests.integration.nightly.nights import a_night
from tests.integration.waiting import add_channel, let_time_pass, plan
from tests.sinks import Behaviour, HttpSink

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("workers_answer")]

DIED = "No worker survived matching it 5 times."


class TestTrouble:
    def test_nothing_is_wrong_when_all_workers_answer(self, page: Client) -> None:
        assert "Nothing is wrong." in shown(page)

    def test_no_worker_answers(self, page: Client) -> None:
        cached.forget()
        assert said(page) == ["No worker answers, on any queue: they are stopped, or the scheduler is."]
        for queue in QUEUES[1:]:
            health.record_probe(queue)
        assert said(page) == ["No worker of the queue “match” has answered yet."]
        assert "match silent has not answered yet" in shown(page)

    def test_redis_is_away(self, page: Client, settings: Settings) -> None:
        settings.REDIS_URL = "unix:///nowhere/redis.sock"
        (sentence,) = said(page)
        assert sentence.startswith("Redis does not answer: ")

    def test_events_have_waited_for_too_long(self, page: Client, event: PublishedEvent) -> None:
        assert said(page) == []  # it has just come
        PublishedEvent.objects.update(accepted_at=timezone.now() - timedelta(minutes=3))
        assert said(page) == ["Matching is late: 1 event waits, for 3 min."]
        assert "A dining table" in text(page.get("/operations/waiting"))

    def test_so_many_wait_that_publishers_are_refused(
        self, page: Client, house: Publisher, event: PublishedEvent, settings: Settings
    ) -> None:
        published(house, "lot 8")
        settings.BACKLOG_LIMIT = 1
        sampling.sample(now=timezone.now())
        assert said(page) == ["Too many events wait, so publishers are asked to come again later."]
        assert "1+" in shown(page)

    def test_a_webhook_fails(self, page: Client, webhook: Channel, sink: HttpSink) -> None:
        sink.behave(Behaviour(status=500))
        plan(webhook)
        sending.deliver(seconds=600)
        Channel.objects.update(failing_since=timezone.now() - timedelta(hours=3))
        assert "1 webhook failing for 3 h." in said(page)
        assert f"{sink.url('/hook')} webhook · collector@example.org failing" in shown(page)
        assert re.search(r"The receiver answered 500.* 1 failure in a row", shown(page))
        sink.behave(Behaviour())
        let_time_pass()
        sending.deliver(seconds=600)
        assert said(page) == []

    def test_a_webhook_that_says_it_is_gone_is_switched_off_and_can_be_switched_on(
        self, page: Client, webhook: Channel, sink: HttpSink
    ) -> None:
        sink.behave(Behaviour(status=410))
        plan(webhook)
        sending.deliver(seconds=600)
        assert said(page) == ["1 channel was switched off because nothing arrived there."]
        page.post(f"/operations/channels/{webhook.pk}/enable", {"why": "they have moved back"})
        assert said(page) == []
        webhook.refresh_from_db()
        assert webhook.state == "active"
        page.post(f"/operations/channels/{webhook.pk}/disable", {"why": "they asked for it"})
        webhook.refresh_from_db()
        assert (webhook.state, webhook.reason) == ("disabled", "they asked for it")
        assert [told for _, told in notes()] == [
            "Switch on. they have moved back",
            "Switch off. they asked for it",
        ]

    def test_a_channel_that_its_owner_switched_off_is_no_trouble(
        self, page: Client, webhook: Channel
    ) -> None:
        Channel.objects.update(failures=3, failing_since=timezone.now())
        assert len(said(page)) == 1
        Channel.objects.update(state="disabled", reason=channels.BY_OWNER)
        assert said(page) == []

    def test_deliveries_are_due_and_nobody_sends_them(self, page: Client, webhook: Channel) -> None:
        plan(webhook, count=2)
        Delivery.objects.update(next_attempt_at=timezone.now() - timedelta(minutes=4))
        assert said(page) == ["Sending is late: 2 deliveries are due, the first for 4 min."]
        assert "collector@example.org" in text(page.get("/operations/deliveries"))

    def test_many_that_wait_for_a_channel_which_is_off_do_not_hide_that_others_are_late(
        self, page: Client, owner: User, webhook: Channel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(looking, "MOST_LOOKED_AT", 3)
        off = add_channel(owner, "https://off.example.org/", state="disabled")
        plan(off, count=5)
        Delivery.objects.update(next_attempt_at=timezone.now() - timedelta(days=2))
        (late,) = plan(webhook)
        Delivery.objects.filter(pk=late.pk).update(next_attempt_at=timezone.now() - timedelta(minutes=4))
        assert said(page) == ["Sending is late: 1 delivery is due, for 4 min."]

    def test_a_night_failed_and_the_next_one_went_well(self, page: Client) -> None:
        make_lots()
        run = a_night(date(2026, 11, 15))
        NightlyRun.objects.update(
            state="failed", problem="Traceback\nJava was killed.", ended_at=timezone.now()
        )
        (sentence,) = said(page)
        assert re.fullmatch(r"The night of lots on .* failed: Java was killed\.", sentence)
        assert f"/admin/matching/nightlyrun/{run.pk}/report/" in page.get("/operations").content.decode()
        a_night(date(2026, 11, 16))
        assert said(page) == []


class TestParkedEvents:
    def test_one_is_understood_and_tried_again_until_it_is_matched(
        self, page: Client, subscription: Subscription, event: PublishedEvent
    ) -> None:
        parked(event)
        assert said(page) == ["1 event is parked: no worker could match it."]
        assert f"{DIED} 1 event A dining table Drouot, lot 7" in shown(page)
        address = f"/operations/parked/{event.pk}/retry"
        assert f'href="{address}"' in page.get("/operations").content.decode()
        asked = text(page.get(address))
        assert "A dining table" in asked
        assert DIED in asked
        answer = page.post(address, {"why": "the worker has more memory now"}, follow=True)
        assert "Tried again: A dining table." in text(answer)
        match_all()
        event.refresh_from_db()
        assert (event.state, event.match_count) == ("matched", 1)
        assert said(page) == []
        assert "staff@example.org · Event: A dining table" in shown(page)
        assert "To be tried again. the worker has more memory now" in shown(page)

    def test_one_that_is_not_parked_any_more_is_left_alone(self, page: Client, event: PublishedEvent) -> None:
        assert "It is not parked." in text(page.get(f"/operations/parked/{event.pk}/retry"))
        answer = page.post(f"/operations/parked/{event.pk}/retry", follow=True)
        assert "is not parked." in text(answer)
        assert MatchWork.objects.count() == 1
        assert notes() == []

    def test_all_of_a_reason_are_tried_again_and_one_line_says_so(
        self, page: Client, house: Publisher, event: PublishedEvent, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        others = [published(house, f"lot {number}") for number in (8, 9, 10)]
        for each in (event, *others):
            parked(each)
        PublishedEvent.objects.filter(pk=others[2].pk).update(reason="Matching it failed (KeyError).")
        groups = lists.parked_by_reason()
        assert [(group.said, str(group.count)) for group in groups] == [
            (DIED, "3"),
            ("Matching it failed (KeyError).", "1"),
        ]
        address = f"/operations/parked/retry?{groups[0].query}"
        assert "3 events." in text(page.get(address))
        french = text(page.get(address, headers={"Accept-Language": "fr"}))
        assert "à sa comparaison aux recherches ; tentatives : 5." in french.replace("\xa0", " ")
        monkeypatch.setattr(asking, "MOST_AT_ONCE", 2)
        assert "There are more; try those again, too." in text(page.post(address, follow=True))
        assert "1 event is tried again." in text(page.post(address, {"why": "fixed"}, follow=True))
        assert "No event is parked for this reason any more." in text(page.post(address, follow=True))
        still = PublishedEvent.objects.filter(state="parked")
        assert [each.pk for each in still] == [others[2].pk]
        assert sorted(MatchWork.objects.values_list("event", "attempts")) == sorted(
            (each.pk, 0) for each in (event, *others[:2])
        )
        assert notes() == [
            (f"2 parked events: {DIED}", "To be tried again."),
            (f"1 parked event: {DIED}", "To be tried again. fixed"),
        ]

    def test_they_are_counted_only_so_far(
        self, page: Client, house: Publisher, event: PublishedEvent, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for each in (event, published(house, "lot 8"), published(house, "lot 9")):
            parked(each)
        monkeypatch.setattr(looking, "MOST_COUNTED", 2)
        monkeypatch.setattr(lists, "MOST_READ", 1)
        assert said(page) == ["2+ events are parked: no worker could match them."]
        (group,) = lists.parked_by_reason()
        assert group.count.is_more

    def test_one_tried_again_has_not_waited_since_it_was_first_accepted(
        self, page: Client, event: PublishedEvent
    ) -> None:
        PublishedEvent.objects.update(accepted_at=timezone.now() - timedelta(days=3))
        page.post(f"/operations/parked/{parked(event).pk}/retry")
        assert leases.waiting() == 1
        assert said(page) == []


class TestSending:
    def test_a_delivery_that_was_given_up_is_sent_again(
        self, page: Client, webhook: Channel, sink: HttpSink
    ) -> None:
        sink.behave(Behaviour(status=500))
        (delivery,) = plan(webhook)
        Delivery.objects.update(attempts=MOST_ATTEMPTS - 1)
        sending.deliver(seconds=600)
        assert "1 delivery was given up in the last 24 h." in said(page)
        assert "The receiver answered 500" in text(page.get(f"/operations/deliveries/{delivery.pk}/replay"))
        sink.behave(Behaviour())
        let_time_pass()
        page.post(f"/operations/deliveries/{delivery.pk}/replay", {"why": "they are back"})
        sending.deliver(seconds=600)
        delivery.refresh_from_db()
        assert delivery.state == "delivered"
        assert said(page) == []
        assert notes()[-1][1] == "To be sent again. they are back"

    def test_all_sending_is_halted_and_resumed(self, page: Client, webhook: Channel, sink: HttpSink) -> None:
        plan(webhook)
        assert "Halt all sending" in text(page.get("/operations/sending/halt"))
        page.post("/operations/sending/halt", {"why": "links lead nowhere"})
        assert sending.deliver(seconds=600) == 0
        assert said(page) == [
            (
                "All sending is halted: no notification goes out. staff@example.org halted it."
                " Why: links lead nowhere"
            )
        ]
        again = page.post("/operations/sending/halt", follow=True)
        assert "Sending is halted already." in text(again)
        page.post("/operations/sending/resume", {"why": "mended"})
        assert sending.deliver(seconds=600) == 1
        assert said(page) == []
        assert [told for _, told in notes()] == ["Halted. links lead nowhere", "Resumed. mended"]
