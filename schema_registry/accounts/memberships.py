"""Who looks after which publisher, and how somebody becomes one."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from schema_registry.accounts.models import Membership, Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

MOST_PUBLISHERS_OF_A_PERSON = 5


class NameTaken(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    code = "name_taken"


class TooManyPublishers(InputError):  # noqa: N818 - named for what happened
    code = "too_many_publishers"


class LastMember(InputError):  # noqa: N818 - named for what happened
    code = "last_member"


def is_member(user: Any) -> bool:
    """Whether this is a person who looks after any publisher."""
    return isinstance(user, User) and Membership.objects.filter(user=user).exists()


def publishers_of(user: User) -> QuerySet[Publisher]:
    return Publisher.objects.filter(memberships__user=user).order_by("name")


def apply(user: User, name: str) -> Publisher:
    """A new publisher that this person looks after. Raises NameTaken, TooManyPublishers.

    Staff approve it before its keys may publish; who could approve it does not wait.
    """
    may_approve = user.has_perm("accounts.change_publisher")
    state = Publisher.State.APPROVED if may_approve else Publisher.State.PENDING
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if publishers_of(user).count() >= MOST_PUBLISHERS_OF_A_PERSON:
            raise TooManyPublishers(
                _("You look after {most} publishers already.", most=MOST_PUBLISHERS_OF_A_PERSON)
            )
        if Publisher.objects.filter(name__iexact=name).exists():
            raise NameTaken(_("There is a publisher “{name}” already.", name=name))
        try:
            with transaction.atomic():
                publisher = publisher_named(name, state=state)
        except IntegrityError:
            raise NameTaken(_("There is a publisher “{name}” already.", name=name)) from None
        add_member(publisher, user)
    return publisher


def add_member(publisher: Publisher, user: User) -> None:
    Membership.objects.get_or_create(publisher=publisher, user=user)


def members_of(publisher: Publisher) -> QuerySet[Membership]:
    """The longest-serving first."""
    memberships = Membership.objects.filter(publisher=publisher, user__is_active=True)
    return memberships.select_related("user").order_by("created_at", "pk")


def leave(publisher: Publisher, user: User) -> None:
    """Raises LastMember: somebody has to look after its keys."""
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)  # of two who go at once one is the last
        if not members_of(publisher).exclude(user=user).exists():
            raise LastMember(
                _("You are the only member of {publisher}. Invite somebody else first.", publisher=publisher)
            )
        remove_member(publisher, user)


def remove_member(publisher: Publisher, user: User) -> None:
    """Staff may remove the last one, too."""
    Membership.objects.filter(publisher=publisher, user=user).delete()
