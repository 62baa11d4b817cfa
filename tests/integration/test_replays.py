"""A span of time is sent again: all of it, once each, under the same ids, and others do not wait for it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from notifications import channels, claims, deliveries, replays, sending
from notifications.channels import NotActive
from notifications.deliveries import CannotReplay
from notifications.models import Channel, Delivery, Replay
from notifications.replays import InvalidSpan, Span, UnderWay
from schema_registry.accounts.models import User
from tests.integration.callers import PROBLEM, Call, caller, key_of
from tests.integration.waiting import add_channel, let_time_pass, plan
from tests.sinks import Behaviour, HttpSink

pytestmark = pytest.mark.django_db
BEGIN = datetime(2026, 11, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ABOUT: dict[str, Any] = {"about": "channel_disabled", "channel": 1, "address": "x", "reason": "y"}


@pytest.fixture
def sink(tmp_path: Path, settings: Settings) -> Iterator[HttpSink]:
    settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_hints", claims.Hints())


@pytest.fixture
def reader() -> User:
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def hook(reader: User, sink: HttpSink) -> Channel:
    return add_channel(reader, sink.url("/hook"), verified_at=BEGIN)


def sent(channel: Channel, count: int, *, state: str = "delivered", kind: str = "notice") -> list[Delivery]:
    """One a minute from `BEGIN` on; a notice tells the same whenever it is sent."""
    already = Delivery.objects.filter(channel=channel).count()
    return Delivery.objects.bulk_create(
        Delivery(
            channel=channel,
            key=f"{kind}:{already + number}",
            kind=kind,
            about=ABOUT,
            state=state,
            planned_at=BEGIN + number * MINUTE,
            next_attempt_at=BEGIN + number * MINUTE,
            finished_at=None if state == "waiting" else BEGIN + number * MINUTE,
        )
        for number in range(count)
    )


def span(begin: int, end: int) -> Span:
    """In minutes."""
    return replays.span_of(BEGIN + begin * MINUTE, BEGIN + end * MINUTE)


def ids(sink: HttpSink) -> list[str]:
    return [receipt.id for receipt in sink.receipts()]


def run() -> int:
    """As the workers do it, until nothing is left; in how many rounds."""
    rounds = 0
    while replays.advance(now=timezone.now() - timedelta(seconds=1)):
        sending.deliver(seconds=600)
        rounds += 1
    return rounds


class TestSpans:
    def test_all_of_it_is_sent_again_in_order_and_nothing_else(self, hook: Channel, sink: HttpSink) -> None:
        rows = sent(hook, 60)
        replay = replays.begin(hook, span(10, 55), now=timezone.now())
        assert replay.total == 45
        assert run() == 3
        assert ids(sink) == [row.wire_id for row in rows[10:55]]
        replay.refresh_from_db()
        assert (replay.begun, replay.is_stopped, replay.finished_at is None) == (45, False, False)

    def test_rows_of_other_channels_and_kinds_and_those_on_their_way_are_left_alone(
        self, reader: User, hook: Channel, sink: HttpSink
    ) -> None:
        other = add_channel(reader, sink.url("/other"))
        wanted = []
        for number in range(5):  # one after another, so that their numbers are mixed
            wanted += sent(hook, 1, state=("delivered", "dead", "dropped", "delivered", "dead")[number])
            sent(hook, 1, kind="test")
            sent(hook, 1, kind="verify")
            sent(other, 1)
        Delivery.objects.filter(channel=hook, kind="test").update(state="waiting", next_attempt_at=BEGIN)
        assert replays.find(hook, span(0, 1)).total == 5
        replays.begin(hook, span(0, 1), now=timezone.now())
        replays.advance(now=timezone.now())
        again = Delivery.objects.filter(state="waiting", kind="notice").order_by("pk")
        assert [row.pk for row in again] == [row.pk for row in wanted]

    def test_numbers_that_are_a_little_out_of_order_are_found(self, hook: Channel) -> None:
        rows = sent(hook, 30)
        for early, late in ((9, 12), (18, 22)):
            moments = rows[early].planned_at, rows[late].planned_at
            Delivery.objects.filter(pk=rows[late].pk).update(planned_at=moments[0])
            Delivery.objects.filter(pk=rows[early].pk).update(planned_at=moments[1])
        assert replays.find(hook, span(10, 20)).total == 10

    def test_finding_it_costs_the_same_however_much_was_sent(self, hook: Channel) -> None:
        sent(hook, 20)
        with CaptureQueriesContext(
            connection,
        ) as few:
            replays.find(hook, span(5, 6))
        sent(hook, 2_000)
        with CaptureQueriesContext(connection) as many:
            replays.find(hook, span(5, 6))
        assert len(many) <= 2 * len(few) + 20

    def test_an_empty_channel_and_an_empty_span_have_nothing(self, hook: Channel) -> None:
        assert replays.find(hook, span(0, 1)).total == 0
        sent(hook, 3)
        assert replays.find(hook, span(-10, 0)).total == 0
        assert replays.find(hook, span(3, 100)).total == 0
        with pytest.raises(CannotReplay, match="Nothing was sent"):
            replays.begin(hook, span(3, 100), now=timezone.now())

    def test_ends_that_no_calendar_has_are_taken_for_the_nearest(self, hook: Channel) -> None:
        sent(hook, 3)
        ages = replays.span_of(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
        assert replays.find(hook, ages).total == 3
        with pytest.raises(InvalidSpan):
            replays.span_of(BEGIN, BEGIN)

    def test_too_many_are_refused_and_nothing_is_begun(
        self, hook: Channel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(replays, "MOST", 5)
        sent(hook, 6)
        assert replays.find(hook, span(0, 60)).total == 6
        with pytest.raises(InvalidSpan, match="more than 5"):
            replays.begin(hook, span(0, 60), now=timezone.now())
        assert replays.begin(hook, span(0, 5), now=timezone.now()).total == 5


class TestPace:
    def test_only_a_few_wait_at_a_time_so_what_is_new_comes_soon(self, hook: Channel, sink: HttpSink) -> None:
        sent(hook, 100)
        replays.begin(hook, span(0, 100), now=timezone.now())
        assert replays.advance(now=timezone.now()) == replays.MOST_WAITING
        assert replays.advance(now=timezone.now()) == 0  # they are still there
        (new,) = plan(hook)
        sending.deliver(seconds=600)
        assert ids(sink).index(new.wire_id) <= replays.MOST_WAITING

    def test_while_others_wait_it_stands_back(self, hook: Channel) -> None:
        sent(hook, 5)
        plan(hook, count=replays.MOST_WAITING, due_in=3_600)
        replays.begin(hook, span(0, 5), now=timezone.now())
        assert replays.advance(now=timezone.now()) == 0
        Delivery.objects.filter(state="waiting").update(state="delivered")
        assert replays.advance(now=timezone.now()) == 5

    def test_a_receiver_that_fails_is_not_given_more(self, hook: Channel, sink: HttpSink) -> None:
        sent(hook, 50)
        sink.behave(Behaviour(status=500))
        replays.begin(hook, span(0, 50), now=timezone.now())
        for _ in range(5):
            replays.advance(now=timezone.now())
            sending.deliver(seconds=600)
        assert Delivery.objects.filter(state="waiting").count() == replays.MOST_WAITING
        sink.behave(Behaviour())
        let_time_pass()
        sending.deliver(seconds=600)
        run()
        assert set(ids(sink)) == {row.wire_id for row in Delivery.objects.all()}
        assert not Delivery.objects.exclude(state="delivered").exists()

    def test_it_waits_for_a_channel_that_is_switched_off(self, hook: Channel) -> None:
        sent(hook, 3)
        replays.begin(hook, span(0, 3), now=timezone.now())
        channels.change(hook.pk, now=timezone.now(), state=Channel.State.DISABLED)
        assert replays.advance(now=timezone.now()) == 0
        channels.change(hook.pk, now=timezone.now(), state=Channel.State.ACTIVE)
        assert replays.advance(now=timezone.now()) == 3


class TestOnce:
    def test_whoever_dies_in_between_leaves_it_whole_and_the_next_goes_on(
        self, hook: Channel, sink: HttpSink, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = sent(hook, 45)
        replays.begin(hook, span(0, 45), now=timezone.now())
        replays.advance(now=timezone.now() - timedelta(seconds=1))
        sending.deliver(seconds=600)

        def die(*args: Any, **options: Any) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(
                Replay, "save", die
            )  # its deliveries wait again, and the row does not know it yet
            with pytest.raises(KeyboardInterrupt):
                replays.advance(now=timezone.now())
        assert Delivery.objects.filter(state="waiting").count() == 0
        run()
        assert ids(sink) == [row.wire_id for row in rows]

    def test_to_ask_for_the_same_again_is_to_ask_once(self, hook: Channel) -> None:
        sent(hook, 30)
        first = replays.begin(hook, span(0, 30), now=timezone.now())
        replays.advance(now=timezone.now())
        assert replays.begin(hook, span(0, 30), now=timezone.now()) == first
        with pytest.raises(UnderWay):
            replays.begin(hook, span(0, 29), now=timezone.now())

    def test_one_that_is_sent_again_by_hand_meanwhile_is_not_sent_twice(
        self, hook: Channel, sink: HttpSink
    ) -> None:
        rows = sent(hook, 3)
        replays.begin(hook, span(0, 3), now=timezone.now())
        deliveries.replay(rows[1], now=timezone.now() - timedelta(seconds=1))
        run()
        assert sorted(ids(sink)) == sorted(row.wire_id for row in rows)

    def test_a_stopped_one_leaves_the_rest_and_another_may_begin(self, hook: Channel) -> None:
        sent(hook, 60)
        replay = replays.begin(hook, span(0, 60), now=timezone.now())
        replays.advance(now=timezone.now())
        assert replays.stop(hook, now=timezone.now())
        assert not replays.stop(hook, now=timezone.now())
        Delivery.objects.update(state="delivered")
        assert replays.advance(now=timezone.now()) == 0
        replay.refresh_from_db()
        assert (replay.begun, replay.is_stopped) == (replays.MOST_WAITING, True)
        assert replays.begin(hook, span(0, 10), now=timezone.now()).total == 10


class TestWho:
    def test_only_a_webhook_that_is_on_and_wants_something(self, reader: User, hook: Channel) -> None:
        box = add_channel(reader, "box@example.org", kind="email")
        with pytest.raises(CannotReplay, match="Only what a webhook"):
            replays.begin(box, span(0, 1), now=timezone.now())
        sent(hook, 1)
        Channel.objects.filter(pk=hook.pk).update(state="disabled")
        with pytest.raises(NotActive):
            replays.begin(hook, span(0, 1), now=timezone.now())
        Channel.objects.filter(pk=hook.pk).update(state="active", wants="nothing")
        with pytest.raises(CannotReplay, match="wants nothing"):
            replays.begin(hook, span(0, 1), now=timezone.now())

    def test_it_goes_with_its_channel(self, hook: Channel) -> None:
        sent(hook, 2)
        replays.begin(hook, span(0, 2), now=timezone.now())
        channels.remove(hook.pk)
        assert not Replay.objects.exists()


class TestApi:
    SPAN = {"from": "2026-11-01T12:00:00Z", "until": "2026-11-01T13:00:00Z"}  # noqa: RUF012 - not changed

    @pytest.fixture
    def call(self, client: Client, hook: Channel) -> Call:
        return caller(client, key=key_of("reader@example.org"))

    def test_it_says_how_many_then_sends_and_tells_how_far_it_is(self, call: Call, hook: Channel) -> None:
        path = f"channels/{hook.pk}/replay"
        assert call("GET", path).status_code == 404
        sent(hook, 50)
        foreseen = call("POST", f"{path}?dry_run=true", self.SPAN)
        assert (foreseen.status_code, foreseen.json()) == (200, {"dry_run": True, "deliveries": 50})
        assert not Replay.objects.exists()
        begun = call("POST", path, self.SPAN)
        assert begun.status_code == 202
        replays.advance(now=timezone.now())
        document = call("GET", path).json()
        assert (document["state"], document["deliveries"], document["begun"]) == ("under_way", 50, 20)
        assert (document["from"], document["until"]) == (self.SPAN["from"], self.SPAN["until"])
        assert call("POST", path, self.SPAN).json()["id"] == document["id"]
        other = call("POST", path, {**self.SPAN, "until": "2026-11-01T12:30:00Z"})
        assert (other.status_code, other.json()["type"]) == (409, f"{PROBLEM}replay-under-way")
        assert call("DELETE", path).status_code == 204
        assert call("GET", path).json()["state"] == "stopped"

    @pytest.mark.parametrize(
        ("body", "status", "problem"),
        [
            ({"from": "2026-11-01T13:00:00Z", "until": "2026-11-01T12:00:00Z"}, 422, "invalid-span"),
            ({"from": "yesterday", "until": "2026-11-01T12:00:00Z"}, 422, "invalid"),
            ({"from": "0001-01-01T00:00:00+14:00", "until": "9999-12-31T23:59:59-14:00"}, 422, "invalid"),
            ({"until": "2026-11-01T12:00:00Z"}, 422, "invalid"),
            ({**SPAN, "since": 1}, 422, "invalid"),
            ({"from": "2026-12-01T12:00:00Z", "until": "2026-12-02T12:00:00Z"}, 409, "cannot-replay"),
        ],
    )
    def test_what_is_wrong_is_told(
        self, call: Call, hook: Channel, body: dict[str, Any], status: int, problem: str
    ) -> None:
        sent(hook, 1)
        answer = call("POST", f"channels/{hook.pk}/replay", body)
        assert (answer.status_code, answer.json()["type"]) == (status, f"{PROBLEM}{problem}")


class TestPages:
    @pytest.fixture
    def client(self, client: Client, reader: User) -> Client:
        client.force_login(reader)
        return client

    def test_the_count_comes_before_the_button_and_the_progress_after(
        self, client: Client, hook: Channel
    ) -> None:
        path = f"/notifications/channels/{hook.pk}/replay"
        assert f'href="{path}"' in client.get("/notifications").content.decode()
        sent(hook, 50)
        asked = {"from": "2026-11-01T12:00", "until": "2026-11-01T12:40"}
        page = client.get(path, asked).content.decode()
        assert "40 messages would be sent again." in page
        assert not Replay.objects.exists()
        assert client.post(path, asked).headers["Location"] == path
        replays.advance(now=timezone.now())
        page = client.get(path).content.decode()
        assert "20 of 40 messages are on their way or have arrived." in page
        assert 'value="20" max="40"' in page
        client.post(f"{path}/stop")
        assert Replay.objects.get().is_stopped

    def test_what_is_wrong_is_said_beside_it(self, client: Client, reader: User, hook: Channel) -> None:
        path = f"/notifications/channels/{hook.pk}/replay"
        backwards = {"from": "2026-11-02T12:00", "until": "2026-11-01T12:00"}
        assert "must come after" in client.post(path, backwards).content.decode()
        assert "Enter a valid date" in client.get(path, {"from": "x", "until": ""}).content.decode()
        nothing = {"from": "2026-11-02T12:00", "until": "2026-11-03T12:00"}
        assert "Nothing was sent to it in this time." in client.get(path, nothing).content.decode()
        box = add_channel(reader, "box@example.org", kind="email")
        answer = client.get(f"/notifications/channels/{box.pk}/replay", nothing)
        assert "Only what a webhook was sent" in answer.content.decode()
