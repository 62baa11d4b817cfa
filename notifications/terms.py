"""How a subscription tells of its matches: how often, on which channels, and what of new revisions."""

from collections.abc import Collection
from typing import Literal

from django.db import transaction

from matching.models import Subscription
from notifications.core.policy import Frequency, Revisions
from notifications.models import Channel, Terms
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

ALL: Literal["all"] = "all"
MOST_CHOSEN = 1_000  # far more than anybody has
Chosen = Collection[int] | Literal["all"]


class UnknownChannel(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """It is not there, or not the owner's."""

    code = "unknown_channel"

    def __init__(self, channel: int) -> None:
        super().__init__(_("There is no channel {channel}.", channel=channel))
        self.faults = {"channels": str(self)}


def choose(
    subscription: Subscription,
    *,
    frequency: Frequency | None = None,
    revisions: Revisions | None = None,
    channels: Chosen | None = None,
) -> None:
    """None leaves something as it is. No channel at all means that matches are only in the feed.

    Raises UnknownChannel, and then nothing has changed.
    """
    if frequency is None and revisions is None and channels is None:
        return
    with transaction.atomic():
        terms = _locked(subscription.pk)
        if channels is not None and channels != ALL:
            terms.channels.set(_of_owner(subscription.owner_id, channels))
        if channels is not None:
            terms.every_channel = channels == ALL
        terms.frequency = frequency or terms.frequency
        terms.revisions = revisions or terms.revisions
        terms.save()


def stop_telling(subscription_id: int, channel_id: int) -> None:
    """From now on this subscription tells on the other channels only."""
    with transaction.atomic():
        terms = _locked(subscription_id)
        if terms.every_channel:
            terms.channels.set(Channel.objects.filter(owner=terms.subscription.owner_id))
            terms.every_channel = False
            terms.save(update_fields=["every_channel"])
        terms.channels.remove(channel_id)


def tell_again(subscription_id: int, channel_id: int) -> None:
    """Take `stop_telling` back."""
    with transaction.atomic():
        terms = _locked(subscription_id)
        if not terms.every_channel:
            terms.channels.add(*_of_owner(terms.subscription.owner_id, [channel_id]))


def _locked(subscription_id: int) -> Terms:
    """The row, which nobody else changes until we commit."""
    Terms.objects.get_or_create(subscription_id=subscription_id)
    return (
        Terms.objects.select_for_update(of=("self",)).select_related("subscription").get(pk=subscription_id)
    )


def _of_owner(owner_id: int, channels: Collection[int]) -> list[Channel]:
    found = Channel.objects.filter(owner=owner_id).in_bulk(list(channels))
    for channel in channels:
        if channel not in found:
            raise UnknownChannel(channel)
    return list(found.values())
