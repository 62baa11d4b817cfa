"""What other apps tell us of."""

from collections.abc import Collection
from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.utils import timezone

from matching.signals import matched
from notifications import addresses, channels, wakeups
from notifications.addresses import InvalidAddress
from notifications.models import Channel


@receiver(matched, dispatch_uid="wake the planner")
def wake(**kwargs: Any) -> None:
    wakeups.PLANNER.send()


@receiver(email_confirmed, dispatch_uid="a confirmed address of an account is a channel")
def add_confirmed_channel(email_address: EmailAddress, **kwargs: Any) -> None:
    _add_channel(email_address)


# Staff and the demo verify addresses, too. An address that is saved for another reason, as the first of its
# account for one, brings back nothing that its owner has switched off.
@receiver(post_save, sender=EmailAddress, dispatch_uid="a verified address of an account is a channel")
def add_verified_channel(
    instance: EmailAddress, created: bool, update_fields: Collection[str] | None, **kwargs: Any
) -> None:
    is_new = created or "verified" in (update_fields or ())
    if is_new and instance.verified:
        _add_channel(instance)


def _add_channel(address: EmailAddress) -> None:
    try:
        channels.add_confirmed(address.user, address.email, now=timezone.now())
    except InvalidAddress:
        return  # a mail has arrived there, but it is none that we would write to, such as one of localhost


@receiver(post_delete, sender=EmailAddress, dispatch_uid="who takes an address away gets nothing there")
def switch_off_channel(instance: EmailAddress, **kwargs: Any) -> None:
    try:
        address = addresses.email_address(instance.email)
    except InvalidAddress:
        return  # it was no channel
    of_it = Channel.objects.filter(owner=instance.user_id, kind=Channel.Kind.EMAIL, address=address)
    for channel in of_it:
        channels.disable(channel.pk, reason=channels.LEFT_THE_ACCOUNT, now=timezone.now(), tell=False)
