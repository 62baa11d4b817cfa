"""Sending what is due: one delivery after another, in each of many threads.

A delivery is claimed, composed as things are now, sent, and what came of it is written down. While a receiver
takes its time the thread holds no connection to the database.
"""

import time
from datetime import datetime

import structlog
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from matching import failpoints
from notifications import claims, outcomes, wakeups
from notifications.composing import NothingToTell, composed
from notifications.core.attempts import MOST_ATTEMPTS
from notifications.core.messages import Content
from notifications.core.policy import not_quiet
from notifications.hours import hours_of
from notifications.models import Channel, Delivery
from notifications.outcomes import ALSO_WHEN_QUIET, Tried
from notifications.told import Told, told_by
from notifications.transports import TRANSPORTS
from notifications.transports.base import DeliveryError, Exchange, Target
from notifications.turns import give_connection_back
from schema_registry.accounts.languages import speaking_to
from schema_registry.core.sentences import gettext as _

SECONDS_TO_SEND = 20  # at most, with all deadlines
SECONDS_TO_WRITE_DOWN = 10.0  # what arrived, should the database be away; then the lease is over
PAUSE_SECONDS = 0.25
_log = structlog.get_logger(__name__)


def deliver(*, seconds: float) -> int:
    """Send until nothing is due, or for about so many seconds; how many were dealt with.

    As long as more is due another thread is woken, which wakes the next one.
    """
    deadline = time.monotonic() + seconds
    count = 0
    while time.monotonic() < deadline and (delivery := claims.take()):
        failpoints.reached("deliver.leased", delivery.pk)
        if claims.is_any_left():
            wakeups.SENDERS.send()
        _deal_with(delivery)
        count += 1
    return count


def is_any_due() -> bool:
    """Whether there is something that could be sent now."""
    return claims.is_any_due()


def _deal_with(delivery: Delivery) -> None:
    """All in the language of whom it is for: what is sent, and what their log says of it."""
    with speaking_to(delivery.channel.owner):
        _send_or_wait(delivery)


def _send_or_wait(delivery: Delivery) -> None:
    now = timezone.now()
    if delivery.attempts > MOST_ATTEMPTS:
        outcomes.give_up(delivery, now=now)
    elif (until := _quiet_until(delivery, now)) > now:
        claims.give_back(delivery, until=until)
    else:
        _attempt(delivery, now=now)


def _quiet_until(delivery: Delivery, now: datetime) -> datetime:
    """It may have become late since it was planned: the channel was failing, or sending was halted."""
    return now if delivery.kind in ALSO_WHEN_QUIET else not_quiet(now, hours_of(delivery.channel.owner_id))


def _attempt(delivery: Delivery, *, now: datetime) -> None:
    told: frozenset[Told] = frozenset()
    error: DeliveryError | None = None
    try:
        content = composed(delivery, now=now)
        if not _is_still_ours(delivery, since=now):
            return
        told = told_by(content)
        exchange = _sent(delivery, content, now=timezone.now())
    except NothingToTell as nothing:
        outcomes.drop(delivery, reason=str(nothing), now=timezone.now())
        return
    except (DatabaseError, InterfaceError):
        raise  # nothing is wrong with the delivery: it is due again when its lease runs out
    except DeliveryError as failure:
        exchange, error = failure.exchange, failure
    except Exception as fault:
        _log.exception("delivery_failed", delivery=delivery.pk)
        exchange = Exchange()
        sentence = _("Sending it failed ({kind}); the worker's log has more.", kind=type(fault).__name__)
        error = DeliveryError(sentence, is_ours=True)
    failpoints.reached("deliver.after-send", delivery.pk)
    _write_down(
        Tried(
            delivery=delivery,
            began_at=now,
            ended_at=timezone.now(),
            exchange=exchange,
            error=error,
            told=told,
        )
    )
    failpoints.reached("deliver.after-commit", delivery.pk)


def _is_still_ours(delivery: Delivery, *, since: datetime) -> bool:
    """Composing takes long for thousands of matches. Sending must end before the lease does."""
    took = timezone.now() - since
    return took.total_seconds() < claims.LEASE_SECONDS - SECONDS_TO_SEND or claims.renew(delivery)


def _sent(delivery: Delivery, content: Content, *, now: datetime) -> Exchange:
    target = _target(delivery.channel, now=now)
    transport = TRANSPORTS[delivery.channel.kind]
    give_connection_back()
    failpoints.reached("deliver.before-send", delivery.pk)
    return transport.send(target, content, uid=delivery.wire_id, now=now)


def _target(channel: Channel, *, now: datetime) -> Target:
    secrets = [channel.secret]
    if channel.old_secret and channel.old_secret_until and channel.old_secret_until > now:
        secrets.append(channel.old_secret)
    return Target(channel=channel.pk, owner=channel.owner_id, address=channel.address, secrets=tuple(secrets))


def _write_down(tried: Tried) -> None:
    """Try for a while: what arrived and is not written down is sent again."""
    deadline = time.monotonic() + SECONDS_TO_WRITE_DOWN
    while True:
        try:
            outcomes.record(tried)
            return
        except (DatabaseError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() > deadline:
                raise
            connection.close()
            time.sleep(PAUSE_SECONDS)
