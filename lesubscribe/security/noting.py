"""Signing in and out, failing to, and changing how one does, in the log; never with what was typed.

The line of the log has the address of the network and the number of the request, too.
"""

from typing import Any

import structlog
from allauth.account import signals as account
from allauth.mfa import signals as second_step
from django.contrib.auth import signals as auth
from django.dispatch import Signal, receiver
from django.http import HttpRequest
from django_structlog.signals import bind_extra_request_metadata

from schema_registry.accounts.models import User

_log = structlog.get_logger(__name__)
_CHANGES = {
    "password_changed": account.password_changed,
    "password_reset": account.password_reset,
    "email_confirmed": account.email_confirmed,
    "email_changed": account.email_changed,
    "email_added": account.email_added,
    "email_removed": account.email_removed,
    "second_step_added": second_step.authenticator_added,
    "second_step_removed": second_step.authenticator_removed,
    "second_step_reset": second_step.authenticator_reset,
}


@receiver(auth.user_logged_in, dispatch_uid="note who signs in")
def note_signed_in(user: User, **_more: Any) -> None:
    _log.info("signed_in", account=user.pk)


@receiver(auth.user_login_failed, dispatch_uid="note who fails to sign in")
def note_failed(**_more: Any) -> None:
    """Not the address that was typed: people type passwords there."""
    _log.warning("sign_in_failed")


@receiver(auth.user_logged_out, dispatch_uid="note who signs out")
def note_signed_out(user: User | None, **_more: Any) -> None:
    if user is not None:
        _log.info("signed_out", account=user.pk)


@receiver(bind_extra_request_metadata, dispatch_uid="note where a request comes from")
def note_address(request: HttpRequest, **_more: Any) -> None:
    """As the server has it, which asks only our own proxy; not as the sender says in a header."""
    structlog.contextvars.bind_contextvars(ip=request.META.get("REMOTE_ADDR"))


def _note(name: str, signal: Signal) -> None:
    def note(user: User | None = None, email_address: Any = None, **_more: Any) -> None:
        account = user.pk if user else getattr(email_address, "user_id", None)
        _log.info(name, account=account)

    signal.connect(note, weak=False, dispatch_uid=f"note {name}")


for _name, _signal in _CHANGES.items():
    _note(_name, _signal)
