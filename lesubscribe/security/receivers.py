"""A recovery code that was used is told: allauth says so only to us."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_used
from django.dispatch import receiver

from lesubscribe.security.ways import ways_of
from schema_registry.accounts.models import User


@receiver(authenticator_used, dispatch_uid="tell of a used recovery code")
def tell_of_used_code(request: Any, user: User, authenticator: Authenticator, **_more: Any) -> None:
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        left = ways_of(user).codes_left
        get_adapter(request).send_notification_mail("mfa/email/recovery_code_used", user, {"left": left})
