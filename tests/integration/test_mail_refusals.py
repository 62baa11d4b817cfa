"""What becomes of a mail that a server refuses, or takes too long for."""

import smtplib
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Literal

import pytest
from django.core import mail as mails
from pytest_django import Settings

from notifications.core.messages import Test
from notifications.outbound import smtp
from notifications.outbound.deadline import WATCHDOG
from notifications.transports.email import EmailTransport
from tests.integration.collector import Collector
from tests.integration.mailing import failure, mail_server, send
from tests.sinks import Pace, SmtpSink
from tests.unit.notifications.odd_servers import CERTIFICATE, Dripping

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

PATIENT = 60.0  # seconds: enough for a prompt server on a busy machine
FOREVER = 300.0  # what drips would go on for longer than any test waits


@pytest.fixture
def collector() -> Collector:
    return Collector()


@pytest.fixture
def sink(tmp_path: Path, settings: Settings) -> Iterator[SmtpSink]:
    with mail_server(tmp_path / "mails", settings) as sink:
        yield sink


NO_SUCH_MAILBOX = [
    "550 5.1.1 No such mailbox",
    "550-5.1.1 The account that you tried to reach\r\n550 5.1.1 does not exist",
    "550 5.1.2 No such domain",
    "553 5.1.3 That is not an address",
    "551 5.1.6 Moved",
    "556 5.1.10 This domain takes no mail",
    "550 5.2.1 Mailbox disabled",
]
OF_THE_RECEIVER_PERHAPS = [
    "550 No such user here",
    "550 Administrative prohibition",
    "550 5.4.1 Recipient address rejected: Access denied",
    "550 5.0.0 Refused",
    "550 5.1.1.20 is on our list",
    "550 Not as in 5.1.1",
    "553 Not allowed here",
    "554 Transaction failed",
    "552 5.2.2 Mailbox full",
    "450 4.2.1 Try again later",
    "450 4.1.1 Unknown for now",
    "550 4.1.1 Unknown for now",
    "450 5.1.1 Unknown for now",
    "451 Greylisted",
]
OF_OUR_RELAY = [
    "550 relay not permitted",
    "554 5.7.1 Relay access denied",
    "550 5.7.26 Unauthenticated mail",
    "550 5.4.5 Daily quota exceeded",
    "550 5.1.8 Sender address rejected",
    "452 4.3.1 Out of storage",
    "421 Shutting down",
    "451 4.7.1 Try again later",
    "503 Bad sequence of commands",
    "521 This host takes no mail",
    "503 5.0.0 Need MAIL first",
    "530 Authentication required",
    "535 5.7.8 Bad credentials",
]
REFUSALS = [
    *((reply, True, False) for reply in NO_SUCH_MAILBOX),
    *((reply, False, False) for reply in OF_THE_RECEIVER_PERHAPS),
    *((reply, False, True) for reply in OF_OUR_RELAY),
]


@pytest.mark.parametrize("at", ["RCPT", "DATA"])
@pytest.mark.parametrize(("reply", "disables", "is_ours"), REFUSALS)
def test_only_a_mailbox_that_does_not_exist_switches_the_channel_off(
    collector: Collector,
    sink: SmtpSink,
    reply: str,
    disables: bool,
    is_ours: bool,
    at: Literal["RCPT", "DATA"],
) -> None:
    sink.refuse(reply, at=at)
    error = failure(collector)
    assert (error.disables, error.permanent, error.is_ours) == (disables, disables, is_ours)
    assert reply.rpartition("\n")[2][4:] in str(error)
    assert error.exchange.status == int(reply[:3])
    assert sink.receipts() == []


@pytest.mark.parametrize(
    "reply", ["550 5.1.1 No such mailbox", "550 5.7.1 You may not", "450 Later", "530 Who are you?"]
)
def test_a_refusal_of_the_sender_says_nothing_about_the_channel(
    collector: Collector, sink: SmtpSink, reply: str
) -> None:
    sink.refuse(reply, at="MAIL")
    error = failure(collector)
    assert (error.disables, error.permanent, error.is_ours) == (False, False, True)
    assert reply in str(error)


def test_a_server_that_is_away_may_be_back_soon(collector: Collector, sink: SmtpSink) -> None:
    sink.stop()
    error = failure(collector)
    assert (error.permanent, error.is_ours) == (False, True)
    sink.start()
    assert send(collector, Test()).status == 250


@pytest.mark.parametrize("said", [b"", b"554 Go away\r\n", b"\xff\xfe\r\n", b"220 Hello\r\n521 No\r\n"])
def test_a_server_that_does_not_let_us_begin_is_our_own_trouble(
    collector: Collector, sink: SmtpSink, settings: Settings, said: bytes
) -> None:
    with Dripping(said, closes=True, speaks_first=True) as odd:
        settings.EMAIL_PORT = odd.port
        error = failure(collector)
    assert (error.permanent, error.is_ours) == (False, True)


def test_a_sender_that_cannot_be_written_switches_nothing_off(
    collector: Collector, sink: SmtpSink, settings: Settings
) -> None:
    settings.DEFAULT_FROM_EMAIL = "finds@" + "\N{LATIN SMALL LETTER E WITH ACUTE}" * 70 + ".example"
    assert not failure(collector).permanent


@pytest.mark.parametrize("setting", ["EMAIL_USE_TLS", "EMAIL_USE_SSL"])
def test_tls_that_the_server_does_not_speak_is_our_own_trouble(
    collector: Collector, sink: SmtpSink, settings: Settings, setting: str
) -> None:
    setattr(settings, setting, True)
    error = failure(collector)
    assert (error.permanent, error.is_ours) == (False, True)


def test_a_server_that_says_nothing_is_given_up_in_time(collector: Collector, settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = silent.getsockname()
        settings.EMAIL_TIMEOUT = 0.2
        error = failure(collector)
    assert "in time" in str(error)
    assert (error.permanent, error.is_ours) == (False, True)


@pytest.mark.parametrize(
    "pace",
    [
        Pace(after_seconds=0.6),
        *(Pace(replies=reply, drips=True) for reply in ("220", "250-", "250 OK", "250 Recipient", "354")),
    ],
)
def test_the_whole_dialogue_has_one_deadline_however_slowly_it_drips(
    collector: Collector, sink: SmtpSink, pace: Pace
) -> None:
    sink.dawdle(pace)
    began = time.monotonic()
    error = failure(collector, transport=EmailTransport(seconds=1.0))
    assert 0.9 < time.monotonic() - began < FOREVER
    assert "in time" in str(error)
    assert (error.permanent, error.is_ours) == (False, True)


def test_the_deadline_holds_against_a_handshake_that_drips(
    collector: Collector, sink: SmtpSink, settings: Settings
) -> None:
    with Dripping(b"\x16\x03\x03\x40\x00") as dripping:
        settings.EMAIL_USE_SSL, settings.EMAIL_PORT = True, dripping.port
        began = time.monotonic()
        assert "in time" in str(failure(collector, transport=EmailTransport(seconds=1.0)))
        assert time.monotonic() - began < FOREVER


@pytest.mark.parametrize("reply", ["250 Taken", "221"])
def test_a_mail_that_was_taken_is_sent_though_what_follows_drips(
    collector: Collector, sink: SmtpSink, reply: str
) -> None:
    sink.dawdle(Pace(replies=reply, drips=True))
    with time_is_over_when_it_drips(sink):
        sent = send(collector, Test(), transport=EmailTransport(seconds=PATIENT))
    assert sent.response.startswith("Taken")
    assert sink.has_dripped.is_set()


def test_an_address_that_does_not_exist_is_told_though_the_rest_drips(
    collector: Collector, sink: SmtpSink
) -> None:
    sink.refuse("550 5.1.1 No such mailbox")
    sink.dawdle(Pace(replies="221", drips=True))
    with time_is_over_when_it_drips(sink):
        assert failure(collector, transport=EmailTransport(seconds=PATIENT)).disables
    assert sink.has_dripped.is_set()


@contextmanager
def time_is_over_when_it_drips(sink: SmtpSink) -> Iterator[None]:
    """So that no part of the time was needed for what came before, however busy the machine is."""

    def end() -> None:
        if sink.has_dripped.wait(PATIENT):
            with WATCHDOG._changed:
                for watch in WATCHDOG._watches:
                    watch._ends_at = time.monotonic()

    ending = Thread(target=end)
    ending.start()
    try:
        yield
    finally:
        ending.join()


def test_the_dialogue_may_be_secured_from_the_first_byte(tmp_path: Path) -> None:
    secured = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    secured.load_cert_chain(CERTIFICATE)
    with SmtpSink(tmp_path / "mails", secured=secured) as sink:
        server = smtp.EmailBackend(
            ends_at=time.monotonic() + PATIENT, host="127.0.0.1", port=sink.port, use_ssl=True
        )
        server.ssl_context = ssl.create_default_context(cafile=str(CERTIFICATE))
        server.ssl_context.check_hostname = False  # it is shop.example's
        mail = mails.EmailMessage("Hello", "Hello.", to=["reader@example.org"], connection=server)
        assert mail.send() == 1
        assert len(sink.receipts()) == 1


@pytest.mark.parametrize(
    "password", ["a very secret word", "ein sehr geheimes W\N{LATIN SMALL LETTER O WITH DIAERESIS}rtchen"]
)
def test_a_wrong_password_is_our_fault_and_is_not_told(
    collector: Collector, sink: SmtpSink, settings: Settings, password: str
) -> None:
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "us", password
    error = failure(collector)
    assert (error.permanent, error.is_ours) == (False, True)
    assert "secret" not in str(error) + error.exchange.request + error.exchange.response
    assert isinstance(error.__cause__, smtplib.SMTPException)


def test_mails_stay_in_the_outbox_when_no_server_is_named(
    collector: Collector, settings: Settings, tmp_path: Path
) -> None:
    settings.EMAIL_BACKEND, settings.OUTBOX = "lesubscribe.outbox.EmailBackend", tmp_path / "outbox"
    send(collector, Test())
    assert len(list((tmp_path / "outbox").glob("*.eml"))) == 1
