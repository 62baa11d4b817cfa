"""Deliveries: what was sent, what came back, and sending it again."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matching.admin.long_lists import LongListAdmin
from notifications import deliveries
from notifications.models import Attempt, Channel, Delivery
from schema_registry.accounts.models import User
from schema_registry.said_again import again
from schema_registry.staff.asking import AskingAdmin
from schema_registry.staff.questions import Question, Subject

State = Delivery.State


class Replay(Question):
    name = "replay"
    label = gettext_lazy("Send again")
    explanation = gettext_lazy("It goes out under the same id, with all its attempts before it.")
    done = gettext_lazy("To be sent again: %(names)s.")

    def makes_sense_for(self, row: Delivery) -> bool:
        return row.state != State.WAITING and row.kind != Delivery.Kind.VERIFY

    def subjects(self, rows: Sequence[Delivery]) -> list[Subject]:
        return [Subject(row, [_where(row), again(row.reason)], self._refusal(row)) for row in rows]

    def do(self, user: Any, row: Delivery, why: str) -> str:
        deliveries.replay(row, now=timezone.now())
        return _("To be sent again. %(why)s") % {"why": why}

    def _refusal(self, row: Delivery) -> str:
        if row.kind == Delivery.Kind.VERIFY:
            return _("A verification is asked for anew at its channel.")
        return "" if self.makes_sense_for(row) else _("It is still on its way.")


class AttemptInline(admin.TabularInline):
    model = Attempt
    fields = ("number", "began_at", "milliseconds", "is_success", "status", "error", "request", "response")
    readonly_fields = fields
    ordering = ("pk",)
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Delivery)
class DeliveryAdmin(AskingAdmin, LongListAdmin):
    list_display = ("planned_at", "kind", "where", "owner", "state", "attempts", "next_attempt")
    list_filter = ("state", "kind")
    list_select_related = ("channel__owner",)
    search_fields = ("uid",)
    search_help_text = gettext_lazy("The id on the wire, such as msg_...; or the owner's address.")
    fields = (
        "message_id",
        "kind",
        "channel",
        "event",
        "state",
        "reason",
        "attempts",
        "planned_at",
        "next_attempt",
        "finished_at",
    )
    inlines = (AttemptInline,)
    questions = (Replay(),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Delivery]:
        found = super().get_queryset(request).select_related("channel__owner", "event")
        return found.defer("event__document")  # large

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Delivery], search_term: str
    ) -> tuple[QuerySet[Delivery], bool]:
        if "@" in search_term:
            owners = User.objects.filter(email__istartswith=search_term.strip())
            return queryset.filter(channel__in=Channel.objects.filter(owner__in=owners)), False
        if search_term:
            uid = _uid(search_term)
            return (queryset.none() if uid is None else queryset.filter(uid=uid)), False
        return queryset, False

    @admin.display(description=gettext_lazy("id on the wire"))
    def message_id(self, row: Delivery) -> str:
        return row.wire_id

    @admin.display(description=gettext_lazy("next attempt"))
    def next_attempt(self, row: Delivery) -> str:
        """In words: on its page Django would show a moment as Python writes it."""
        at = deliveries.next_attempt(row)
        return "-" if at is None else date_format(timezone.localtime(at), "DATETIME_FORMAT")

    @admin.display(description=gettext_lazy("channel"))
    def where(self, row: Delivery) -> str:
        return Truncator(str(row.channel)).chars(80)

    @admin.display(description=gettext_lazy("owner"))
    def owner(self, row: Delivery) -> str:
        return str(row.channel.owner)


def _uid(term: str) -> UUID | None:
    try:
        return UUID(term.strip().removeprefix("msg_"))
    except ValueError:
        return None


def _where(row: Delivery) -> str:
    return _("To %(channel)s of %(owner)s.") % {"channel": row.channel, "owner": row.channel.owner}
