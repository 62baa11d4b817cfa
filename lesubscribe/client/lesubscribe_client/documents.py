"""The generated documents under the names that they have here."""

from lesubscribe_client._api.models import Accepted as Published
from lesubscribe_client._api.models import ChangedDocument as ChangedSubscription
from lesubscribe_client._api.models import ChannelDocument as Channel
from lesubscribe_client._api.models import (
    ChannelWithSecret,
    DeliveryWithLog,
    DryRun,
    MatchedEvent,
    Planned,
    Reason,
)
from lesubscribe_client._api.models import Created as Subscribed
from lesubscribe_client._api.models import DeliveryDocument as Delivery
from lesubscribe_client._api.models import DomainAnswer as NewDomain
from lesubscribe_client._api.models import EventDocument as Event
from lesubscribe_client._api.models import MatchDocument as Match
from lesubscribe_client._api.models import PreviewDocument as Preview
from lesubscribe_client._api.models import SubscriptionDocument as Subscription
from lesubscribe_client._api.models import ViewDocument as View

__all__ = [
    "ChangedSubscription",
    "Channel",
    "ChannelWithSecret",
    "Delivery",
    "DeliveryWithLog",
    "DryRun",
    "Event",
    "Match",
    "MatchedEvent",
    "NewDomain",
    "Planned",
    "Preview",
    "Published",
    "Reason",
    "Subscribed",
    "Subscription",
    "View",
]
