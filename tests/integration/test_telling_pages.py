"""The pages on how to be told: channels, tests, hours, digest, feed addresses, and the log."""

from datetime import time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from matching.models import Match, PublishedEvent
from notifications import channels, links
from notifications.models import Attempt, Channel, Delivery, Preferences
from schema_registry.accounts.models import User
from tests.integration.collector import Collector, item, match
from tests.integration.waiting import add_channel, plan

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_noon")]
HTMX = {"HX-Request": "true"}


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def reader(client: Client, collector: Collector) -> Client:
    client.force_login(collector.user)
    return client


@pytest.fixture
def hook(collector: Collector) -> Channel:
    return add_channel(collector.user, "https://shop.example.org/hook", verified_at=timezone.now())


def text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def press(client: Client, path: str, **fields: object) -> str:
    answer = client.post(path, fields, headers=HTMX)
    assert answer.status_code == 200, path
    return answer.content.decode()


class TestChannels:
    def test_each_is_a_card_with_its_state_and_last_message(
        self, reader: Client, collector: Collector
    ) -> None:
        (sent,) = plan(collector.channel)
        Delivery.objects.update(state="dead", reason="The receiver answered 500.", finished_at=timezone.now())
        plan(collector.channel)  # one that waits is not the last message
        add_channel(
            collector.user, "https://off.example.org/", state="disabled", reason="You switched it off."
        )
        add_channel(collector.user, "new@example.org", kind="email", state="pending")
        page = text(reader, "/notifications")
        assert f'href="/notifications/deliveries/{sent.pk}">Test</a>, given up' in page
        assert "The receiver answered 500." in page
        assert "You switched it off." in page
        assert "Send the link again" in page

    def test_a_webhook_is_added_and_shows_its_secret(self, reader: Client, collector: Collector) -> None:
        page = press(reader, "/notifications/channels", kind="webhook", address="https://shop.example.org/x")
        made = Channel.objects.get(kind="webhook")
        assert made.secret in page
        assert "once it has answered our challenge" in page
        assert made.secret not in text(reader, "/notifications")

    def test_without_scripts_adding_leads_back_to_the_page(self, reader: Client) -> None:
        answer = reader.post("/notifications/channels", {"kind": "email", "address": "new@example.org"})
        made = Channel.objects.get(address="new@example.org")
        assert answer.headers["Location"] == f"/notifications#channel-{made.pk}"

    @pytest.mark.parametrize(
        ("kind", "address", "error"),
        [
            ("webhook", "ftp://x.example.org", "is not an http or https address"),
            ("webhook", "http://127.0.0.1/x", "We do not send to"),
            ("email", "nobody", "is not an email address"),
            ("email", "collector@example.org", "You have a channel with this address already"),
            ("email", "", "This field is required"),
            ("pigeon", "x@example.org", "Select a valid choice"),
        ],
    )
    def test_what_cannot_be_is_said_beside_its_field(
        self, reader: Client, kind: str, address: str, error: str
    ) -> None:
        page = press(reader, "/notifications/channels", kind=kind, address=address)
        assert error in page
        assert Channel.objects.count() == 1

    def test_one_is_switched_off_and_on(self, reader: Client, collector: Collector) -> None:
        path = f"/notifications/channels/{collector.channel.pk}/switch"
        assert "switched off" in press(reader, path, to="off")
        assert Channel.objects.get().state == "disabled"
        press(reader, path, to="on")
        assert Channel.objects.get().state == "active"

    def test_what_it_gets_is_changed_or_refused(self, reader: Client, collector: Collector) -> None:
        path = f"/notifications/channels/{collector.channel.pk}/change"
        assert "Saved." in press(reader, path, wants="notices", most_per_day="12")
        assert Channel.objects.values_list("wants", "most_per_day").get() == ("notices", 12)
        assert "greater than or equal to 1" in press(reader, path, wants="everything", most_per_day="0")
        assert Channel.objects.get().wants == "notices"

    def test_a_secret_is_shown_when_asked_for_and_made_anew(self, reader: Client, hook: Channel) -> None:
        path = f"/notifications/channels/{hook.pk}"
        assert hook.secret in press(reader, f"{path}/secret")
        page = press(reader, f"{path}/rotate")
        made = Channel.objects.get(pk=hook.pk)
        assert made.secret in page
        assert made.old_secret == hook.secret
        assert "signs along" in page

    def test_a_mail_channel_has_no_secret(self, reader: Client, collector: Collector) -> None:
        for action in ("secret", "rotate"):
            path = f"/notifications/channels/{collector.channel.pk}/{action}"
            assert "Only a webhook has a secret" in press(reader, path)
            assert "Only a webhook has a secret" in reader.post(path, follow=True).content.decode()
        assert Channel.objects.get().secret == collector.channel.secret

    def test_a_removed_one_can_be_had_back_and_goes_for_good_later(
        self, reader: Client, hook: Channel
    ) -> None:
        path = f"/notifications/channels/{hook.pk}"
        assert "Undo" in press(reader, f"{path}/remove")
        assert Channel.objects.get(pk=hook.pk).state == "disabled"
        press(reader, f"{path}/restore", was="active")
        assert Channel.objects.get(pk=hook.pk).state == "active"
        assert "It is in use" in press(reader, f"{path}/erase")
        press(reader, f"{path}/remove")
        assert press(reader, f"{path}/erase") == ""
        assert not Channel.objects.filter(pk=hook.pk).exists()

    def test_undoing_leaves_one_that_was_not_used_as_it_was(
        self, reader: Client, collector: Collector
    ) -> None:
        waiting = add_channel(collector.user, "new@example.org", kind="email", state="pending")
        press(reader, f"/notifications/channels/{waiting.pk}/remove")
        press(reader, f"/notifications/channels/{waiting.pk}/restore", was="pending")
        assert Channel.objects.get(pk=waiting.pk).state == "pending"

    def test_another_link_is_sent_but_not_at_once(self, reader: Client, collector: Collector) -> None:
        waiting = channels.add(
            collector.user,
            kind=Channel.Kind.EMAIL,
            address="new@example.org",
            now=timezone.now() - timedelta(hours=1),
        )
        path = f"/notifications/channels/{waiting.pk}/verify"
        assert "Another mail is on its way" in press(reader, path)
        assert "ask again in" in press(reader, path)


class TestTests:
    def test_its_result_is_told_step_by_step(self, reader: Client, hook: Channel) -> None:
        page = press(reader, f"/notifications/channels/{hook.pk}/test")
        sent = Delivery.objects.get(kind="test")
        asks = f'hx-get="/notifications/tests/{sent.pk}"'
        assert "On its way" in page
        assert asks in page
        Delivery.objects.update(attempts=1, reason="The receiver answered 500.")
        page = text(reader, f"/notifications/tests/{sent.pk}")
        assert "The receiver answered 500. We try again" in page
        assert asks in page
        Attempt.objects.create(
            delivery=sent, number=2, began_at=timezone.now(), milliseconds=35, is_success=True, status=204
        )
        Delivery.objects.update(state="delivered", finished_at=timezone.now())
        page = text(reader, f"/notifications/tests/{sent.pk}")
        assert "your receiver answered 204 in 35 ms" in page
        assert asks not in page

    def test_after_half_a_minute_the_page_asks_no_more(self, reader: Client, hook: Channel) -> None:
        press(reader, f"/notifications/channels/{hook.pk}/test")
        Delivery.objects.update(planned_at=timezone.now() - timedelta(seconds=31))
        page = text(reader, f"/notifications/tests/{Delivery.objects.get().pk}")
        assert "longer than half a minute" in page
        assert "hx-get" not in page

    def test_one_too_soon_is_refused_in_place(self, reader: Client, hook: Channel) -> None:
        path = f"/notifications/channels/{hook.pk}/test"
        press(reader, path)
        assert "ask again in" in press(reader, path)

    def test_without_scripts_it_leads_to_the_delivery(self, reader: Client, hook: Channel) -> None:
        answer = reader.post(f"/notifications/channels/{hook.pk}/test")
        assert answer.headers["Location"] == f"/notifications/deliveries/{Delivery.objects.get().pk}"


class TestHours:
    CHOSEN = {  # noqa: RUF012 - a test does not change it
        "time_zone": "Europe/Paris",
        "quiet_from": "22:00",
        "quiet_until": "07:30",
        "digest_at": "08:15",
        "digest_weekday": "5",
    }

    def test_they_are_saved_and_drawn(self, reader: Client, collector: Collector) -> None:
        assert reader.post("/notifications/hours", self.CHOSEN).status_code == 302
        saved = Preferences.objects.get(owner=collector.user)
        assert (saved.quiet_from, saved.digest_at, saved.digest_weekday) == (time(22), time(8, 15), 5)
        page = text(reader, "/notifications")
        assert "Quiet from 22:00 to 07:30. Digests at 08:15." in page
        assert 'width="31.25%"' in page  # from midnight to 07:30
        assert 'x="91.667%"' in page  # from 22:00 on
        assert f"Now it is {timezone.now().astimezone(ZoneInfo('Europe/Paris')):%H}:" in page

    def test_a_choice_is_drawn_before_it_is_saved(self, reader: Client) -> None:
        page = reader.get("/notifications/hours/bar", {**self.CHOSEN, "quiet_from": "01:00"}).content.decode()
        assert "Quiet from 01:00 to 07:30." in page
        assert not Preferences.objects.exists()

    def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_saved(self, reader: Client) -> None:
        wrong = {**self.CHOSEN, "time_zone": "Europe/Pariss", "quiet_until": ""}
        page = reader.post("/notifications/hours", wrong).content.decode()
        assert "Did you mean &#x27;Europe/Paris&#x27;?" in page
        assert "Quiet hours need both ends." in page
        assert "Time zone: " in reader.get("/notifications/hours/bar", wrong).content.decode()
        assert not Preferences.objects.exists()

    def test_quiet_hours_over_the_digest_delay_it(self, reader: Client) -> None:
        page = reader.get("/notifications/hours/bar", {**self.CHOSEN, "digest_at": "06:00"}).content.decode()
        assert "That is in quiet hours" in page


class TestDigestPreview:
    def test_it_says_what_a_mail_would_say_best_first(self, reader: Client, collector: Collector) -> None:
        oak = collector.searches("price <= 200", name="Cheap")
        tables = collector.searches("price <= 300", name="Tables")
        match(item("1", title="Plain chair"), oak)
        twice = item("2", title="Oak <table>")
        match(twice, oak)
        match(twice, tables)
        Match.objects.update(matched_at=timezone.now())
        page = text(reader, "/notifications/digest-preview")
        assert "2 new finds" in page
        assert page.index("Oak &lt;table&gt;") < page.index("Plain chair")
        assert "180 EUR" in page

    def test_what_is_gone_or_older_is_left_out(self, reader: Client, collector: Collector) -> None:
        search = collector.searches()
        match(item("1", state=PublishedEvent.State.WITHDRAWN), search)
        match(item("2", ends_at=timezone.now() - timedelta(hours=1)), search)
        old = match(item("3", title="Of yesterday"), search)
        Match.objects.update(matched_at=timezone.now())
        Match.objects.filter(pk=old.pk).update(matched_at=timezone.now() - timedelta(days=2))
        assert "no digest would come" in text(reader, "/notifications/digest-preview")
        assert "1 new find" in text(reader, "/notifications/digest-preview?period=weekly")


class TestFeeds:
    def test_addresses_are_shown_for_all_and_for_each_and_can_be_made_anew(
        self, reader: Client, collector: Collector
    ) -> None:
        search = collector.searches(name="Tables")
        mine = links.atom_address(collector.user.pk), links.atom_address(collector.user.pk, search.pk)
        page = text(reader, "/notifications/feeds")
        assert all(address in page for address in mine)
        assert reader.post("/notifications/feeds/renew").status_code == 302
        page = text(reader, "/notifications/feeds?q=tab")
        assert links.atom_address(collector.user.pk, search.pk) in page
        assert not any(address in page for address in mine)
        assert "No search of this name" in text(reader, "/notifications/feeds?q=lamps")
        assert "No search of this name" in text(reader, "/notifications/feeds?q=lam%00ps")


class TestLog:
    def test_it_is_paged_newest_first_and_filtered(self, reader: Client, collector: Collector) -> None:
        found = collector.is_told((item(), collector.searches()))
        digest = collector.is_told((item("b"), collector.searches()), kind="digest", state="delivered")
        plan(collector.channel, count=60)
        first = text(reader, "/notifications/deliveries")
        assert first.count('class="when"') == 50
        older = (
            first.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0].replace("&amp;", "&")
        )
        rest = text(reader, f"/notifications/deliveries{older}")
        assert rest.count('class="when"') == 12
        assert f"/deliveries/{found.pk}" in rest
        assert "Oak dining table" in rest
        done = text(reader, "/notifications/deliveries?state=delivered")
        assert "Digest of 1 find<" in done
        assert f"/deliveries/{digest.pk}" in done
        assert done.count('class="when"') == 1
        assert "No such message" in text(reader, "/notifications/deliveries?channel=999&state=dead&before=x")

    @pytest.mark.parametrize(
        ("day", "words"),
        [
            ("2026-11-18", "Some of your searches end on Wednesday 18 November<"),
            ("", "Some of your searches end soon<"),
        ],
    )
    def test_a_notice_says_in_words_when_searches_end(
        self, reader: Client, collector: Collector, day: str, words: str
    ) -> None:
        sent = collector.is_told((item(), collector.searches()), kind="notice", state="delivered")
        Delivery.objects.filter(pk=sent.pk).update(about={"about": "expires_soon", "date": day})
        for path in ("", "/deliveries"):
            assert words in text(reader, f"/notifications{path}")

    def test_a_delivery_shows_its_attempts_as_text_and_goes_again(
        self, reader: Client, collector: Collector
    ) -> None:
        sent = collector.is_told((item(), collector.searches()), state="dead", attempts=1)
        Attempt.objects.create(
            delivery=sent,
            number=1,
            began_at=timezone.now(),
            milliseconds=12,
            is_success=False,
            status=500,
            request="POST https://x",
            response="<script>oops</script>",
            error="The receiver answered 500.",
        )
        page = text(reader, f"/notifications/deliveries/{sent.pk}")
        assert "&lt;script&gt;oops" in page
        assert "<script>oops" not in page
        assert reader.post(f"/notifications/deliveries/{sent.pk}/replay").status_code == 302
        assert Delivery.objects.get().state == "waiting"
        again = reader.post(f"/notifications/deliveries/{sent.pk}/replay", follow=True)
        assert "still on its way" in again.content.decode()


ACTIONS = ["change", "switch", "verify", "secret", "rotate", "remove", "restore", "erase", "test"]


def test_what_belongs_to_another_is_not_there(client: Client, collector: Collector) -> None:
    (sent,) = plan(collector.channel)
    client.force_login(User.objects.create_user("other@example.org"))
    number = collector.channel.pk
    for action in ACTIONS:
        for foreign in (number, 10**6, 10**30):
            assert client.post(f"/notifications/channels/{foreign}/{action}").status_code == 404, action
    for path in (f"deliveries/{sent.pk}", f"tests/{sent.pk}"):
        assert client.get(f"/notifications/{path}").status_code == 404
    assert client.post(f"/notifications/deliveries/{sent.pk}/replay").status_code == 404
    assert Channel.objects.get(pk=number).state == "active"


def test_a_visitor_is_asked_to_sign_in_and_looking_changes_nothing(
    client: Client, collector: Collector
) -> None:
    pages = ["", "/digest-preview", "/feeds", "/deliveries", "/hours/bar"]
    for path in pages:
        assert client.get(f"/notifications{path}").headers["Location"].startswith("/accounts/login/")
    client.force_login(collector.user)
    for action in ACTIONS[1:]:  # the first shows its form
        assert client.get(f"/notifications/channels/{collector.channel.pk}/{action}").status_code == 405


def test_pages_take_the_same_number_of_queries_however_much_there_is(
    reader: Client, collector: Collector, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Of the frame: session, person, zone, unseen, whether they look after a publisher."""
    frame = 5
    expected = {
        "/notifications": frame + 6,
        "/notifications/digest-preview": frame + 5,
        "/notifications/feeds": frame + 3,
        "/notifications/deliveries": frame + 4,
    }
    search = collector.searches(name="Cheap")
    for number in range(2):
        event = item(f"first {number}")
        collector.is_told((event, search), kind="digest", state="delivered")
    Match.objects.update(matched_at=timezone.now())
    _count(reader, expected, django_assert_num_queries)
    for number in range(12):
        collector.searches(name=f"Another {number}")
        collector.channel = collector.adds_channel(f"box{number}@example.org")
        collector.is_told((item(f"more {number}"), search), kind="digest", state="delivered")
    Match.objects.update(matched_at=timezone.now())
    _count(reader, expected, django_assert_num_queries)


def _count(reader: Client, expected: dict[str, int], assert_num_queries: DjangoAssertNumQueries) -> None:
    for path, queries in expected.items():
        reader.get(path)
        with assert_num_queries(queries, info=path):
            reader.get(path)
