"""Very many people, each with a subscription and a channel, on which nothing is ever sent.

All of them look for what is titled `CRAZE`, a few for each `few...`, and a hundred for each `some...`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.utils import timezone

from lesubscribe.loadtest.setting import Setting
from matching.drafts import drafted
from matching.models import Subscription
from matching.services import subscribe_many
from notifications import switch
from notifications.models import Channel
from schema_registry.accounts.models import User

CRAZE = "craze"
_FEW, _SOME = 4, 100
_AT_ONCE = 500


def few(number: int, *, of: int) -> str:
    """What a few of so many people look for; there are several such titles."""
    return f"few{number % max(1, of // _FEW)}"


def some(number: int, *, of: int) -> str:
    return f"some{number % max(1, of // _SOME)}"


def gather(count: int, setting: Setting, *, now: datetime, progress: Callable[[int], None]) -> None:
    """So many people, those who are missing."""
    there = User.objects.filter(email__startswith="crowd-").count()
    progress(min(there, count))
    for first in range(there, count, _AT_ONCE):
        numbers = range(first, min(first + _AT_ONCE, count))
        _join(numbers, count, setting, now)
        progress(len(numbers))


@contextmanager
def listening(setting: Setting) -> Iterator[None]:
    """Their channels are active meanwhile, and all sending is halted."""
    crowd = Channel.objects.filter(owner__email__startswith="crowd-")
    switch.halt(setting.publisher.user, reason="A load test is running.", now=timezone.now())
    crowd.update(state=Channel.State.ACTIVE)
    try:
        yield
    finally:
        crowd.update(state=Channel.State.DISABLED, reason="The load test is over.")
        switch.resume(setting.publisher.user, now=timezone.now())


def _join(numbers: range, count: int, setting: Setting, now: datetime) -> None:
    people = User.objects.bulk_create(
        User(email=f"crowd-{number}@example.org", password="!")  # nosec B106  # noqa: S106 - nobody can sign in with it
        for number in numbers
    )
    Channel.objects.bulk_create(
        Channel(
            owner=person,
            kind=Channel.Kind.EMAIL,
            address=person.email,
            state=Channel.State.DISABLED,
            created_at=now,
        )
        for person in people
    )
    drafts = [drafted(_text(number, count), setting.schema) for number in numbers]
    owners = iter(people)

    def hand_over(subscription: Subscription) -> None:
        """Storing them one owner at a time would take a transaction for each."""
        Subscription.objects.filter(pk=subscription.pk).update(owner=next(owners))

    subscribe_many(people[0], drafts, now=now, has_limit=False, also=hand_over)


def _text(number: int, count: int) -> str:
    titles = (CRAZE, few(number, of=count), some(number, of=count))
    return " or ".join(f"title contains {title}" for title in titles)
