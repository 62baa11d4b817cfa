"""A first account, so that somebody who just typed `make up` can look round."""

import secrets
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction

from lesubscribe.private_files import first_written
from schema_registry.accounts.models import User

DEMO_EMAIL = "demo@example.org"


@dataclass(frozen=True, slots=True)
class DemoLogin:
    email: str
    password: str | None  # None once the person has chosen another one


def demo_login() -> DemoLogin:
    """The demo account, made on the first call with a random password that VAR keeps (mode 0600)."""
    password = _kept_password()
    return DemoLogin(DEMO_EMAIL, password if demo_user().check_password(password) else None)


def demo_user() -> User:
    """The demo account. In production nobody can sign in to it until staff give it a password."""
    user = User.objects.filter(email=DEMO_EMAIL).first()
    if user is not None:
        return user
    if settings.PRODUCTION:
        return User.objects.create_user(DEMO_EMAIL)
    with transaction.atomic():
        user = User.objects.create_superuser(DEMO_EMAIL, _kept_password())
        EmailAddress.objects.create(user=user, email=DEMO_EMAIL, verified=True, primary=True)
    return user


def _kept_password() -> str:
    return first_written(settings.VAR / "demo_password", secrets.token_urlsafe(9))
