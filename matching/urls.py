from django.urls import path

from matching import api, batch_api, events_api, feed_api, matches_api, portable_api, preview_api

urlpatterns = [
    path("events", events_api.EventsEndpoint.as_view(), name="events"),
    path("events/batch", batch_api.BatchEndpoint.as_view(), name="events-batch"),
    path("events/<int:number>", events_api.EventEndpoint.as_view(), name="event"),
    path("feed/stream", feed_api.FeedStreamEndpoint.as_view(), name="feed-stream"),
    path("matches", matches_api.MatchesEndpoint.as_view(), name="matches"),
    path("matches/seen", matches_api.SeenEndpoint.as_view(), name="matches-seen"),
    path("subscriptions", api.SubscriptionsEndpoint.as_view(), name="subscriptions"),
    path("subscriptions/export", portable_api.ExportEndpoint.as_view(), name="subscriptions-export"),
    path("subscriptions/import", portable_api.ImportEndpoint.as_view(), name="subscriptions-import"),
    path("subscriptions/preview", preview_api.PreviewEndpoint.as_view(), name="subscriptions-preview"),
    path("subscriptions/<int:number>", api.SubscriptionEndpoint.as_view(), name="subscription"),
    path("subscriptions/<int:number>/renew", api.RenewEndpoint.as_view(), name="subscription-renew"),
]
