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


class TooManyPublishers(InputError):  # noqa: N818
    code = "too_many_publishers"


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
