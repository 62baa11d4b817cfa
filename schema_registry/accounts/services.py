"""Changes to publishers and keys."""

import secrets
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import OperationalError, transaction
from django.utils.crypto import salted_hmac
from django.utils.text import slugify

from schema_registry.accounts.live_keys import live_key
from schema_registry.accounts.models import ApiKey, Publisher, Scope, User
from schema_registry.core.sentences import gettext as _

SCOPES_OF_PUBLISHERS = (Scope.EVENTS, Scope.SCHEMA)
SCOPES_OF_SUBSCRIBERS = (Scope.SUBSCRIPTIONS,)
MOST_LIVE_KEYS = 20
# Writing the time of every single use would make each request a write.
LAST_USE_IS_KEPT_TO = timedelta(minutes=1)


class KeyRefusedError(Exception):
    """A key that cannot be issued; the message says why."""


def publisher_named(name: str, *, state: Publisher.State) -> Publisher:
    """The publisher of this name, made in the given state if there is none."""
    existing = Publisher.objects.filter(name=name).first()
    if existing:
        return existing
    with transaction.atomic():
        # An address nobody can receive mail at, and no password: nobody signs in as a publisher.
        address = f"{slugify(name) or 'publisher'}-{secrets.token_hex(4)}@publishers.invalid"
        user = User.objects.create_user(address, name=name)
        return Publisher.objects.create(name=name, user=user, state=state)


def subscriber_named(email: str) -> User:
    """The user with this address, made without a password if there is none."""
    return User.objects.filter(email__iexact=email).first() or User.objects.create_user(email)


def issue_key(
    user: User, scopes: Iterable[Scope], *, name: str = "", replaces: ApiKey | None = None
) -> tuple[ApiKey, str]:
    """A new key and its secret, which is shown this once and never stored. Raises KeyRefusedError."""
    with transaction.atomic():
        _check_room(user)
        prefix = f"ls_{secrets.token_hex(4)}"
        secret = f"{prefix}_{secrets.token_urlsafe(32)}"
        key = ApiKey.objects.create(
            user=user,
            name=name,
            prefix=prefix,
            digest=_digest(secret),
            scopes=sorted(set(scopes)),
            replaces=replaces,
        )
    return key, secret


def rotate_key(key: ApiKey) -> tuple[ApiKey, str]:
    """Another key for the same, and its secret; the old one works until it is revoked.

    Raises KeyRefusedError.
    """
    return issue_key(key.user, map(Scope, key.scopes), name=key.name, replaces=key)


def key_of(secret: str, *, now: datetime) -> ApiKey | None:
    """The live key with this secret, its last use noted; None if there is none."""
    key = live_key(_digest(secret))
    if key and (key.last_used_at is None or now - key.last_used_at > LAST_USE_IS_KEPT_TO):
        with suppress(OperationalError):  # a busy database is no reason to refuse a key
            ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
    return key


def revoke_key(key: ApiKey, *, now: datetime) -> None:
    ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now)


def restore_key(key: ApiKey) -> bool:
    """Take revoking it back; whether it was revoked. Raises KeyRefusedError. Who may, the caller decides."""
    with transaction.atomic():
        _check_room(key.user)
        return bool(ApiKey.objects.filter(pk=key.pk).exclude(revoked_at=None).update(revoked_at=None))


def set_publisher_state(publisher: Publisher, state: Publisher.State) -> None:
    Publisher.objects.filter(pk=publisher.pk).update(state=state)


def set_extensions_per_day(publisher: Publisher, limit: int) -> None:
    Publisher.objects.filter(pk=publisher.pk).update(extensions_per_day=limit)


def _check_room(user: User) -> None:
    """Raises KeyRefusedError if there can be no further live key; whoever makes one meanwhile waits."""
    User.objects.select_for_update().get(pk=user.pk)
    if user.keys.filter(revoked_at=None).count() >= MOST_LIVE_KEYS:
        raise KeyRefusedError(
            _("{user} has {most} live keys; revoke one first.", user=user, most=MOST_LIVE_KEYS)
        )


def _digest(secret: str) -> str:
    return salted_hmac("schema_registry.accounts.ApiKey", secret, algorithm="sha256").hexdigest()
