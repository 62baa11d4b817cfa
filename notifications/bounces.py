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
from schema_registry.accounts.languages import speaking_to
from schema_registry.core.sentences import gettext as _

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
        found = list(of_it.select_related("owner").order_by("pk"))
        if not found or not _is_news(told, now=now):
            return 0
        return sum(_switched_off(channel, told, now=now) for channel in found)


def _switched_off(channel: Channel, told: Told, *, now: datetime) -> bool:
    with speaking_to(channel.owner):
        reason = _reason_to_switch_off(told, now=now)
        return bool(reason) and channels.disable(channel.pk, reason=reason, now=now)


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
            if told.said:
                return _("Mails to it come back: {said}", said=told.said)
            return _("Mails to it come back.")
    delayed = MailEvent.objects.filter(
        address=told.address, kind=Kind.DELAYED, happened_at__gt=now - DELAYS_ARE_COUNTED_FOR
    )
    count = delayed.count()
    if count < MOST_DELAYED:
        return ""
    days = DELAYS_ARE_COUNTED_FOR.days
    words = _("{count} mails to it came back within {days} days.", count=count, days=days)
    return f"{words} {told.said}".strip()
