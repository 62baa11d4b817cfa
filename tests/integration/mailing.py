"""Sending mails to a collector, as the transport does it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_django import Settings

from notifications.core.messages import Content, Test
from notifications.transports.base import DeliveryError, Exchange, Target
from notifications.transports.email import EmailTransport
from tests.integration.collector import NOW, Collector
from tests.sinks import SmtpSink

UID = "msg_0123456789abcdef0123456789abcdef"
SECONDS = 120  # for a prompt server on a busy machine


@contextmanager
def mail_server(folder: Path, settings: Settings) -> Iterator[SmtpSink]:
    """One that keeps what it gets in the folder, and that all mails go to."""
    with SmtpSink(folder) as sink:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", sink.port
        settings.EMAIL_TIMEOUT = SECONDS
        settings.BASE_URL = "https://finds.example.org"
        settings.DEFAULT_FROM_EMAIL = "Le Subscribe <finds@mail.example.org>"
        yield sink


def target(collector: Collector) -> Target:
    channel = collector.channel
    return Target(channel=channel.pk, owner=channel.owner_id, address=channel.address, secrets=())


def send(
    collector: Collector, content: Content, *, uid: str = UID, transport: EmailTransport | None = None
) -> Exchange:
    return (transport or EmailTransport(seconds=SECONDS)).send(target(collector), content, uid=uid, now=NOW)


def failure(collector: Collector, *, transport: EmailTransport | None = None) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        send(collector, Test(), transport=transport)
    return caught.value
