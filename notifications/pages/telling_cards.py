"""The channels of a person as cards: each with its last delivery, and what can be done with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest

from notifications import delivery_log, selectors
from notifications.models import Channel
from notifications.pages.telling_forms import ChannelForm
from notifications.pages.telling_words import Row, Said, rows_of
from schema_registry.accounts.requests import signed_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """`form` and `secret` are there when they are to be shown, `says` is what came of the last button."""

    channel: Channel
    last: Row | None
    form: ChannelForm | None = None
    says: Said | None = None
    secret: str = ""
    was: str = ""  # its state before its owner has removed it just now, which may yet be taken back


def channel_of(request: HttpRequest, number: int) -> Channel:
    """One of the reader's own; to all others it is not there."""
    found = selectors.channels_of(signed_in(request)).filter(pk=number).first()
    if found is None:
        raise Http404
    return found


def cards_of(channels: Sequence[Channel], *, now: datetime) -> list[Card]:
    done = rows_of(delivery_log.last_done([channel.pk for channel in channels]), now=now)
    last = {row.delivery.channel_id: row for row in done}
    return [Card(channel=channel, last=last.get(channel.pk)) for channel in channels]
