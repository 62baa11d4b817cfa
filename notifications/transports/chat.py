"""Chat and push services, through their plug-ins in apprise.

A plug-in says only whether it worked; what the service answered is known to the guard, and decides: an
address that leads nowhere any more switches the channel off, a message that is refused for what it is will
not be tried again, all else will.
"""

import json
import math
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.urls import reverse

from notifications import links
from notifications.addresses import InvalidAddress
from notifications.chat.addresses import hidden, hosts_of, secrets_of
from notifications.chat.guard import calling
from notifications.chat.plugins import Plugin, opened
from notifications.chat.services import Service, service_of
from notifications.core.attempts import asked_for
from notifications.core.messages import Content, Verify
from notifications.core.notes import Note, Places, note_of
from notifications.outbound import Answer, NoAnswer, Outbound, Refused
from notifications.transports.base import DeliveryError, Exchange, Target
from schema_registry.core.sentences import gettext as _

LONGEST_LOGGED_RESPONSE = 2_000
_REFUSED_FOR_WHAT_IT_IS = (400, 413, 422)
_MAY_ASK_TO_WAIT = (429, 503)


class ChatTransport:
    def __init__(self, outbound: Outbound | None = None) -> None:
        self._outbound = outbound

    def send(self, target: Target, content: Content, *, uid: str, now: datetime) -> Exchange:
        service, plugin = _opened(target)
        places = _places(target, content)
        note = note_of(content, places=places, most=service.most, now=now)
        request = _logged_request(target, note, places)
        outbound = self._outbound or Outbound(allowed_hosts=settings.WEBHOOK_ALLOWED_HOSTS)
        with calling(outbound, hosts=hosts_of(service, plugin)) as call:
            has_arrived = plugin.notify(
                title=note.title,
                body=note.text,
                body_format="markdown" if service.is_markdown else "text",
            )
        last = call.last
        if not isinstance(last, Answer):
            raise _silence(last, service, Exchange(request=request))
        response = hidden(_logged_response(last), secrets_of(service, plugin))
        exchange = Exchange(status=last.status, request=request, response=response)
        if not has_arrived:
            raise _refusal(last, service, exchange)
        return exchange


def _opened(target: Target) -> tuple[Service, Plugin]:
    (address, *_old) = target.secrets
    service = service_of(address)
    with suppress(InvalidAddress, ValueError):
        if service is not None:
            return service, opened(service, address)
    raise DeliveryError(_("We do not send to this service any more."), disables=True)


def _places(target: Target, content: Content) -> Places:
    confirm = links.confirm_address(target.channel, content.challenge) if isinstance(content, Verify) else ""
    return Places(
        feed=settings.BASE_URL + reverse("feed"),
        channels=settings.BASE_URL + reverse("telling"),
        confirm=confirm,
    )


def _silence(last: Refused | NoAnswer | None, service: Service, exchange: Exchange) -> DeliveryError:
    if isinstance(last, Refused):
        return DeliveryError(str(last), permanent=last.is_forever, exchange=exchange)
    if isinstance(last, NoAnswer):
        return DeliveryError(str(last), exchange=exchange)
    return DeliveryError(
        _("This cannot be said on {service}.", service=service.name), permanent=True, exchange=exchange
    )


def _refusal(answer: Answer, service: Service, exchange: Exchange) -> DeliveryError:
    if answer.status in service.gone:
        sentence = _(
            "{service} says that there is nothing at this address any more ({status}).",
            service=service.name,
            status=answer.status,
        )
        return DeliveryError(sentence, disables=True, exchange=exchange)
    return DeliveryError(
        _("{service} answered {status}.", service=service.name, status=answer.status),
        permanent=answer.status in _REFUSED_FOR_WHAT_IT_IS,
        wait=_wait_asked_for(answer),
        exchange=exchange,
    )


def _wait_asked_for(answer: Answer) -> timedelta:
    """In the usual header, or in the answer, as Telegram and Discord have it."""
    if answer.status not in _MAY_ASK_TO_WAIT:
        return timedelta(0)
    said: Any = answer.headers.get("retry-after")
    with suppress(ValueError, TypeError, AttributeError, KeyError, OverflowError):
        if not said:
            document = json.loads(answer.body)
            said = document.get("parameters", document)["retry_after"]
        return asked_for(str(math.ceil(float(said)))) or timedelta(0)
    return timedelta(0)


def _logged_request(target: Target, note: Note, places: Places) -> str:
    """What was said, rather than how: the request itself has tokens in it. Whoever could read the link of a
    verification would not need the chat."""
    said = f"To: {target.address}\n\n{note.title}\n{note.text}"
    return said.replace(places.confirm, "***") if places.confirm else said


def _logged_response(answer: Answer) -> str:
    """PostgreSQL takes no NUL in a text."""
    text = answer.body[: 4 * LONGEST_LOGGED_RESPONSE].decode(errors="replace")
    return text[:LONGEST_LOGGED_RESPONSE].replace("\0", "\N{REPLACEMENT CHARACTER}")
