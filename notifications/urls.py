from django.urls import path

from notifications import (
    api_channels,
    api_deliveries,
    api_feeds,
    api_portable,
    api_preferences,
    api_replays,
    api_sharing,
    api_subscriptions,
)

urlpatterns = [
    path("channels", api_channels.ChannelsEndpoint.as_view(), name="channels"),
    path("channels/<int:number>", api_channels.ChannelEndpoint.as_view(), name="channel"),
    path("channels/<int:number>/test", api_channels.TestEndpoint.as_view(), name="channel-test"),
    path("channels/<int:number>/verify", api_channels.VerifyEndpoint.as_view(), name="channel-verify"),
    path(
        "channels/<int:number>/rotate-secret",
        api_channels.RotateSecretEndpoint.as_view(),
        name="channel-rotate-secret",
    ),
    path("channels/<int:number>/replay", api_replays.RangeReplayEndpoint.as_view(), name="channel-replay"),
    path("deliveries", api_deliveries.DeliveriesEndpoint.as_view(), name="deliveries"),
    path("deliveries/<int:number>", api_deliveries.DeliveryEndpoint.as_view(), name="delivery"),
    path("deliveries/<int:number>/replay", api_deliveries.ReplayEndpoint.as_view(), name="delivery-replay"),
    path("feeds", api_feeds.FeedsEndpoint.as_view(), name="feeds"),
    path("feeds/rotate", api_feeds.RotateFeedsEndpoint.as_view(), name="feeds-rotate"),
    path("preferences", api_preferences.PreferencesEndpoint.as_view(), name="preferences"),
    # In place of those of matching, whose subscriptions have no terms.
    path("subscriptions", api_subscriptions.SubscriptionsEndpoint.as_view(), name="subscriptions"),
    path("subscriptions/export", api_portable.ExportEndpoint.as_view(), name="subscriptions-export"),
    path("subscriptions/import", api_portable.ImportEndpoint.as_view(), name="subscriptions-import"),
    path("subscriptions/<int:number>", api_subscriptions.SubscriptionEndpoint.as_view(), name="subscription"),
    path(
        "subscriptions/<int:number>/renew",
        api_subscriptions.RenewEndpoint.as_view(),
        name="subscription-renew",
    ),
    path("subscriptions/<int:number>/share", api_sharing.ShareEndpoint.as_view(), name="subscription-share"),
]
