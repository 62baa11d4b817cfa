"""The one switch that halts all sending. Planning goes on, so nothing is lost meanwhile."""

from datetime import datetime

from django.db import transaction

from notifications import wakeups
from notifications.models import SendingSwitch
from schema_registry.accounts.models import User

THE_ROW = 1


def halt(by: User, *, reason: str, now: datetime) -> None:
    """What is being sent at this moment ends; nothing else begins."""
    _set(by, now=now, is_halted=True, reason=reason[:200])


def resume(by: User, *, now: datetime) -> None:
    """All that waits is sent, as if it had just become due."""
    with transaction.atomic():
        _set(by, now=now, is_halted=False, reason="")
        transaction.on_commit(wakeups.SENDERS.send)


def _set(by: User, *, now: datetime, is_halted: bool, reason: str) -> None:
    fields = {"is_halted": is_halted, "reason": reason, "changed_at": now, "changed_by": by}
    SendingSwitch.objects.update_or_create(pk=THE_ROW, defaults=fields)
