"""Webhooks as their receivers see them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from standardwebhooks import Webhook, WebhookVerificationError

from notifications.core.messages import Test, Verify
from notifications.outbound import Outbound
from notifications.transports.base import DeliveryError, Exchange, Target
from notifications.transports.webhook import WebhookTransport
from tests.sinks import Behaviour, HttpSink

NEW, OLD, OTHER = (f"whsec_{secret * 11}" for secret in ("bmV3", "b2xk", "YW55"))
A_TEST = Test()
UID = "msg_0123456789abcdef0123456789abcdef"


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[HttpSink]:
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


def send(sink: HttpSink, content: Test | Verify = A_TEST, *, secrets: tuple[str, ...] = (NEW,)) -> Exchange:
    transport = WebhookTransport(Outbound(allowed_hosts=["127.0.0.1"], seconds=60))
    target = Target(channel=1, owner=1, address=sink.url("/hook"), secrets=secrets)
    return transport.send(target, content, uid=UID, now=timezone.now())


def test_a_receiver_can_verify_what_it_gets(sink: HttpSink) -> None:
    send(sink)
    (receipt,) = sink.receipts()
    assert Webhook(NEW).verify(receipt.body, receipt.headers)["type"] == "channel.test"
    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER).verify(receipt.body, receipt.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(NEW).verify(receipt.body.replace("test", "tost"), receipt.headers)
    assert receipt.headers["webhook-id"] == UID
    assert receipt.headers["user-agent"] == "LeSubscribe/1"
    assert receipt.headers["content-type"] == "application/json"


def test_during_a_rotation_either_secret_verifies_it(sink: HttpSink) -> None:
    send(sink, secrets=(NEW, OLD))
    (receipt,) = sink.receipts()
    assert len(receipt.headers["webhook-signature"].split()) == 2
    for secret in (NEW, OLD):
        Webhook(secret).verify(receipt.body, receipt.headers)


def test_the_log_has_request_and_answer_and_no_secret(sink: HttpSink) -> None:
    sink.behave(Behaviour(status=201, body="Taken.\0"))
    exchange = send(sink, secrets=(NEW, OLD))
    assert exchange.status == 201
    assert exchange.response == "Taken.\N{REPLACEMENT CHARACTER}"
    head, _, body = exchange.request.partition("\n\n")
    assert json.loads(body)["type"] == "channel.test"
    assert f"webhook-id: {UID}" in head
    for secret in (NEW, OLD):
        assert secret not in exchange.request
        assert secret.removeprefix("whsec_") not in exchange.request
    assert sink.receipts()[0].headers["webhook-signature"] not in exchange.request


def test_only_the_beginning_of_a_long_answer_is_kept(sink: HttpSink) -> None:
    sink.behave(Behaviour(bytes_of_body=100_000))
    assert send(sink).response == "x" * 2_000


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_means_that_it_arrived(sink: HttpSink, status: int) -> None:
    sink.behave(Behaviour(status=status, body=""))
    assert send(sink).status == status


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 404, 408, 422, 429, 500, 503])
def test_all_else_is_a_failure_that_is_tried_again(sink: HttpSink, status: int) -> None:
    sink.behave(Behaviour(status=status, headers={"Location": sink.url("/elsewhere")}))
    with pytest.raises(DeliveryError, match=f"The receiver answered {status}") as failure:
        send(sink)
    assert not failure.value.permanent
    assert failure.value.exchange.status == status
    assert [receipt.path for receipt in sink.receipts()] == ["/hook"]


def test_410_says_that_it_is_gone_for_good(sink: HttpSink) -> None:
    sink.behave(Behaviour(status=410))
    with pytest.raises(DeliveryError) as failure:
        send(sink)
    assert failure.value.disables


@pytest.mark.parametrize(
    ("status", "asked", "wait"),
    [(429, "120", 120), (503, "120", 120), (500, "120", 0), (429, "100000", 0), (503, "soon", 0)],
)
def test_a_wait_is_heard_when_it_is_sane(sink: HttpSink, status: int, asked: str, wait: int) -> None:
    sink.behave(Behaviour(status=status, headers={"Retry-After": asked}))
    with pytest.raises(DeliveryError) as failure:
        send(sink)
    assert failure.value.wait == timedelta(seconds=wait)


def test_a_verification_needs_the_challenge_in_the_answer(sink: HttpSink) -> None:
    challenge = Verify("c" * 43)
    exchange = send(sink, challenge)
    assert exchange.response == "***"
    assert challenge.challenge not in exchange.request
    sink.behave(Behaviour(echoes=False))
    with pytest.raises(DeliveryError, match="does not contain the challenge"):
        send(sink, challenge)


def test_what_we_do_not_send_to_is_told_with_the_address_and_the_reason(sink: HttpSink) -> None:
    target = Target(channel=1, owner=1, address=sink.url(), secrets=(NEW,))
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(DeliveryError, match=r"We do not send to 127\.0\.0\.1: it is loopback\.") as failure:
        WebhookTransport(Outbound()).send(target, Test(), uid=UID, now=now)
    assert failure.value.permanent  # the address is in the URL itself, which will not change
    assert sink.connections == 0
