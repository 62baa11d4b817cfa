"""The addresses that mails and feed readers know."""

from django.urls import path

from notifications import atom
from notifications.pages import mails

urlpatterns = [
    path("atom/<str:token>", atom.atom, name="atom"),
    path("change/<str:token>", mails.change, name="change-search"),
    path("confirm/<str:token>", mails.confirm, name="confirm-channel"),
    path("mute/<str:token>", mails.mute, name="mute-search"),
    path("renew/<str:token>", mails.renew, name="renew-search"),
    path("undo/<str:token>", mails.undo, name="undo"),
    path("unsubscribe/<str:token>", mails.unsubscribe, name="unsubscribe"),
]
