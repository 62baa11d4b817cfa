"""Sending mails to a collector, as the transport does it."""

import pytest

from notifications.core.messages import Content, Test
from notifications.transports.base import DeliveryError, Exchange, Target
from notifications.transports.email import EmailTransport
from tests.integration.collector import NOW, Collector

UID = "msg_0123456789abcdef0123456789abcdef"


def target(collector: Collector) -> Target:
    channel = collector.channel
    return Target(channel=channel.pk, owner=channel.owner_id, address=channel.address, secrets=())


def send(
    collector: Collector, content: Content, *, uid: str = UID, transport: EmailTransport | None = None
) -> Exchange:
    return (transport or EmailTransport()).send(target(collector), content, uid=uid, now=NOW)


def failure(collector: Collector, *, transport: EmailTransport | None = None) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        send(collector, Test(), transport=transport)
    return caught.value
