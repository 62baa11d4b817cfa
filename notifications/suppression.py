"""Addresses that get nothing from us any more, because somebody there has called a mail of ours spam."""

from django.utils.translation import gettext_noop

from notifications.models import MailEvent
from schema_registry.core.errors import InputError

COMPLAINED = gettext_noop("A mail of ours was called spam there, so nothing is sent to it any more.")


class Suppressed(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "suppressed"


def is_suppressed(address: str) -> bool:
    """By index. Staff may take it back: the complaint is a row that they can delete."""
    return MailEvent.objects.filter(address=address, kind=MailEvent.Kind.COMPLAINT).exists()
