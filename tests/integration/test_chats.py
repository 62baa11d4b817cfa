"""Chat and push services as a receiver of their kind sees them, and what a hostile one can do."""

import json
import socket
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
from django.utils import timezone

from notifications.chat.addresses import read
from notifications.chat.plugins import opened
from notifications.chat.services import SERVICES, service_of
from notifications.core.messages import Test, Verify
from notifications.outbound import Outbound
from notifications.transports.base import DeliveryError, Exchange, Target
from notifications.transports.chat import ChatTransport
from tests.sinks import Behaviour, HttpSink

UID = "msg_0123456789abcdef0123456789abcdef"
TOKEN = "AbCdE.fghijklmnop"
LOCAL = frozenset({"127.0.0.1"})
A_TEST = Test()


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[HttpSink]:
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


def target(address: str) -> Target:
    chat = read(address, allowed_hosts=LOCAL | {"push.example.org"})
    return Target(channel=1, owner=1, address=chat.shown, secrets=(chat.stored,))


def send(address: str, content: Test | Verify = A_TEST, **options: Any) -> Exchange:
    outbound = Outbound(**{"allowed_hosts": LOCAL, "seconds": 60.0, **options})
    return ChatTransport(outbound).send(target(address), content, uid=UID, now=timezone.now())


def refusal(address: str, **options: Any) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        send(address, **options)
    return caught.value


def gotify(sink: HttpSink) -> str:
    return f"gotify://127.0.0.1:{sink.port}/{TOKEN}"


class TestReceivers:
    """Each service gets what its own server expects."""

    def test_ntfy(self, sink: HttpSink) -> None:
        send(f"ntfy://tk_{TOKEN}@127.0.0.1:{sink.port}/lots-of-oak")
        (receipt,) = sink.receipts()
        assert receipt.path == "/"
        assert receipt.content["topic"] == "lots-of-oak"
        assert receipt.content["title"] == "A test from Le Subscribe"
        assert receipt.content["message"] == "It works: this is how you will be told."
        assert receipt.headers["authorization"] == f"Bearer tk_{TOKEN}"
        assert "x-icon" not in receipt.headers

    def test_gotify(self, sink: HttpSink) -> None:
        send(gotify(sink))
        (receipt,) = sink.receipts()
        assert (receipt.path, receipt.headers["x-gotify-key"]) == ("/message", TOKEN)
        assert receipt.content["title"] == "A test from Le Subscribe"

    def test_mattermost(self, sink: HttpSink) -> None:
        send(f"mmost://127.0.0.1:{sink.port}/3ccdd113474722377935511fc85d3dd4")
        (receipt,) = sink.receipts()
        assert receipt.path == "/hooks/3ccdd113474722377935511fc85d3dd4"
        assert receipt.content["text"].splitlines() == [
            "A test from Le Subscribe",
            "It works: this is how you will be told.",
        ]

    def test_rocket_chat_whose_links_stay_whole(self, sink: HttpSink) -> None:
        send(f"rocket://64f0a1b2c3/Xn2sdfghjk@127.0.0.1:{sink.port}", Verify("chal_lenge"))
        (receipt,) = sink.receipts()
        assert receipt.path == "/hooks/64f0a1b2c3/Xn2sdfghjk"
        assert "/notifications/confirm/" in receipt.content["text"]
        assert "\\" not in receipt.content["text"].partition("http")[2]

    def test_signal(self, sink: HttpSink) -> None:
        sink.behave(Behaviour(status=201, body="{}"))
        send(f"signal://127.0.0.1:{sink.port}/+33123456789/+33987654321")
        (receipt,) = sink.receipts()
        assert receipt.path == "/v2/send"
        assert receipt.content["recipients"] == ["+33987654321"]
        assert "A test from Le Subscribe" in receipt.content["message"]

    @pytest.mark.parametrize(
        ("address", "host"),
        [
            ("tgram://123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/-100123456", "api.telegram.org"),
            ("https://discord.com/api/webhooks/123456789012/abcDEF_gh-ij", "discord.com"),
            ("https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXr", "hooks.slack.com"),
            ("pover://uQiRzpo4DXghDmr9QzzfQu27cmVRsG@azGDORePK8gMaC0QOYAMyEEuzJnyUi", "api.pushover.net"),
        ],
    )
    def test_the_others_ask_for_their_own_host_and_for_no_other(self, address: str, host: str) -> None:
        """Nobody answers there: the name leads into our own network, which is refused before a connection."""
        asked = []

        def resolve(name: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
            asked.append((name, port))
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.8", port))]

        error = refusal(address, resolver=resolve)
        assert asked == [(host, 443)]
        assert str(error) == "We do not send to 10.0.0.8: it is private."
        assert not error.permanent  # name servers may be mended


class TestGuard:
    def test_a_private_address_gets_no_connection(self, sink: HttpSink) -> None:
        error = refusal(gotify(sink), allowed_hosts=())
        assert str(error) == "We do not send to 127.0.0.1: it is loopback."
        assert error.permanent
        assert sink.connections == 0

    def test_a_name_that_changes_its_address_is_asked_once_and_refused(self, sink: HttpSink) -> None:
        asked = []

        def rebinding(name: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
            asked.append(name)
            place = ("93.184.216.34" if len(asked) > 1 else "127.0.0.1", port)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place)]

        error = refusal(
            f"gotify://push.example.org:{sink.port}/{TOKEN}", allowed_hosts=(), resolver=rebinding
        )
        assert "loopback" in str(error)
        assert asked == ["push.example.org"]
        assert sink.connections == 0

    def test_the_address_that_was_checked_is_the_one_connected_to(self, sink: HttpSink) -> None:
        """The system's own resolver, which any other client would ask, knows no such host."""

        def resolve(name: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

        send(
            f"gotify://push.example.org:{sink.port}/{TOKEN}",
            allowed_hosts=["push.example.org"],
            resolver=resolve,
        )
        (receipt,) = sink.receipts()
        assert receipt.headers["host"] == f"push.example.org:{sink.port}"

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_not_followed(self, sink: HttpSink, status: int) -> None:
        sink.behave(Behaviour(status=status, headers={"Location": sink.url("/elsewhere")}))
        error = refusal(gotify(sink))
        assert (str(error), error.permanent) == (f"Gotify answered {status}.", False)
        assert [receipt.path for receipt in sink.receipts()] == ["/message"]

    @pytest.mark.parametrize(
        "slow", [Behaviour(hangs=True), Behaviour(drips="headers"), Behaviour(drips="body")]
    )
    def test_a_slow_receiver_is_cut_at_the_deadline(self, sink: HttpSink, slow: Behaviour) -> None:
        sink.behave(slow)
        for seconds in (0.5, 15.0):  # a machine may be too busy to ask at all in so short a time
            error = refusal(gotify(sink), seconds=seconds)
            if sink.receipts():
                break
        assert (str(error), error.permanent) == (f"There was no whole answer within {seconds:g} s.", False)

    def test_a_long_answer_is_read_no_further_than_we_need(self, sink: HttpSink) -> None:
        sink.behave(Behaviour(bytes_of_body=10**6))
        assert send(gotify(sink)).response == "x" * 2_000

    def test_a_service_that_asks_to_wait_is_asked_once_and_holds_no_thread(self, sink: HttpSink) -> None:
        in_an_hour = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800", "Retry-After": "3600"}
        sink.behave(Behaviour(status=429, headers=in_an_hour))
        error = refusal(gotify(sink))
        assert (error.wait, error.permanent) == (timedelta(hours=1), False)
        assert len(sink.receipts()) == 1

    def test_who_calls_a_plug_in_without_the_guard_reaches_nobody(self, sink: HttpSink) -> None:
        address = gotify(sink)
        plugin = opened(SERVICES["gotify"], address)
        assert plugin.notify(title="title", body="text", body_format="text") is False
        assert sink.connections == 0

    def test_requests_itself_is_left_as_it_is(self, sink: HttpSink) -> None:
        send(gotify(sink))
        assert requests.post(sink.url("/plain"), json={}, timeout=60).status_code == 200
        assert requests.post.__module__ == "requests.api"


class TestWhatCameOfIt:
    @pytest.mark.parametrize(
        ("status", "permanent", "disables"),
        [
            (400, True, False),  # the message, not the address
            (413, True, False),
            (401, True, True),  # the token is gone
            (410, True, True),
            (403, False, False),
            (404, False, False),
            (500, False, False),
            (503, False, False),
        ],
    )
    def test_the_status_decides(self, sink: HttpSink, status: int, permanent: bool, disables: bool) -> None:
        sink.behave(Behaviour(status=status))
        error = refusal(gotify(sink))
        assert (error.permanent, error.disables, error.exchange.status) == (permanent, disables, status)

    @pytest.mark.parametrize(
        "body",
        ['{"parameters": {"retry_after": 35}}', '{"retry_after": 34.2}'],  # Telegram's, Discord's
    )
    def test_how_long_to_wait_may_be_in_the_answer(self, sink: HttpSink, body: str) -> None:
        sink.behave(Behaviour(status=429, body=body))
        assert refusal(gotify(sink)).wait == timedelta(seconds=35)

    @pytest.mark.parametrize("body", ["", "[]", "null", '{"retry_after": "x"}', '{"retry_after": 1e400}'])
    def test_what_is_no_time_is_none(self, sink: HttpSink, body: str) -> None:
        sink.behave(Behaviour(status=429, body=body))
        assert refusal(gotify(sink)).wait == timedelta(0)

    def test_a_server_that_is_down_is_tried_again(self, sink: HttpSink) -> None:
        address = gotify(sink)
        sink.stop()
        error = refusal(address)
        assert not error.permanent
        assert str(error).startswith("Could not connect to 127.0.0.1")

    def test_an_address_of_a_service_that_we_left_switches_the_channel_off(self) -> None:
        old = Target(channel=1, owner=1, address="aim://…", secrets=("aim://user@host",))
        assert service_of(old.address) is None
        with pytest.raises(DeliveryError) as caught:
            ChatTransport().send(old, A_TEST, uid=UID, now=timezone.now())
        assert caught.value.disables


class TestSecrets:
    def test_the_log_has_what_was_said_and_no_token(self, sink: HttpSink) -> None:
        sink.behave(Behaviour(body=json.dumps({"you sent": TOKEN, "quoted": TOKEN.replace(".", "%2E")})))
        exchange = send(gotify(sink))
        assert exchange.request.startswith(
            f"To: gotify://127.0.0.1:{sink.port}/…mnop\n\nA test from Le Subscribe"
        )
        assert TOKEN not in exchange.request + exchange.response

    def test_the_link_of_a_verification_is_in_the_message_only(self, sink: HttpSink) -> None:
        exchange = send(gotify(sink), Verify("challenge"))
        (receipt,) = sink.receipts()
        link = next(line for line in receipt.content["message"].splitlines() if "/confirm/" in line)
        assert link not in exchange.request
        assert "***" in exchange.request

    def test_apprise_says_nothing_of_a_token_to_the_log(
        self, sink: HttpSink, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level("DEBUG"):
            sink.behave(Behaviour(status=500))
            refusal(gotify(sink))
        assert TOKEN not in caplog.text
