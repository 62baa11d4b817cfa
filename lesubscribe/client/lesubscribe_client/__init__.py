"""A client of Le Subscribe, for publishers of auction items and for whoever looks for them.

    with Publisher("https://auctions.example", key) as publisher:
        publisher.publish("lot-7", {"event_type": ["violins"], "asking_price": 4200}, title="Violin")

    with Subscriber("https://auctions.example", key) as subscriber:
        subscriber.subscribe("event_type contains violins and asking_price <= 5000")
        for number, match in subscriber.listen():
            print(match.event.title)

What is under `_api` is generated from the OpenAPI document of the server, and is private.
"""

from lesubscribe_client.documents import (
    ChangedSubscription,
    Channel,
    ChannelWithSecret,
    Delivery,
    DeliveryWithLog,
    DryRun,
    Event,
    Match,
    MatchedEvent,
    NewDomain,
    Planned,
    Preview,
    Published,
    Reason,
    Subscribed,
    Subscription,
    View,
)
from lesubscribe_client.envelopes import Envelope
from lesubscribe_client.errors import ClientError, NoAnswer, Refused, Violation
from lesubscribe_client.publisher import Outcome, Publisher
from lesubscribe_client.stream import Heard
from lesubscribe_client.subscriber import Subscriber

__all__ = [
    "ChangedSubscription",
    "Channel",
    "ChannelWithSecret",
    "ClientError",
    "Delivery",
    "DeliveryWithLog",
    "DryRun",
    "Envelope",
    "Event",
    "Heard",
    "Match",
    "MatchedEvent",
    "NewDomain",
    "NoAnswer",
    "Outcome",
    "Planned",
    "Preview",
    "Published",
    "Publisher",
    "Reason",
    "Refused",
    "Subscribed",
    "Subscriber",
    "Subscription",
    "View",
    "Violation",
]
