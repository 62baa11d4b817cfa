"""Whether somebody has signed in from this browser before: a signed cookie there says for which accounts.

The cookie names nobody, and we store nothing. It goes with the password: once that is changed, every browser
is unknown again, also that of a stranger who knew the old one.
"""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from schema_registry.accounts.models import User

KEPT_FOR = timedelta(days=365)
MOST_ACCOUNTS = 8  # of people who share a browser; the one who came least lately is forgotten
_SALT = "lesubscribe.security.known_browsers"


def is_known(request: HttpRequest, user: User) -> bool:
    mark = _mark(user)
    return any(constant_time_compare(mark, each) for each in _marks(request))


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """From now on this browser is known for this account."""
    mark = _mark(user)
    marks = [mark, *(each for each in _marks(request) if each != mark)][:MOST_ACCOUNTS]
    response.set_cookie(
        settings.KNOWN_BROWSER_COOKIE_NAME,
        signing.dumps(marks, salt=_SALT),
        max_age=KEPT_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _marks(request: HttpRequest) -> list[str]:
    try:
        kept = request.COOKIES.get(settings.KNOWN_BROWSER_COOKIE_NAME, "")
        marks: list[str] = signing.loads(kept, salt=_SALT, max_age=KEPT_FOR)
    except signing.BadSignature:
        return []
    return marks


def _mark(user: User) -> str:
    """Nobody can tell from it whose it is."""
    return salted_hmac(_SALT, f"{user.pk}:{user.password}", algorithm="sha256").hexdigest()[:32]
