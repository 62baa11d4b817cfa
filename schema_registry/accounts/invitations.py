"""Asking somebody to look after a publisher too. Who has the address decides, once they are signed in.

Nobody learns from it who has an account: every address is invited alike, and gets the same mail, once a day
at most. Who has no account yet finds the invitation when they have signed up with that address.
"""

from contextlib import nullcontext
from datetime import datetime, timedelta
from smtplib import SMTPException

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from schema_registry.accounts import languages
from schema_registry.accounts.memberships import add_member, members_of
from schema_registry.accounts.models import Invitation, Publisher, User
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

VALID_FOR = timedelta(days=14)
MAILED_AGAIN_AFTER = timedelta(days=1)
MOST_A_DAY = 20
_log = structlog.get_logger(__name__)


class NotInvited(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """Why nobody was invited."""

    code = "not_invited"


def invite(publisher: Publisher, email: str, *, by: User, now: datetime) -> None:
    """Ask whoever has the address. Raises NotInvited.

    A publisher that nobody has looked at yet invites nobody: its name is a stranger's words in our mail.
    """
    if publisher.state != Publisher.State.APPROVED:
        raise NotInvited(_("You can invite others once {publisher} is approved.", publisher=publisher))
    if members_of(publisher).filter(user__email__iexact=email).exists():
        raise NotInvited(_("{email} is a member already.", email=email))
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)
        publisher.invitations.filter(invited_at__lte=now - VALID_FOR).delete()
        invitation = publisher.invitations.filter(email__iexact=email).first()
        if invitation is None:
            _check_number(publisher, now=now)
            invitation = Invitation(publisher=publisher, email=email)
        is_mailed = invitation.mailed_at is None or now - invitation.mailed_at > MAILED_AGAIN_AFTER
        invitation.invited_by, invitation.invited_at, invitation.closed_at = by, now, None
        invitation.mailed_at = now if is_mailed else invitation.mailed_at
        invitation.save()
    if is_mailed:
        _write_to(invitation)


def open_invitations(publisher: Publisher, *, now: datetime) -> QuerySet[Invitation]:
    return _open(now).filter(publisher=publisher).order_by("-invited_at", "-pk")


def invitations_to(user: User, *, now: datetime) -> QuerySet[Invitation]:
    """Those to the address that the person signs in with, which they have confirmed."""
    mine = _open(now).filter(email__iexact=user.email).exclude(publisher__memberships__user=user)
    return mine.select_related("publisher", "invited_by").order_by("-invited_at", "-pk")


def accept(invitation: Invitation, user: User, *, now: datetime) -> bool:
    """For one of those `invitations_to` this person; false if it was taken back meanwhile."""
    with transaction.atomic():
        is_open = close(invitation, now=now)
        if is_open:
            add_member(invitation.publisher, user)
    return is_open


def close(invitation: Invitation, *, now: datetime) -> bool:
    """Turn it down, or take it back; whether nobody has done so before."""
    return bool(Invitation.objects.filter(pk=invitation.pk, closed_at=None).update(closed_at=now))


def _open(now: datetime) -> QuerySet[Invitation]:
    return Invitation.objects.filter(closed_at=None, invited_at__gt=now - VALID_FOR)


def _check_number(publisher: Publisher, *, now: datetime) -> None:
    """Those that were taken back count too: their mails have been sent."""
    if publisher.invitations.filter(invited_at__gt=now - MAILED_AGAIN_AFTER).count() >= MOST_A_DAY:
        raise NotInvited(_("{most} invitations a day are the most. Try again tomorrow.", most=MOST_A_DAY))


def _write_to(invitation: Invitation) -> None:
    """In the language of whoever has the address, if somebody has."""
    invited = User.objects.filter(email__iexact=invitation.email).first()
    with languages.speaking_to(invited) if invited else nullcontext():
        _mail(invitation)


def _mail(invitation: Invitation) -> None:
    """The invitation stands also if the mail does not arrive: whoever is invited sees it on that page."""
    name = " ".join(invitation.publisher.name.split())
    context = {
        "publisher": name,
        "by": invitation.invited_by,
        "address": f"{settings.BASE_URL}{reverse('publish')}",
        "email": invitation.email,
        "days": VALID_FOR.days,
    }
    text = render_to_string("console/invitation_mail.txt", context)
    try:
        send_mail(gettext("Look after %(name)s") % {"name": name}, text, None, [invitation.email])
    except (OSError, SMTPException, UnicodeError) as error:
        _log.warning("invitation_not_sent", publisher=invitation.publisher_id, error=type(error).__name__)
