"""Proving that an address is its owner's: a message with a link to follow, or a challenge to answer.

Whoever adds somebody else's address makes us write to it, so an address gets few such mails, whoever asks for
them. Nobody hears that another person's request was in the way: the mail is left out without a word. Webhooks
are too easily made up to be counted by their address, so whoever asks is counted, too; so it is with chats.
"""

import secrets
from datetime import UTC, datetime, time, timedelta

from django.db.models import F

from notifications import allowances, deliveries
from notifications.deliveries import TooSoon
from notifications.models import Allowance, Channel, Delivery
from notifications.suppression import is_suppressed
from schema_registry.core.sentences import gettext as _

Kind = Channel.Kind
GAP = {
    Kind.EMAIL: timedelta(minutes=10),
    Kind.WEBHOOK: timedelta(seconds=10),
    Kind.CHAT: timedelta(minutes=1),
}
MOST_MAILS_PER_DAY = 5  # to an address, by UTC
MOST_PER_OWNER_AND_DAY = 100  # of all kinds, by UTC


def new_challenge() -> str:
    return secrets.token_urlsafe(32)


def begin(channel: Channel, *, now: datetime) -> None:
    """Plan the message with the channel's challenge. To be called in a transaction. Raises TooSoon."""
    _count_for_owner(channel.owner_id, now=now)
    if channel.kind != Kind.EMAIL or _may_be_written_to(channel.address, now=now):
        deliveries.plan_now(channel, kind=Delivery.Kind.VERIFY, key=f"verify:{channel.challenge}", now=now)


def begin_again(channel: Channel, *, now: datetime) -> None:
    """With another challenge; an earlier message is worth nothing any more. Raises TooSoon."""
    refuse_if_sent_lately(channel, kind=Delivery.Kind.VERIFY, gap=GAP[Kind(channel.kind)], now=now)
    earlier = channel.deliveries.filter(kind=Delivery.Kind.VERIFY, state=Delivery.State.WAITING)
    earlier.update(state=Delivery.State.DROPPED, finished_at=now, reason=_("A newer one was asked for."))
    channel.challenge = new_challenge()
    channel.failures, channel.failing_since, channel.resume_at = 0, None, None  # so that it is tried at once
    channel.save(update_fields=["challenge", "failures", "failing_since", "resume_at"])
    begin(channel, now=now)


def refuse_if_sent_lately(channel: Channel, *, kind: Delivery.Kind, gap: timedelta, now: datetime) -> None:
    """Raises TooSoon."""
    sent = channel.deliveries.filter(kind=kind, planned_at__gt=now - gap)
    latest = sent.order_by("-planned_at").values_list("planned_at", flat=True).first()
    if latest is not None:
        deliveries.refuse_within(gap, since=latest, now=now)


def _count_for_owner(owner_id: int, *, now: datetime) -> None:
    """The row of the day stays when channels are removed. A refusal undoes the counting. Raises TooSoon."""
    today = now.astimezone(UTC).date()
    counted = (f"verify-of:{owner_id}", today)
    if allowances.take({counted: 1})[counted] >= MOST_PER_OWNER_AND_DAY:
        tomorrow = datetime.combine(today + timedelta(days=1), time(), UTC)
        sentence = _(
            "You asked for {most} verifications today; ask again tomorrow.", most=MOST_PER_OWNER_AND_DAY
        )
        raise TooSoon(sentence, tomorrow)


def _may_be_written_to(address: str, *, now: datetime) -> bool:
    return not is_suppressed(address) and _may_have_another(address, now=now)


def _may_have_another(address: str, *, now: datetime) -> bool:
    """Whether this address may have a mail of this kind now; it is then counted as sent.

    The row of the day stays when channels are removed, and whoever else asks waits for it.
    """
    day = now.astimezone(UTC).date()
    Allowance.objects.get_or_create(address=f"verify:{address}", day=day)
    today = Allowance.objects.select_for_update().get(address=f"verify:{address}", day=day)
    lately = Delivery.objects.filter(
        channel__in=Channel.objects.filter(kind=Kind.EMAIL, address=address),
        kind=Delivery.Kind.VERIFY,
        planned_at__gt=now - GAP[Kind.EMAIL],
    )
    if today.used >= MOST_MAILS_PER_DAY or lately.exists():
        return False
    Allowance.objects.filter(pk=today.pk).update(used=F("used") + 1)
    return True
