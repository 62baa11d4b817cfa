from django.urls import path

from matching import api, batch_api, events_api, matches_api

urlpatterns = [
    path("events", events_api.EventsEndpoint.as_view(), name="events"),
    path("events/batch", batch_api.BatchEndpoint.as_view(), name="events-batch"),
    path("events/<int:number>", events_api.EventEndpoint.as_view(), name="event"),
    path("matches", matches_api.MatchesEndpoint.as_view(), name="matches"),
    path("subscriptions", api.SubscriptionsEndpoint.as_view(), name="subscriptions"),
    path("subscriptions/<int:number>", api.SubscriptionEndpoint.as_view(), name="subscription"),
    path("subscriptions/<int:number>/renew", api.RenewEndpoint.as_view(), name="subscription-renew"),
]
