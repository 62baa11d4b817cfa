"""People who sign in by the form, each from a browser of their own; and the codes of their apps."""

import secrets
import time

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.http import HttpResponse
from django.test import Client

from schema_registry.accounts.models import User

ADDRESS, PASSWORD = "reader@example.org", "a table of oak, please"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15"
PERIOD = 30


def person(address: str = ADDRESS, **fields: bool) -> User:
    user = User.objects.create_user(address, PASSWORD, **fields)
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    return user


def browser(user_agent: str = FIREFOX) -> Client:
    """A fresh one, somewhere: how often one may sign in is counted for each network."""
    somewhere = f"2001:db8:{1 + secrets.randbelow(0xFFFF):x}:{1 + secrets.randbelow(0xFFFF):x}::1"
    return Client(headers={"user-agent": user_agent}, REMOTE_ADDR=somewhere)


def sign_in(client: Client, user: User, password: str = PASSWORD) -> HttpResponse:
    answer: HttpResponse = client.post("/accounts/login/", {"login": user.email, "password": password})  # type: ignore[assignment]  # as good as one
    assert answer.status_code == 302, answer.content.decode()
    return answer


def signed_in(user: User, user_agent: str = FIREFOX) -> Client:
    client = browser(user_agent)
    sign_in(client, user)
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/account").status_code == 200


def confirm(client: Client, password: str = PASSWORD) -> None:
    """As before everything that matters."""
    client.post("/accounts/reauthenticate/", {"password": password})


def with_app(user: User) -> str:
    """Set up an authenticator app and recovery codes; its key."""
    key: str = generate_totp_secret()
    TOTP.activate(user, key)
    RecoveryCodes.activate(user)
    return key


def code_of(key: str) -> str:
    """What the app shows now."""
    code: str = format_hotp_value(hotp_value(key, int(time.time()) // PERIOD))
    return code


def recovery_codes_of(user: User) -> list[str]:
    row = Authenticator.objects.get(user=user, type=Authenticator.Type.RECOVERY_CODES)
    codes: list[str] = row.wrap().get_unused_codes()
    return codes


def enter_code_of_app(client: Client, key: str) -> None:
    """Once more if the app showed the next one just then."""
    for _attempt in range(2):
        if client.post("/accounts/2fa/authenticate/", {"code": code_of(key)}).status_code == 302:
            return
    raise AssertionError("the code was not taken")
