"""What people do from a link in a mail: hear less of a search, of all searches, or nothing at all.

Each returns what takes it back, as facts that fit into a signed link; `undo` reads them.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from matching import services
from matching.models import Subscription
from notifications import channels, selectors, terms
from notifications.core.policy import Frequency
from notifications.links import BadLink, OfSearch, Unsubscribing
from notifications.models import Channel

Facts = list[Any]


class Scope(StrEnum):
    SEARCHES = "searches"
    ALL = "all"
    EVERYTHING = "everything"


def unsubscribe(asked: Unsubscribing, *, scope: Scope, now: datetime) -> Facts:
    """Doing it again changes nothing. Raises Channel.DoesNotExist."""
    channel = Channel.objects.get(pk=asked.channel)
    if scope is Scope.SEARCHES:
        return _stop_telling(channel, asked.searches)
    wants = Channel.Wants.NOTICES if scope is Scope.ALL else Channel.Wants.NOTHING
    return _want(channel, wants, now=now)


def mute(search: Subscription, *, now: datetime) -> Facts:
    """Raises AlreadyExpired, Subscription.DoesNotExist."""
    before = search.state
    services.change(search, state=Subscription.State.MUTED, now=now)
    was_muted = before == Subscription.State.MUTED
    return ["state", search.pk, Subscription.State.ACTIVE if was_muted else before]


def tell_so_often(search: Subscription, frequency: Frequency) -> Facts:
    before = selectors.terms_of(search).frequency
    terms.choose(search, frequency=frequency)
    return ["frequency", search.pk, before]


def undo(facts: Facts, *, now: datetime) -> None:
    """Raises Channel.DoesNotExist, Subscription.DoesNotExist, AlreadyExpired."""
    match facts:
        case ["tell", channel, everywhere, elsewhere]:
            _tell_again(Channel.objects.get(pk=channel), everywhere, elsewhere)
        case ["wants", channel, before]:
            channels.change(channel, wants=before, now=now)
        case ["state", number, before]:
            services.change(searches().get(pk=number), state=Subscription.State(before), now=now)
        case ["frequency", number, before]:
            terms.choose(searches().get(pk=number), frequency=Frequency(before))


def search_of(link: OfSearch) -> Subscription:
    """The search that somebody may change who has this link.

    Raises Subscription.DoesNotExist; BadLink once whoever reads the mails of the channel has no say any more.
    """
    search = searches().get(pk=link.search)
    channel = Channel.objects.filter(pk=link.channel, owner=search.owner_id, owner__is_active=True)
    if not channel.exclude(state=Channel.State.DISABLED, reason=channels.LEFT_THE_ACCOUNT).exists():
        raise BadLink
    return search


def searches() -> QuerySet[Subscription]:
    """Those that are still there."""
    there = Subscription.objects.exclude(state=Subscription.State.REMOVED)
    return there.select_related("terms").defer("compiled")


def _stop_telling(channel: Channel, numbers: Sequence[int]) -> Facts:
    everywhere: list[int] = []
    elsewhere: list[int] = []
    with transaction.atomic():
        for search in searches().filter(pk__in=numbers, owner=channel.owner_id):
            (everywhere if selectors.terms_of(search).every_channel else elsewhere).append(search.pk)
            terms.stop_telling(search.pk, channel.pk)
    return ["tell", channel.pk, everywhere, elsewhere]


def _tell_again(channel: Channel, everywhere: Sequence[int], elsewhere: Sequence[int]) -> None:
    with transaction.atomic():
        for search in searches().filter(pk__in=everywhere, owner=channel.owner_id):
            terms.choose(search, channels=terms.ALL)
        for search in searches().filter(pk__in=elsewhere, owner=channel.owner_id):
            terms.tell_again(search.pk, channel.pk)


def _want(channel: Channel, wants: Channel.Wants, *, now: datetime) -> Facts:
    before = channel.wants
    channels.change(channel.pk, wants=wants, now=now)
    return ["wants", channel.pk, Channel.Wants.EVERYTHING if before == wants else before]
