"""Reading channels, deliveries, and how subscriptions tell."""

from datetime import datetime

from django.db.models import Q, QuerySet

from matching.models import Announcement, Subscription
from notifications.metrics import Figures
from notifications.models import Channel, Delivery, SendingSwitch, Terms
from notifications.terms import ALL, Chosen
from schema_registry.accounts.models import User

MOST_COUNTED = 10_000  # of what is due: more than that says no more, and counting takes time


# What waits for a channel that is switched off is nobody's work.
_CAN_BE_SENT = Q(channel__state=Channel.State.ACTIVE) | Q(
    channel__state=Channel.State.PENDING, kind=Delivery.Kind.VERIFY
)


def channels_of(owner: User) -> QuerySet[Channel]:
    """Oldest first: there are few, and people know them by their place."""
    return Channel.objects.filter(owner=owner).order_by("pk")


def deliveries_of(owner: User) -> QuerySet[Delivery]:
    """What was and will be sent to a person, newest first."""
    # By the few channels of the owner, whose numbers let the database see which index is best.
    mine = list(channels_of(owner).values_list("pk", flat=True))
    return Delivery.objects.filter(channel__in=mine).order_by("-pk")


def terms_of(subscription: Subscription) -> Terms:
    """Those of a subscription; one for which nothing was chosen has the usual ones, which are not stored."""
    return getattr(subscription, "terms", None) or Terms(subscription=subscription)


def chosen_channels(terms: Terms) -> Chosen:
    return ALL if terms.every_channel else sorted(channel.pk for channel in terms.channels.all())


def is_sending_halted() -> bool:
    return SendingSwitch.objects.filter(is_halted=True).exists()


def figures(*, now: datetime) -> Figures:
    """How sending and planning stand, for the metrics."""
    active = Channel.objects.filter(state=Channel.State.ACTIVE)
    due = Delivery.objects.filter(_CAN_BE_SENT, state=Delivery.State.WAITING, next_attempt_at__lte=now)
    return Figures(
        due=due[:MOST_COUNTED].count(),
        failing=active.filter(failures__gt=0).count(),
        announcements=Announcement.objects.count(),
        is_halted=is_sending_halted(),
    )
