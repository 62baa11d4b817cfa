"""The life of a channel: added, verified, used, switched off and on again, removed.

Only one that its owner has proved to be theirs is used. Each change is one transaction; changes of the same
channel wait for each other.
"""

import base64
import secrets
import uuid
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from notifications import addresses, deliveries, notices, verification, wakeups
from notifications.addresses import InvalidAddress
from notifications.chat import addresses as chats
from notifications.models import Channel, Delivery
from notifications.suppression import COMPLAINED, Suppressed, is_suppressed
from schema_registry.accounts.models import User
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

Kind, State, Wants = Channel.Kind, Channel.State, Channel.Wants
OLD_SECRET_SIGNS_FOR = timedelta(hours=24)
GAP_OF_TESTS = timedelta(seconds=10)
# They are stored, and compared with what is: `sentences.again` translates them for who reads them.
LEFT_THE_ACCOUNT = gettext_noop("The address was removed from your account.")
BY_OWNER = gettext_noop("You switched it off.")
_UNTROUBLED: dict[str, Any] = {
    "reason": "",
    "failures": 0,
    "failing_since": None,
    "resume_at": None,
    "removed_at": None,
}


class TooManyChannels(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "too_many_channels"


class AddressTaken(InputError):  # noqa: N818 - named for what happened
    """The owner has a channel with this address already."""

    code = "conflict"


class NotActive(InputError):  # noqa: N818 - named for what happened
    code = "not_active"


class AlreadyVerified(InputError):  # noqa: N818 - named for what happened
    code = "already_verified"


class NotSigned(InputError):  # noqa: N818 - named for what happened
    code = "not_signed"


def add(owner: User, *, kind: Channel.Kind, address: str, now: datetime) -> Channel:
    """Its verification is on the way, unless the owner has proved at sign-up that the address is theirs.

    Raises InvalidAddress, AddressTaken, TooManyChannels, TooSoon.
    """
    address, secret = _normalised(kind, address)
    with transaction.atomic():
        _make_others_wait(owner)
        mine = Channel.objects.filter(owner=owner)
        if mine.filter(kind=kind, address=address).exists():
            raise AddressTaken(_("You have a channel with this address already."))
        if mine.count() >= settings.MOST_CHANNELS_PER_OWNER:
            raise TooManyChannels(
                _("You may have {most} channels. Remove one first.", most=settings.MOST_CHANNELS_PER_OWNER)
            )
        is_proved = kind == Kind.EMAIL and _is_of_the_account(owner, address)
        channel = _create(owner, kind, address, secret=secret, now=now, is_proved=is_proved)
        if not is_proved:
            verification.begin(channel, now=now)
    return channel


def add_confirmed(owner: User, address: str, *, now: datetime) -> None:
    """The owner's account has proved this address: it is a channel from now on, if it was none."""
    address = addresses.email_address(address)
    with transaction.atomic():
        _make_others_wait(owner)
        there = Channel.objects.filter(owner=owner, kind=Kind.EMAIL, address=address)
        if not there.exists():
            _create(owner, Kind.EMAIL, address, secret=_new_secret(), now=now, is_proved=True)
        waiting = there.filter(Q(state=State.PENDING) | Q(state=State.DISABLED, reason=LEFT_THE_ACCOUNT))
        if not is_suppressed(address) and waiting.update(state=State.ACTIVE, verified_at=now, **_UNTROUBLED):
            transaction.on_commit(wakeups.SENDERS.send)


def activate(channel_id: int, *, now: datetime) -> bool:
    """It was proved to be its owner's. Whether it waited for that; one that is switched off stays so."""
    pending = Channel.objects.filter(pk=channel_id, state=State.PENDING)
    return bool(pending.update(state=State.ACTIVE, verified_at=now, **_UNTROUBLED))


def disable(channel_id: int, *, reason: str, now: datetime, tell: bool = True) -> bool:
    """Switch it off; what waits for it goes on waiting. The owner is told by another way, if there is one.

    Whether it was on.
    """
    with transaction.atomic():
        channel = Channel.objects.select_for_update(no_key=True).filter(pk=channel_id).first()
        if channel is None or channel.state == State.DISABLED:
            return False
        channel.state, channel.reason = State.DISABLED, reason
        channel.save(update_fields=["state", "reason"])
        if tell:
            about = {
                "about": "channel_disabled",
                "channel": channel.pk,
                "address": channel.address,
                "reason": reason,
            }
            key = f"notice:channel_disabled:{channel.pk}:{now.isoformat()}"
            notices.tell(channel.owner_id, about=about, key=key, now=now)
    return True


def enable(channel_id: int, *, now: datetime) -> bool:
    """Switch it on again: what waited for it is sent. One that was never verified is asked to prove itself.

    Whether it was off. Raises Suppressed, TooSoon.
    """
    with transaction.atomic():
        channel = (
            Channel.objects.select_for_update(no_key=True).filter(pk=channel_id, state=State.DISABLED).first()
        )
        if channel is None:
            return False
        if _gets_nothing(Kind(channel.kind), channel.address):
            raise Suppressed(_("A mail of ours was called spam there, so it cannot be switched on again."))
        is_verified = channel.verified_at is not None
        state = State.ACTIVE if is_verified else State.PENDING
        Channel.objects.filter(pk=channel.pk).update(state=state, **_UNTROUBLED)
        if not is_verified:
            verification.begin_again(channel, now=now)
        transaction.on_commit(wakeups.SENDERS.send)
    return True


def verify_again(channel_id: int, *, now: datetime) -> None:
    """Send another verification. Raises AlreadyVerified, TooSoon, Channel.DoesNotExist."""
    with transaction.atomic():
        channel = _locked(channel_id)
        if channel.state != State.PENDING:
            raise AlreadyVerified(_("This channel does not wait for a verification."))
        verification.begin_again(channel, now=now)
        Channel.objects.filter(pk=channel_id).update(removed_at=None)


def rotate_secret(channel_id: int, *, now: datetime) -> Channel:
    """Sign with a new secret; for a day the old one signs along. Raises NotSigned, Channel.DoesNotExist."""
    with transaction.atomic():
        channel = _locked(channel_id)
        if channel.kind != Kind.WEBHOOK:
            raise NotSigned(_("Only a webhook has a secret: other messages are not signed."))
        channel.old_secret, channel.old_secret_until = channel.secret, now + OLD_SECRET_SIGNS_FOR
        channel.secret = _new_secret()
        channel.save(update_fields=["secret", "old_secret", "old_secret_until"])
    return channel


def change(
    channel_id: int,
    *,
    now: datetime,
    state: Channel.State | None = None,
    by_account: bool = False,
    **fields: Any,
) -> None:
    """As its owner wants it, all or nothing: another state, `wants` or `most_per_day` (None: no limit).

    What is asked for `by_account` rather than by a link in a mail may come from somebody else than the one
    who reads the mails: a mailbox that wanted nothing has to agree. Raises NotActive when it should be
    switched on and was never verified, Suppressed, TooSoon.
    """
    assert fields.keys() <= {"wants", "most_per_day"}
    with transaction.atomic():
        if state == State.DISABLED:
            disable(channel_id, reason=BY_OWNER, now=now, tell=False)
        elif state == State.ACTIVE and _waits_for_proof(channel_id):
            raise NotActive(_("This channel waits for its confirmation; nothing else makes it active."))
        elif state == State.ACTIVE:
            enable(channel_id, now=now)
        if by_account and fields.get("wants", Wants.NOTHING) != Wants.NOTHING:
            _ask_mailbox_that_wanted_nothing(channel_id, now=now)
        Channel.objects.filter(pk=channel_id).update(removed_at=None, **fields)


def send_test(channel: Channel, *, now: datetime) -> Delivery:
    """Raises NotActive, TooSoon, Channel.DoesNotExist."""
    with transaction.atomic():
        locked = _locked(channel.pk)
        if locked.state != State.ACTIVE:
            state = locked.get_state_display()
            raise NotActive(_("This channel is {state}, so nothing is sent to it.", state=state))
        if locked.wants == Wants.NOTHING:
            raise NotActive(_("This channel wants nothing, so no test is sent to it."))
        kind = Delivery.Kind.TEST
        verification.refuse_if_sent_lately(locked, kind=kind, gap=GAP_OF_TESTS, now=now)
        deliveries.count_as_mail(locked, now=now)
        # Its owner wants to know now, also of one that is left alone because it failed.
        Channel.objects.filter(pk=locked.pk).update(resume_at=None)
        return deliveries.plan_now(locked, kind=kind, key=f"test:{uuid.uuid4().hex}", now=now)


def remove(channel_id: int) -> None:
    """With all that was ever sent to it, in small transactions. It may be stopped anywhere.

    Searches that chose only this channel are left to the feed. Telling on others instead might reach
    somebody who has unsubscribed there.
    """
    Channel.objects.filter(pk=channel_id).update(state=State.DISABLED)  # so that nothing is added meanwhile
    of_it = Delivery.objects.filter(channel=channel_id).order_by("pk").values_list("pk", flat=True)
    while portion := list(of_it[: ROWS_PER_TRANSACTION // 5]):  # each brings attempts and entries along
        with transaction.atomic():
            Delivery.objects.filter(pk__in=portion).delete()
        give_way()
    Channel.objects.filter(pk=channel_id).delete()


def _create(
    owner: User, kind: Channel.Kind, address: str, *, secret: str, now: datetime, is_proved: bool
) -> Channel:
    is_silent = is_proved and _gets_nothing(kind, address)  # of others only its owner would hear that
    state = State.ACTIVE if is_proved else State.PENDING
    return Channel.objects.create(
        owner=owner,
        kind=kind,
        address=address,
        state=State.DISABLED if is_silent else state,
        reason=COMPLAINED if is_silent else "",
        secret=secret,
        challenge=verification.new_challenge(),
        created_at=now,
        verified_at=now if is_proved else None,
    )


def _gets_nothing(kind: Channel.Kind, address: str) -> bool:
    return kind == Kind.EMAIL and is_suppressed(address)


def _new_secret() -> str:
    """As the Standard Webhooks specification wants it."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode("ascii")


def _normalised(kind: Channel.Kind, address: str) -> tuple[str, str]:
    """What may be shown, and what must not. Raises InvalidAddress."""
    allowed_hosts = set(settings.WEBHOOK_ALLOWED_HOSTS)
    match kind:
        case Kind.EMAIL:
            return addresses.email_address(address), _new_secret()
        case Kind.CHAT:
            chat = chats.read(address, allowed_hosts=allowed_hosts)
            return chat.shown, chat.stored
    return addresses.webhook_url(address, allowed_hosts=allowed_hosts), _new_secret()


def _is_of_the_account(owner: User, address: str) -> bool:
    mine = EmailAddress.objects.filter(user=owner, verified=True).values_list("email", flat=True)
    return any(_is_stored_as(address, email) for email in mine)


def _is_stored_as(address: str, email: str) -> bool:
    try:
        return addresses.email_address(email) == address
    except InvalidAddress:  # it is none that we would write to
        return False


def _ask_mailbox_that_wanted_nothing(channel_id: int, *, now: datetime) -> None:
    """It has to be proved again, unless it is one of the account's. Raises TooSoon."""
    followed = (Kind.EMAIL, Kind.CHAT)  # whoever reads there has a link that says "nothing"
    unwilling = Channel.objects.filter(pk=channel_id, kind__in=followed, wants=Wants.NOTHING)
    channel = unwilling.select_for_update(no_key=True).first()
    if channel is None or _is_of_the_account(channel.owner, channel.address):
        return
    is_used = channel.state == State.ACTIVE
    channel.state = State.PENDING if is_used else channel.state
    channel.verified_at = None  # so that one which is switched off is asked when it is switched on
    channel.save(update_fields=["state", "verified_at"])
    if is_used:
        verification.begin_again(channel, now=now)


def _make_others_wait(owner: User) -> None:
    """Whoever adds a channel for the same owner waits until we commit, so that what we count stays true."""
    list(User.objects.select_for_update(no_key=True).filter(pk=owner.pk).values_list("pk"))


def _waits_for_proof(channel_id: int) -> bool:
    return Channel.objects.filter(pk=channel_id, state=State.PENDING).exists()


def _locked(channel_id: int) -> Channel:
    return Channel.objects.select_for_update(no_key=True).get(pk=channel_id)
