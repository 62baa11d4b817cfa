"""Which language a person reads: pages, mails and messages are in it.

A person's own choice counts wherever they are signed in, and for all that is sent to them. Who has none yet
gets the language of the page they sign up or sign in on. A visitor's is in a cookie, or else what the
browser asks for.
"""

from contextlib import AbstractContextManager

from django.conf import settings
from django.utils import translation

from schema_registry.accounts.models import User


def known(code: str | None) -> str:
    """The code if it is of a language that we speak, else empty."""
    return code if code in dict(settings.LANGUAGES) else ""


def speaking_to(user: User) -> AbstractContextManager[None]:
    """What is said in this block is said to this person; to one without a choice, as it would be anyway."""
    return translation.override(known(user.language) or translation.get_language())


def choose(user: User, code: str) -> None:
    """One that we speak, or empty to have none."""
    if user.language != code:
        user.language = code
        User.objects.filter(pk=user.pk).update(language=code)


def choose_if_none(user: User) -> None:
    """The language of the page on which somebody came in."""
    if not known(user.language):
        choose(user, known(translation.get_language()))
