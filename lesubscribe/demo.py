"""A first account, so that somebody who just typed `make up` can look round."""

import secrets
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from lesubscribe.private_files import first_written

DEMO_EMAIL = "demo@example.org"


@dataclass(frozen=True, slots=True)
class DemoLogin:
    email: str
    password: str | None  # None once the person has chosen another one


def demo_login() -> DemoLogin:
    """The demo account, made on the first call with a random password that VAR keeps (mode 0600)."""
    users = get_user_model().objects
    password = first_written(settings.VAR / "demo_password", secrets.token_urlsafe(9))
    user = users.filter(email=DEMO_EMAIL).first()
    if user is None:
        with transaction.atomic():
            user = users.create_superuser(DEMO_EMAIL, password)
            EmailAddress.objects.create(user=user, email=DEMO_EMAIL, verified=True, primary=True)
    return DemoLogin(DEMO_EMAIL, password if user.check_password(password) else None)
