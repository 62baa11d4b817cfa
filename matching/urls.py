from django.urls import path

from matching import api

urlpatterns = [
    path("subscriptions", api.SubscriptionsEndpoint.as_view(), name="subscriptions"),
    path("subscriptions/<int:number>", api.SubscriptionEndpoint.as_view(), name="subscription"),
    path("subscriptions/<int:number>/renew", api.RenewEndpoint.as_view(), name="subscription-renew"),
]
