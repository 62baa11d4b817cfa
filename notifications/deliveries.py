"""Deliveries that somebody asks for by hand: one planned for now, and one sent again."""

from datetime import datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from matching import failpoints
from notifications import allowances, wakeups
from notifications.hours import hours_of
from notifications.models import Channel, Delivery
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

State, Kind = Delivery.State, Delivery.Kind
# Longer than anything waits. A channel that fails is tried with one message at a time, the first that is due;
# whoever has just asked for a message wants that one to be it.
_AHEAD_OF_ALL = timedelta(days=365)
# What makes of one that is finished one that waits, with all attempts before it; when is for others to say.
AGAIN: dict[str, Any] = {
    "state": State.WAITING,
    "attempts": 0,
    "leased_until": None,
    "finished_at": None,
    "reason": "",
}


class CannotReplay(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "cannot_replay"


class TooSoon(InputError):  # noqa: N818 - named for what happened
    code = "too_soon"

    def __init__(self, sentence: str, again_at: datetime) -> None:
        super().__init__(sentence)
        self.again_at = again_at


def plan_now(
    channel: Channel, *, kind: Delivery.Kind, key: str, now: datetime, about: dict[str, Any] | None = None
) -> Delivery:
    """To be sent as soon as a worker has time, before all that waits for this channel."""
    planned = Delivery.objects.create(
        channel=channel,
        kind=kind,
        key=key,
        about=about or {},
        planned_at=now,
        next_attempt_at=now - _AHEAD_OF_ALL,
    )
    transaction.on_commit(wakeups.SENDERS.send)
    return planned


def next_attempt(delivery: Delivery) -> datetime | None:
    """As people should read it: none is before it was planned, and what is finished has none."""
    return max(delivery.planned_at, delivery.next_attempt_at) if _is_on_its_way(delivery) else None


def may_replay(delivery: Delivery) -> bool:
    """Whether `replay` would send it, but for what an address may get on a day."""
    return not _is_on_its_way(delivery) and not _why_never_again(delivery)


def replay(delivery: Delivery, *, now: datetime) -> None:
    """Send it again, under the same id, with all attempts before it.

    Raises CannotReplay, TooSoon, Delivery.DoesNotExist.
    """
    if refusal := _why_never_again(delivery):
        raise CannotReplay(refusal)
    with transaction.atomic():
        count_as_mail(delivery.channel, now=now)  # before the delivery is locked, as planning does it
        locked = Delivery.objects.select_for_update(no_key=True).get(pk=delivery.pk)
        if _is_on_its_way(locked):
            raise CannotReplay(_("This delivery is still on its way."))
        Delivery.objects.filter(pk=locked.pk).update(next_attempt_at=now, **AGAIN)
        failpoints.at_commit("send-again")
        transaction.on_commit(wakeups.SENDERS.send)


def _is_on_its_way(delivery: Delivery) -> bool:
    return delivery.state == State.WAITING


def _why_never_again(delivery: Delivery) -> str:
    """Whatever has become of it."""
    if delivery.kind == Kind.VERIFY:
        return _("A verification is not sent again; ask for a new one at its channel.")
    if delivery.channel.wants == Channel.Wants.NOTHING:
        return _("This channel wants nothing, so nothing is sent to it again.")
    return ""


def count_as_mail(channel: Channel, *, now: datetime) -> None:
    """One of those that an e-mail address may get on its owner's day, whoever has it as a channel.

    To be called in a transaction: a refusal undoes the counting. Raises TooSoon.
    """
    if channel.kind != Channel.Kind.EMAIL:
        return
    hours = hours_of(channel.owner_id)
    today = hours.day_of(now)
    counted = (channel.address, today)
    if allowances.take({counted: 1})[counted] >= settings.MOST_MAILS_PER_DAY:
        tomorrow = datetime.combine(today + timedelta(days=1), time(), hours.zone)
        raise TooSoon(_("This address has had its most messages of today; ask again tomorrow."), tomorrow)


def refuse_within(gap: timedelta, *, since: datetime, now: datetime) -> None:
    """Raises TooSoon."""
    again_at = since + gap
    if again_at > now:
        seconds = max(1, round((again_at - now).total_seconds()))
        raise TooSoon(_("One was sent just now; ask again in {seconds} s.", seconds=seconds), again_at)
