"""The operations page: who may see it and act, what is plotted, and what it tells of the parts."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from lesubscribe.operations import disk, looking, matchers, plots, sampling
from lesubscribe.operations.models import Sample
from matching.describing import described
from matching.live import LiveMatcher
from matching.models import PublishedEvent, Subscription
from matching.shards import WHOLE
from notifications.models import Channel, Delivery
from schema_registry.accounts.models import Publisher, User
from tests.integration.admin.items import match_all, parked, published
from tests.integration.admin.operating import notes, shown, staff_who_may
from tests.integration.admin.pages import text
from tests.integration.waiting import plan

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("workers_answer")]


class TestRights:
    ACTIONS = (
        "/operations/parked/{event}/retry",
        "/operations/parked/retry",
        "/operations/deliveries/{delivery}/replay",
        "/operations/channels/{channel}/enable",
        "/operations/channels/{channel}/disable",
        "/operations/sending/halt",
        "/operations/sending/resume",
    )
    PAGES = ("/operations", "/operations/state", "/operations/samples")
    LISTS = ("/operations/waiting", "/operations/deliveries")

    @pytest.fixture
    def addresses(self, event: PublishedEvent, webhook: Channel) -> list[str]:
        parked(event)
        (delivery,) = plan(webhook)
        Delivery.objects.update(state="dead", finished_at=timezone.now(), reason="It answered 500.")
        Channel.objects.update(failures=1, failing_since=timezone.now())
        there = {"event": event.pk, "delivery": delivery.pk, "channel": webhook.pk}
        return [each.format(**there) for each in self.ACTIONS]

    def test_to_others_it_is_not_there(self, client: Client, addresses: list[str]) -> None:
        everything = (*self.PAGES, *self.LISTS, *addresses)
        for address in everything:
            assert client.get(address).headers["Location"].startswith("/accounts/login/"), address
        for user in (
            User.objects.create_user("person@example.org"),
            staff_who_may("change_publishedevent", "change_delivery", "change_sendingswitch"),
        ):
            client.force_login(user)
            for address in everything:
                assert client.get(address).status_code == 404, address
            for address in addresses:
                assert client.post(address).status_code == 404, address

    def test_a_right_without_being_staff_is_none(self, client: Client) -> None:
        user = staff_who_may("view_operations")
        User.objects.update(is_staff=False)
        client.force_login(user)
        assert client.get("/operations").status_code == 404

    def test_who_may_only_see_the_page_sees_figures_and_nothing_behind_them(
        self, client: Client, addresses: list[str]
    ) -> None:
        noted = Client()
        noted.force_login(User.objects.create_superuser("staff@example.org"))
        noted.post(addresses[2], {"why": "to be seen by few"})
        Delivery.objects.update(state="dead")
        client.force_login(staff_who_may("view_operations"))
        page = client.get("/operations")
        assert "to be seen by few" in text(noted.get("/operations"))
        assert "1 event is parked" in text(page)
        links = ("/retry", "/replay", "/halt")
        hidden = ("A dining table", "collector@example.org", "127.0.0.1", "seen by few", *links)
        for private in hidden:
            assert private not in page.content.decode(), private
        for address in (*self.LISTS, *addresses):
            assert client.get(address).status_code == 404, address
        for address in addresses:
            assert client.post(address).status_code == 404, address
        assert len(notes()) == 1

    def test_who_may_look_but_not_change_is_offered_nothing_to_do(
        self, client: Client, addresses: list[str]
    ) -> None:
        looking_on = ("view_publishedevent", "view_channel", "view_delivery", "view_nightlyrun")
        client.force_login(staff_who_may("view_operations", *looking_on))
        page = client.get("/operations")
        assert "A dining table" in text(page)
        assert "/retry" not in page.content.decode()
        for address in self.LISTS:
            assert client.get(address).status_code == 200
        for address in addresses:
            assert client.post(address).status_code == 404, address

    def test_nothing_is_done_by_a_get_or_without_the_token(self, staff: User, addresses: list[str]) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(staff)
        for address in addresses:
            assert strict.get(address).status_code == 200
            assert strict.post(address, {"why": "x"}).status_code == 403, address
        assert notes() == []
        assert PublishedEvent.objects.get().state == "parked"

    def test_who_may_is_led_there(self, client: Client, page: Client) -> None:
        for address in ("/feed", "/admin/"):
            assert 'href="/operations"' in page.get(address).content.decode()
        other = Client()
        other.force_login(staff_who_may())
        for address in ("/feed", "/admin/"):
            assert 'href="/operations"' not in other.get(address).content.decode()


class TestSamples:
    def test_a_minute_is_written_down_once_with_what_happened_in_it(
        self, house: Publisher, subscription: Subscription, event: PublishedEvent
    ) -> None:
        now = timezone.now().replace(second=0, microsecond=0) + timedelta(minutes=1)
        assert sampling.sample(now=now).matched is None  # nothing to compare with yet
        published(house, "lot 8")
        match_all()
        published(house, "lot 9")
        sampling.sample(now=now + timedelta(minutes=1))
        sampling.sample(now=now + timedelta(minutes=1, seconds=20))
        first, second = Sample.objects.order_by("minute")
        assert (first.waiting, second.waiting) == (1, 1)
        assert second.matched == 2
        assert second.lag is not None
        assert second.oldest > 0

    def test_what_is_older_than_two_weeks_is_forgotten(self) -> None:
        now = timezone.now()
        for days in (15, 13, 0):
            sampling.sample(now=now - timedelta(days=days))
        assert Sample.objects.count() == 2

    def test_counters_that_begin_anew_do_not_count_backwards(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = timezone.now()
        for minute, matched in enumerate((100.0, 130.0, 7.0)):
            monkeypatch.setattr(sampling, "totals", lambda matched=matched: {"matched": matched})
            sampling.sample(now=now + timedelta(minutes=minute))
        assert list(Sample.objects.order_by("minute").values_list("matched", flat=True)) == [None, 30, 7]

    def test_longer_periods_have_fewer_points_and_show_the_highest(
        self, page: Client, at_noon: datetime
    ) -> None:
        now = at_noon
        minute = int(now.timestamp()) // 60
        Sample.objects.bulk_create(
            Sample(minute=minute - ago, waiting=ago, due=0, lag=1_500) for ago in range(0, 24 * 60, 5)
        )
        shown = {hours: plots.points(hours=hours, now=now) for hours in plots.STEPS}
        assert 34 <= len(shown[3]) <= 37
        assert 143 <= len(shown[24]) <= 145
        assert 12 <= len(shown[336]) <= 13
        assert shown[24][0].figures["lag"] == 1.5
        assert max(point.figures["waiting"] for point in shown[336]) == max(range(0, 24 * 60, 5))
        for asked, hours in (("24", 24), ("5", 3), ("x", 3)):
            assert len(page.get(f"/operations/samples?hours={asked}").context["points"]) == len(shown[hours])


class TestParts:
    def test_a_worker_tells_of_its_matcher_and_no_other_process_has_one(
        self, page: Client, subscription: Subscription
    ) -> None:
        assert "No worker has told of its matcher yet" in shown(page)
        matchers.record(WHOLE, described(LiveMatcher("engine")))
        told = r"Searches loaded 1 Memory of the worker \d.* Segments 0, .* Fresh conditions 1 not yet"
        assert re.search(told, shown(page))
        assert "Plan" not in shown(page)  # it is one of segments
        matchers.record(WHOLE, described(LiveMatcher("naive")))
        assert "Segments" not in shown(page)

    def test_the_space_under_var_is_told_by_its_parts(self, page: Client, settings: Settings) -> None:
        (settings.VAR / "outbox").mkdir(exist_ok=True)
        (settings.VAR / "outbox" / "large").write_bytes(b"x" * 3_000_000)
        disk.measure()
        try:
            assert re.search(r"outbox 2\.9.MB", shown(page))
        finally:
            (settings.VAR / "outbox" / "large").unlink()

    def test_what_comes_again_by_itself_has_the_trouble_and_the_lists(
        self, page: Client, event: PublishedEvent
    ) -> None:
        parked(event)
        part = page.get("/operations/state").content.decode()
        assert "1 event is parked" in part
        assert 'id="lists" hx-swap-oob="innerHTML"' in part
        assert "<html" not in part

    @pytest.mark.parametrize(
        ("rows", "index"),
        [
            (looking.parked_events, "parked_events"),
            (looking.failing_channels, "channels_failing"),
            (looking.given_up_deliveries, "deliveries_given_up"),
            (looking.waiting_deliveries, "deliveries_due"),
        ],
    )
    def test_each_list_follows_an_index(self, rows: Any, index: str) -> None:
        found: QuerySet[Any] = rows()[:10]
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL enable_seqscan = off")
        assert index in found.explain()
