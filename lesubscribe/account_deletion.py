"""Deleting an account: at once for the person, and bit by bit in the database.

When `delete` returns nobody can sign in, nothing is sent any more and the searches are not matched. What is
stored goes later, in small transactions, since there may be a million rows. All of it may be stopped
anywhere: the row of the account goes last, and as long as it is there `erase` goes on where it was.
"""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any

import structlog
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from lesubscribe.security import sessions
from matching import bulk
from matching.change_log import CHANGES_AT_ONCE
from matching.models import DailyCount, Feed, Match, Subscription, SubscriptionChange
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from notifications import channels
from notifications.models import Channel, Delivery, Preferences, SharedSearch, Terms
from schema_registry.accounts import deletion, languages
from schema_registry.accounts.models import ApiKey, User

# Matchers follow the log of changes, and have read of the end of a search by then. That entry stays, without
# what was searched for, until the log is cut: a matcher may start from an older snapshot.
RESTS_FOR = timedelta(minutes=10)
SECONDS_FOR_SEARCHES = 2.0  # of a request; whatever is left then is stopped by `erase`
_WITH_ROWS_OF_ITS_OWN = ROWS_PER_TRANSACTION // 5  # a match brings entries along, a delivery attempts
_log = structlog.get_logger(__name__)


def delete(user: User, *, now: datetime) -> None:
    """End the account, and say so in a last mail. Raises MayNotBeDeleted, and then nothing has changed.

    Doing it twice at once is doing it once.
    """
    address = user.email
    with transaction.atomic():
        if not deletion.mark(user, now=now):
            return
        for number in Channel.objects.filter(owner=user).order_by("pk").values_list("pk", flat=True):
            channels.disable(number, reason=_("The account was deleted."), now=now, tell=False)
        EmailAddress.objects.filter(user=user).delete()
        Authenticator.objects.filter(user=user).delete()
        sessions.end_all(user)
    with languages.speaking_to(user):
        _say_goodbye(address)
    deadline = time.monotonic() + SECONDS_FOR_SEARCHES
    for _stopped in _stop_searches(user):
        if time.monotonic() > deadline:
            break


def erase(*, now: datetime, seconds: float = float("inf")) -> bool:
    """Erase accounts that were deleted a while ago, for about so many seconds; whether there is more."""
    deadline = time.monotonic() + seconds
    rested = set(deletion.to_erase(before=now - RESTS_FOR))
    for number in deletion.to_erase(before=now):
        steps = _everything_of(number) if number in rested else _stop_searches(User(pk=number))
        for _step in steps:
            if time.monotonic() > deadline:
                return True
            give_way()
        if number in rested:
            deletion.forget(number)
            _log.info("account_erased", account=number)
    return False


def _stop_searches(owner: User) -> Iterator[None]:
    matched = Subscription.objects.filter(owner=owner).exclude(state=Subscription.State.REMOVED)
    while numbers := list(matched.values_list("pk", flat=True)[:CHANGES_AT_ONCE]):
        bulk.unsubscribe(owner, numbers)
        yield


def _everything_of(number: int) -> Iterator[None]:
    """Each step is a small transaction. What others refer to goes after them: nothing cascades far."""
    yield from _stop_searches(User(pk=number))
    mine = list(Channel.objects.filter(owner=number).values_list("pk", flat=True))
    searches = {"subscription__owner": number}
    yield from _gone(Match.objects.filter(owner=number), at_once=_WITH_ROWS_OF_ITS_OWN)
    yield from _gone(Delivery.objects.filter(channel__in=mine), at_once=_WITH_ROWS_OF_ITS_OWN)
    yield from _gone(Terms.channels.through.objects.filter(channel__in=mine))
    yield from _gone(Terms.objects.filter(**searches))
    yield from _gone(SharedSearch.objects.filter(**searches))
    yield from _gone(DailyCount.objects.filter(**searches))
    yield from _gone(SubscriptionChange.objects.filter(is_matched=True, **searches))
    yield from _gone(Subscription.objects.filter(owner=number))
    yield from _gone(Channel.objects.filter(owner=number))
    yield from _gone(ApiKey.objects.filter(user=number))
    yield from _gone(Preferences.objects.filter(owner=number))
    yield from _gone(Feed.objects.filter(owner=number))
    yield from _gone(Authenticator.objects.filter(user=number))
    sessions.end_all(User(pk=number))
    _sign_out(number)


def _gone(rows: QuerySet[Any], *, at_once: int = ROWS_PER_TRANSACTION) -> Iterator[None]:
    while numbers := list(rows.values_list("pk", flat=True)[:at_once]):
        with transaction.atomic():
            rows.model._default_manager.filter(pk__in=numbers).delete()
        yield


def _sign_out(number: int) -> None:
    """Where we did not note it. Nobody can use those sessions, but they hold the address. O(all sessions)."""
    for session in Session.objects.iterator(chunk_size=ROWS_PER_TRANSACTION):
        if session.get_decoded().get(SESSION_KEY) == str(number):  # it alone knows whose it is
            session.delete()


def _say_goodbye(address: str) -> None:
    """Nobody can be told if it does not arrive: the address is not kept."""
    try:
        text = render_to_string("lesubscribe/account_deleted_mail.txt", {"address": address})
        send_mail(_("Your account is deleted"), text, None, [address])
    except (OSError, SMTPException, UnicodeError) as error:
        _log.warning("goodbye_not_sent", error=type(error).__name__)
