"""Writing down what came of an attempt: the delivery's new state, the attempt itself, the channel's health.

One transaction each. A channel is always touched before its deliveries, as by those who claim, so that nobody
waits in a circle.
"""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet

from matching import failpoints
from notifications import channels, metrics, notices
from notifications.core import attempts
from notifications.core.policy import not_quiet
from notifications.hours import hours_of
from notifications.models import Attempt, Channel, Delivery
from notifications.told import Told, note_told
from notifications.transports.base import DeliveryError, Exchange
from notifications.turns import short_transaction
from schema_registry.core.sentences import gettext as _

Kind, State = Delivery.Kind, Delivery.State
ALSO_WHEN_QUIET = (Kind.VERIFY, Kind.TEST)  # somebody has just asked for it, and waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One attempt of a delivery that we hold."""

    delivery: Delivery
    began_at: datetime
    ended_at: datetime
    exchange: Exchange
    error: DeliveryError | None = None
    told: frozenset[Told] = frozenset()


def record(tried: Tried) -> None:
    """To be called at once: should we die before, it is sent again."""
    if tried.error is None:
        _record_success(tried)
    else:
        _record_failure(tried, tried.error)
    seconds = (tried.ended_at - tried.began_at).total_seconds()
    metrics.ATTEMPT_SECONDS.labels(tried.delivery.channel.kind).observe(seconds)


def drop(delivery: Delivery, *, reason: str, now: datetime) -> None:
    """There was nothing left to tell."""
    with short_transaction():
        # One that was sent again, and had arrived before, stays so.
        has_arrived = delivery.log.filter(is_success=True).exists()
        state = State.DELIVERED if has_arrived else State.DROPPED
        _held(delivery).update(**_finished(state, reason=reason, now=now))
        failpoints.at_commit("drop")
    _count(delivery, "dropped")


def give_up(delivery: Delivery, *, now: datetime) -> None:
    """So many workers died of it that nobody else shall."""
    with short_transaction():
        _bury(
            delivery,
            reason=_("No worker survived sending it {count} times.", count=attempts.MOST_ATTEMPTS),
            now=now,
        )
        failpoints.at_commit("give-up")
    _count(delivery, "dead")


def _record_success(tried: Tried) -> None:
    delivery, now = tried.delivery, tried.ended_at
    # Also if our lease has run out: it did arrive.
    waiting = Delivery.objects.filter(pk=delivery.pk, state=State.WAITING)
    with short_transaction():
        failing = Channel.objects.filter(pk=delivery.channel_id, failures__gt=0)
        failing.update(failures=0, failing_since=None, resume_at=None)
        if delivery.kind == Kind.VERIFY and delivery.channel.kind == Channel.Kind.WEBHOOK:
            channels.activate(delivery.channel_id, now=now)
        if waiting.update(**_finished(State.DELIVERED, reason="", now=now)):
            _log(tried)
        if tried.told:
            note_told(delivery.pk, tried.told)
        failpoints.reached("deliver.before-commit")
    _count(delivery, "delivered")


def _record_failure(tried: Tried, error: DeliveryError) -> None:
    delivery, now = tried.delivery, tried.ended_at
    is_over = (error.permanent and not error.disables) or attempts.is_last(delivery.attempts)
    with short_transaction():
        if not error.is_ours:
            _note_failure_of_channel(delivery.channel_id, error, now=now)
        if is_over:
            is_ours = _bury(delivery, reason=str(error), now=now)
        else:
            again_at = _next_attempt(delivery, error, now=now)
            changes = {"next_attempt_at": again_at, "leased_until": None, "reason": str(error)}
            is_ours = bool(_held(delivery).update(**changes))
        if is_ours:
            _log(tried)
        failpoints.at_commit("fail")
    _count(delivery, "dead" if is_over else "failed")


def _note_failure_of_channel(channel_id: int, error: DeliveryError, *, now: datetime) -> None:
    """It is left alone for a while. What has failed for days, or says that it is gone, is switched off."""
    channel = Channel.objects.select_for_update(no_key=True).filter(pk=channel_id).first()
    if channel is None:
        return
    channel.failures += 1
    channel.failing_since = channel.failing_since or now
    rest = attempts.rest(channel.failures, pace=settings.RETRY_PACE, chance=_chance())
    channel.resume_at = now + max(rest, error.wait)
    channel.save(update_fields=["failures", "failing_since", "resume_at"])
    if error.disables:
        channels.disable(channel_id, reason=str(error), now=now)
    elif attempts.has_failed_for_too_long(channel.failures, now - channel.failing_since):
        days = attempts.FAILING_FOR_TOO_LONG.days
        channels.disable(
            channel_id, reason=_("Nothing arrived for {days} days. {error}", days=days, error=error), now=now
        )


def _next_attempt(delivery: Delivery, error: DeliveryError, *, now: datetime) -> datetime:
    if error.disables:  # it waits for its channel, and for nothing else
        return now
    gap = attempts.gap(delivery.attempts, pace=settings.RETRY_PACE, chance=_chance())
    moment = now + max(gap, error.wait)
    if delivery.kind in ALSO_WHEN_QUIET:
        return moment
    return not_quiet(moment, hours_of(delivery.channel.owner_id))


def _chance() -> float:
    return random.random()  # noqa: S311 - not a secret


def _bury(delivery: Delivery, *, reason: str, now: datetime) -> bool:
    """A dead letter, of which the owner is told once a day. Whether it was ours to bury."""
    if not _held(delivery).update(**_finished(State.DEAD, reason=reason, now=now)):
        return False
    if delivery.kind != Kind.NOTICE:  # a notice about a notice would not arrive either
        channel = delivery.channel
        dead = Delivery.objects.filter(
            channel=channel, state=State.DEAD, finished_at__gt=now - timedelta(days=1)
        )
        about = {
            "about": "given_up",
            "channel": channel.pk,
            "address": channel.address,
            "deliveries": dead.count(),
        }
        key = f"notice:given_up:{channel.pk}:{now.date().isoformat()}"
        notices.tell(channel.owner_id, about=about, key=key, now=now)
    return True


def _held(delivery: Delivery) -> QuerySet[Delivery]:
    """The delivery, unless somebody took it over, since our lease had run out."""
    return Delivery.objects.filter(pk=delivery.pk, state=State.WAITING, attempts=delivery.attempts)


def _finished(state: Delivery.State, *, reason: str, now: datetime) -> dict[str, object]:
    return {"state": state, "finished_at": now, "leased_until": None, "reason": reason}


def _log(tried: Tried) -> None:
    Attempt.objects.create(
        delivery=tried.delivery,
        number=tried.delivery.attempts,
        began_at=tried.began_at,
        # The clock may have been set back meanwhile.
        milliseconds=max(0, (tried.ended_at - tried.began_at) // timedelta(milliseconds=1)),
        is_success=tried.error is None,
        status=tried.exchange.status,
        request=tried.exchange.request,
        response=tried.exchange.response,
        error=str(tried.error or ""),
    )


def _count(delivery: Delivery, outcome: str) -> None:
    metrics.DELIVERED.labels(delivery.channel.kind, outcome).inc()
