"""What becomes of an address whose mails come back, or are called spam.

One that takes no mail any more is switched off, and its owner is told by another way. One that comes back now
and then is counted, and switched off when that happens too often. After a complaint the address gets nothing
at all, whoever has it as a channel, and nobody but staff can change that.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from notifications import channels
from notifications.models import Channel, MailEvent
from notifications.suppression import COMPLAINED

Kind = MailEvent.Kind
DELAYS_ARE_COUNTED_FOR = timedelta(days=7)
MOST_DELAYED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a mail service tells. The key is the same when it tells the same again."""

    kind: MailEvent.Kind
    key: str
    address: str
    said: str


def take_note(told: Told, *, now: datetime) -> int:
    """How many channels were switched off for it. To hear it twice is to hear it once; who is nobody's
    address is passed over.
    """
    of_it = Channel.objects.filter(kind=Channel.Kind.EMAIL, address=told.address)
    with transaction.atomic():
        numbers = list(of_it.order_by("pk").values_list("pk", flat=True))
        if not numbers or not _is_news(told, now=now):
            return 0
        reason = _reason_to_switch_off(told, now=now)
        if not reason:
            return 0
        return sum(channels.disable(number, reason=reason, now=now) for number in numbers)


def _is_news(told: Told, *, now: datetime) -> bool:
    """A service that got no answer tells it again, later or at the same moment."""
    facts = {"address": told.address, "kind": told.kind, "said": told.said, "happened_at": now}
    _event, is_new = MailEvent.objects.get_or_create(key=told.key, defaults=facts)
    return is_new


def _reason_to_switch_off(told: Told, *, now: datetime) -> str:
    match told.kind:
        case Kind.COMPLAINT:
            return COMPLAINED
        case Kind.RETURNED:
            return f"Mails to it come back: {told.said}" if told.said else "Mails to it come back."
    delayed = MailEvent.objects.filter(
        address=told.address, kind=Kind.DELAYED, happened_at__gt=now - DELAYS_ARE_COUNTED_FOR
    )
    count = delayed.count()
    if count < MOST_DELAYED:
        return ""
    days = DELAYS_ARE_COUNTED_FOR.days
    return f"{count} mails to it came back within {days} days. {told.said}".strip()
