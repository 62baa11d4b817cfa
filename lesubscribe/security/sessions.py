"""Where somebody is signed in. Django's session says that one is; allauth's row beside it, from where.

The row goes with its session: when that is ended here at once, else within the hour (`forget_ended`).
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.core.internal.httpkit import HTTP_USER_AGENT_MAX_LENGTH
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import OperationalError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from lesubscribe.security import browsers
from matching.small_transactions import ROWS_PER_TRANSACTION
from schema_registry.accounts.models import User

# Writing it for every page would make each of them a write.
LAST_SEEN_IS_KEPT_TO = timedelta(minutes=10)
LONGEST = timedelta(days=30)  # whatever is done in it; two weeks in which nothing is written end it before
MOST_SESSIONS = 50  # of one person; whoever signs in once more is signed out where they came least lately
_IS_NOTED = "session_is_noted"
_BEGAN = "session_began"


@dataclass(frozen=True, slots=True)
class SignedIn:
    number: int
    browser: str
    address: str
    since: datetime
    last_seen: datetime
    is_here: bool


def signed_in(user: User, *, here: str | None) -> list[SignedIn]:
    """This browser first, the others by when they were seen last; `here` is the key of this session.

    Two queries. Sessions of before the password was changed open nothing any more, and are left out.
    """
    rows = list(_of(user))
    stored = Session.objects.filter(session_key__in=[row.session_key for row in rows])
    proof = user.get_session_auth_hash()
    live = {
        session.session_key
        for session in stored.filter(expire_date__gt=timezone.now())
        if session.get_decoded().get(HASH_SESSION_KEY) == proof
    }
    found = [_described(row, here) for row in rows if row.session_key in live]
    return sorted(found, key=lambda each: not each.is_here)


def begin(request: HttpRequest) -> None:
    """From now on it is noted when this session was seen. Allauth makes its row when somebody signs in."""
    request.session[_IS_NOTED] = True
    request.session[_BEGAN] = timezone.now().timestamp()


def is_over(request: HttpRequest) -> bool:
    """Whether it has lasted for `LONGEST`. Asks nothing of who has no session."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return False
    began: float | None = request.session.get(_BEGAN)
    return began is not None and timezone.now().timestamp() - began > LONGEST.total_seconds()


def last_proof(request: HttpRequest, user: User) -> datetime | None:
    """When they last showed a password, a code or a passkey in this session."""
    moments = [each["at"] for each in get_authentication_records(request, user)]
    return datetime.fromtimestamp(max(moments), UTC) if moments else None


def take_up(request: HttpRequest) -> None:
    """A session that is older than these notes gets its row, too."""
    if _IS_NOTED not in request.session:
        begin(request)
        UserSession.objects.create_from_request(request)


def note(request: HttpRequest) -> None:
    """Note that this session was seen, from where, and with what; to some minutes."""
    key = request.session.session_key
    if key is None or _IS_NOTED not in request.session:
        return
    if cache.add(_seen_lately(key), 1, timeout=LAST_SEEN_IS_KEPT_TO.seconds):
        agent = request.headers.get("User-Agent", "")[:HTTP_USER_AGENT_MAX_LENGTH]
        address = get_adapter().get_client_ip(request)
        with suppress(OperationalError):  # a busy database is no reason to refuse a page
            row = UserSession.objects.filter(session_key=key)
            row.update(last_seen_at=timezone.now(), ip=address, user_agent=agent)


def session_of(user: User, number: int) -> UserSession | None:
    return UserSession.objects.filter(user=user, pk=number).first()


def end(rows: QuerySet[UserSession]) -> int:
    """Sign out there; how many it were."""
    keys = list(rows.values_list("session_key", flat=True))
    with transaction.atomic():
        Session.objects.filter(session_key__in=keys).delete()
        UserSession.objects.filter(session_key__in=keys).delete()
    return len(keys)


def end_one(row: UserSession) -> None:
    end(UserSession.objects.filter(pk=row.pk))


def end_others(user: User, *, here: str | None) -> int:
    return end(UserSession.objects.filter(user=user).exclude(session_key=here or ""))


def end_all(user: User) -> int:
    return end(UserSession.objects.filter(user=user))


def end_oldest(user: User) -> None:
    """Keep `MOST_SESSIONS`."""
    past = list(_of(user).values_list("pk", flat=True)[MOST_SESSIONS:])
    if past:
        end(UserSession.objects.filter(pk__in=past))


def forget_ended() -> None:
    """Rows whose session is gone: expired, or signed out."""
    session = Session.objects.filter(session_key=OuterRef("session_key"))
    ended = UserSession.objects.filter(~Exists(session))
    while numbers := list(ended.values_list("pk", flat=True)[:ROWS_PER_TRANSACTION]):
        UserSession.objects.filter(pk__in=numbers).delete()


def _seen_lately(key: str) -> str:
    """What the cache calls it; the key itself, which opens, is not left there."""
    return f"session-seen:{hashlib.sha256(key.encode()).hexdigest()}"


def _of(user: User) -> QuerySet[UserSession]:
    rows: QuerySet[UserSession] = UserSession.objects.filter(user=user)
    return rows.order_by("-last_seen_at", "-pk")


def _described(row: UserSession, here: str | None) -> SignedIn:
    return SignedIn(
        number=row.pk,
        browser=browsers.in_words(row.user_agent),
        address=row.ip,
        since=row.created_at,
        last_seen=row.last_seen_at,
        is_here=row.session_key == here,
    )
