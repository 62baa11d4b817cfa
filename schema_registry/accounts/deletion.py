"""Ending an account: who may, and what becomes of its row.

The row is emptied and switched off at once, so nobody can sign in, no key works, and the address is free for
another account. It goes when all that belongs to it is erased; what that is, the layers above know.
"""

import secrets
from datetime import datetime

from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.utils.translation import gettext as _

from schema_registry.accounts.models import Invitation, User
from schema_registry.core.errors import InputError


class MayNotBeDeleted(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "may_not_be_deleted"


def refusal(user: User) -> str:
    """Why this account must stay; empty if it need not."""
    if hasattr(user, "publisher"):
        return _("This account belongs to a publisher's programs. Staff can end it.")
    others = User.objects.filter(is_active=True).exclude(pk=user.pk)
    if user.is_staff and not others.filter(is_staff=True).exists():
        return _("You are the only member of staff. Make somebody else staff first.")
    if user.is_superuser and not others.filter(is_superuser=True).exists():
        return _("You are the only one with all rights. Give them to somebody else first.")
    return ""


def mark(user: User, *, now: datetime) -> bool:
    """Empty the row and switch it off; whether it was not so already. Raises MayNotBeDeleted."""
    with transaction.atomic():
        # Of two who are the last to go together, one waits here and then is the last.
        list(User.objects.select_for_update().filter(is_staff=True).order_by("pk").values_list("pk"))
        row = User.objects.select_for_update().get(pk=user.pk)
        if row.deleted_at is not None:
            return False
        if reason := refusal(row):
            raise MayNotBeDeleted(reason)
        Invitation.objects.filter(email__iexact=row.email).delete()
        row.memberships.all().delete()
        row.email = f"deleted-{row.pk}-{secrets.token_hex(4)}@accounts.invalid"
        row.name = ""
        row.set_unusable_password()
        row.is_active = row.is_staff = row.is_superuser = False
        row.deleted_at = now
        row.save()
        row.groups.clear()
        row.user_permissions.clear()
        row.keys.filter(revoked_at=None).update(revoked_at=now)
    return True


def to_erase(*, before: datetime) -> list[int]:
    """Accounts that were ended before this moment, the oldest first."""
    ended = User.objects.filter(deleted_at__isnull=False, deleted_at__lte=before)
    return list(ended.order_by("deleted_at").values_list("pk", flat=True))


def forget(number: int) -> None:
    """Let the row go. That of somebody who has changed things as staff stays, empty, for the log of it."""
    if LogEntry.objects.filter(user=number).exists():
        User.objects.filter(pk=number).update(deleted_at=None)
    else:
        User.objects.filter(pk=number, deleted_at__isnull=False).delete()
