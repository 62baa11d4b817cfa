"""One module per channel kind; the table says which sends what."""

from collections.abc import Mapping

from notifications.models import Channel
from notifications.transports.base import Transport
from notifications.transports.chat import ChatTransport
from notifications.transports.email import EmailTransport
from notifications.transports.webhook import WebhookTransport

TRANSPORTS: Mapping[str, Transport] = {
    Channel.Kind.EMAIL: EmailTransport(),
    Channel.Kind.WEBHOOK: WebhookTransport(),
    Channel.Kind.CHAT: ChatTransport(),
}
