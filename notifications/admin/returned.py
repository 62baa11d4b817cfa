"""Mails that came back or were called spam. Who deletes a complaint lets its address be written to again."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from matching.admin.long_lists import LongListAdmin
from notifications.models import MailEvent


@admin.register(MailEvent)
class MailEventAdmin(LongListAdmin):
    list_display = ("address", "kind", "said", "happened_at")
    list_filter = ("kind",)
    search_fields = ("=address",)
    search_help_text = gettext_lazy("A whole address.")
    fields = list_display

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """One at a time, on its page; Django asks, and notes who did it."""
        is_complaint = obj is not None and obj.kind == MailEvent.Kind.COMPLAINT
        return is_complaint and request.user.has_perm("notifications.delete_mailevent")
