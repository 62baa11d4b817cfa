"""What mail services tell us of mails, as anymail reads it: the same words for all of them."""

import hashlib
import re
from typing import Any

from anymail.signals import EventType, RejectReason, tracking  # type: ignore[import-untyped]
from django.dispatch import receiver
from django.utils import timezone

from notifications import addresses, bounces
from notifications.addresses import InvalidAddress
from notifications.bounces import Told
from notifications.core.wording import one_line
from notifications.models import MailEvent

Kind = MailEvent.Kind
LONGEST_SAID = 300
_FOR_GOOD = {RejectReason.BOUNCED, RejectReason.INVALID, RejectReason.BLOCKED, RejectReason.UNSUBSCRIBED}
_THIS_TIME = re.compile(r"\b4\.\d{1,3}\.\d{1,3}\b|\b4\d\d[ -]")  # SMTP's codes for what may yet be better
# Postmark's own words for mails that it gave up, to addresses that may be well again tomorrow: anymail takes
# them for what they are not.
_THIS_TIME_BY_TYPE = {"SoftBounce"}


@receiver(tracking, dispatch_uid="mails that came back or were called spam")
def take_note(event: Any, esp_name: str, **kwargs: Any) -> None:
    kind = _kind(event)
    if kind is None:
        return
    try:
        address = addresses.email_address(str(event.recipient or ""))
    except InvalidAddress:
        return  # then it is no channel
    said = one_line(str(event.description or event.mta_response or ""), most=LONGEST_SAID)
    told = Told(kind=kind, key=_key(event, esp_name, address), address=address, said=said)
    bounces.take_note(told, now=timezone.now())


def _kind(event: Any) -> MailEvent.Kind | None:
    """None for what is no trouble, or for what the service goes on trying."""
    if event.event_type == EventType.COMPLAINED or event.reject_reason == RejectReason.SPAM:
        return Kind.COMPLAINT
    if event.event_type == EventType.UNSUBSCRIBED:
        return Kind.RETURNED  # the service will not take mails to it any more
    if event.event_type not in (EventType.BOUNCED, EventType.REJECTED):
        return None
    is_for_good = event.reject_reason in _FOR_GOOD and not _is_for_this_time(event)
    return Kind.RETURNED if is_for_good else Kind.DELAYED


def _is_for_this_time(event: Any) -> bool:
    raw = event.esp_event
    if isinstance(raw, dict) and raw.get("Type") in _THIS_TIME_BY_TYPE:
        return True
    return _THIS_TIME.search(str(event.mta_response or "")) is not None


def _key(event: Any, service: str, address: str) -> str:
    """Some services give an event no number; then it is the message that tells it from others."""
    number = event.event_id or f"{event.message_id} {event.timestamp}"
    return hashlib.sha256(f"{service} {number} {event.event_type} {address}".encode()).hexdigest()
