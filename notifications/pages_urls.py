"""The addresses that mails and feed readers know."""

from django.urls import path

from notifications import atom, pages

urlpatterns = [
    path("atom/<str:token>", atom.atom, name="atom"),
    path("change/<str:token>", pages.change, name="change-search"),
    path("confirm/<str:token>", pages.confirm, name="confirm-channel"),
    path("mute/<str:token>", pages.mute, name="mute-search"),
    path("renew/<str:token>", pages.renew, name="renew-search"),
    path("undo/<str:token>", pages.undo, name="undo"),
    path("unsubscribe/<str:token>", pages.unsubscribe, name="unsubscribe"),
]
