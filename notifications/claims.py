"""Taking a delivery, so that nobody else sends it meanwhile.

A claim is one statement that compares and sets: the delivery is still due, its channel can take one more,
and sending is not halted. The attempt is counted before the work, and the lease goes by the database's time.
It is longer than a send can take, and renewed after composing if that took long; that of a worker that dies
runs out, and the delivery is due again then.
"""

import time
from collections import deque
from datetime import datetime, timedelta
from threading import Lock

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from matching import failpoints
from notifications import due
from notifications.due import Hint
from notifications.models import Channel, Delivery
from notifications.turns import database_time, give_connection_back, short_transaction

LEASE_SECONDS = 30
SECONDS_A_HINT_IS_GOOD_FOR = 1.0
TIMES_AS_LONG_A_REST = 10

_CLAIM = """
    UPDATE notifications_delivery
    SET attempts = attempts + 1, leased_until = {lease_end}, next_attempt_at = {lease_end}
    WHERE id = %(delivery)s AND state = 'waiting' AND next_attempt_at <= {now}
      AND NOT EXISTS (SELECT 1 FROM notifications_sendingswitch WHERE is_halted)
      AND EXISTS (
        SELECT 1 FROM notifications_channel AS channel
        WHERE channel.id = %(channel)s AND channel.id = notifications_delivery.channel_id
          AND (channel.state = 'active'
            OR channel.state = 'pending' AND notifications_delivery.kind = 'verify')
          AND (channel.resume_at IS NULL OR channel.resume_at <= {now})
          AND CASE WHEN channel.failures > 0 THEN %(to_failing)s
                   WHEN channel.kind = 'email' THEN %(to_email)s ELSE %(to_webhook)s END
            > (SELECT count(*) FROM notifications_delivery AS other
               WHERE other.channel_id = channel.id AND other.leased_until > {now} AND other.state = 'waiting')
          AND (channel.failures = 0 OR %(to_all_failing)s
            > (SELECT count(*) FROM notifications_delivery AS other
               JOIN notifications_channel AS failing ON failing.id = other.channel_id AND failing.failures > 0
               WHERE other.leased_until > {now} AND other.state = 'waiting'))
          AND (channel.kind <> 'email' OR %(to_all_mailboxes)s
            > (SELECT count(*) FROM notifications_delivery AS other
               JOIN notifications_channel AS box ON box.id = other.channel_id AND box.kind = 'email'
               WHERE other.leased_until > {now} AND other.state = 'waiting')))"""


class Hints:
    """What this process knows to be due; its threads take from it, and look again when it is empty."""

    def __init__(self) -> None:
        self._hints: deque[Hint] = deque()
        self._old_at = float("-inf")
        self._up_to = 0
        self._rests_until = float("-inf")
        self._lock = Lock()

    def pop(self) -> Hint | None:
        try:
            return self._hints.popleft()
        except IndexError:
            return None

    def is_any_left(self) -> bool:
        return bool(self._hints)

    def look(self) -> None:
        """When channels were gone through in vain, they are let alone for a while."""
        give_connection_back()  # the thread that looks may need it, while we wait for that thread
        with self._lock:
            began = time.monotonic()
            if began > self._old_at:
                self._hints.clear()
            if self._hints:
                return
            if began < self._rests_until:
                self._hints.extend(due.look(in_turn=False).hints)
            elif not self._went_round():
                self._rests_until = began + TIMES_AS_LONG_A_REST * (time.monotonic() - began)
            self._old_at = time.monotonic() + SECONDS_A_HINT_IS_GOOD_FOR

    def _went_round(self) -> bool:
        """From where the last look ended until there is something, or all channels had their turn."""
        ends = 2 if self._up_to else 1  # of the row of channels, until all were passed
        while ends and not self._hints:
            found = due.look(after=self._up_to)
            self._hints.extend(found.hints)
            self._up_to = found.up_to
            ends -= found.up_to == 0
        return bool(self._hints)


_hints = Hints()


def take() -> Delivery | None:
    """A delivery with its channel, ours until the lease runs out; None if we found none that is due."""
    has_looked = False
    while True:
        hint = _hints.pop()
        if hint is None:
            if has_looked:
                return None
            has_looked = True
            _hints.look()
        elif _claim(hint) and (claimed := _read(hint)):
            return claimed


def is_any_left() -> bool:
    """Whether other threads could be sending, too, as far as this process knows."""
    return _hints.is_any_left()


def is_any_due() -> bool:
    """Whether there is something that could be sent now."""
    _hints.look()
    return _hints.is_any_left()


def renew(delivery: Delivery) -> bool:
    """Start its lease anew. Whether it is still ours: somebody may have taken it over."""
    held = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.WAITING, attempts=delivery.attempts)
    until = Now() + timedelta(seconds=LEASE_SECONDS)
    with short_transaction():
        is_ours = bool(held.update(leased_until=until, next_attempt_at=until))
        failpoints.at_commit("renew-delivery")
    return is_ours


def give_back(delivery: Delivery, *, until: datetime) -> None:
    """It is not to be sent before then. This was no attempt."""
    held = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.WAITING, attempts=delivery.attempts)
    with short_transaction():
        held.update(attempts=F("attempts") - 1, leased_until=None, next_attempt_at=until)
        failpoints.at_commit("give-back")


def _claim(hint: Hint) -> bool:
    parameters = {
        "delivery": hint.delivery,
        "channel": hint.channel,
        "to_failing": due.MOST_UNDER_WAY_TO_FAILING,
        "to_email": due.MOST_UNDER_WAY[Channel.Kind.EMAIL],
        "to_webhook": due.MOST_UNDER_WAY[Channel.Kind.WEBHOOK],
        "to_all_failing": due.most_under_way_to_all_failing(),
        "to_all_mailboxes": due.most_under_way_to_all_mailboxes(),
    }
    statement = _CLAIM.format(now=database_time(), lease_end=database_time(seconds_ahead=LEASE_SECONDS))
    with short_transaction(), connection.cursor() as cursor:
        if connection.vendor == "postgresql" and not _is_ours_alone(hint.channel):
            return False
        cursor.execute(statement, parameters)
        is_claimed = bool(cursor.rowcount)
        failpoints.reached("deliver.before-lease")
    return is_claimed


def _is_ours_alone(channel: int) -> bool:
    """Two that claim for a channel at once would not see each other's claim: one of them goes elsewhere."""
    free = Channel.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=channel)
    return bool(free.values_list("pk"))


def _read(hint: Hint) -> Delivery | None:
    """With its owner, who is spoken to. None, should its channel have been removed in this very moment."""
    return Delivery.objects.select_related("channel__owner").filter(pk=hint.delivery).first()
