"""The one switch that halts all sending, as a page of its own."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from notifications import switch
from notifications.models import SendingSwitch
from schema_registry.core.errors import InputError
from schema_registry.staff.asking import AskingAdmin
from schema_registry.staff.questions import Question, Subject
from schema_registry.staff.saving import ReadOnlyAdmin


class Halt(Question):
    name = "halt"
    label = gettext_lazy("Halt all sending")
    explanation = gettext_lazy(
        "No notification goes out, to anybody, until sending is resumed. Matching and planning go on, so"
        " nothing is lost: what is due meanwhile waits."
    )
    done = gettext_lazy("All sending is halted.")
    in_lists = False

    def makes_sense_for(self, row: SendingSwitch) -> bool:
        return not row.is_halted

    def subjects(self, rows: Sequence[SendingSwitch]) -> list[Subject]:
        return [
            Subject(row, refusal=_("Sending is halted already.") if row.is_halted else "") for row in rows
        ]

    def do(self, user: Any, row: SendingSwitch, why: str) -> str:
        if row.is_halted:
            raise InputError(_("Sending is halted already."))
        switch.halt(user, reason=why, now=timezone.now())
        return _("Halted. %(why)s") % {"why": why}


class Resume(Question):
    name = "resume"
    label = gettext_lazy("Resume sending")
    explanation = gettext_lazy("Everything that waits is sent, beginning now.")
    done = gettext_lazy("Sending goes on.")
    in_lists = False

    def makes_sense_for(self, row: SendingSwitch) -> bool:
        return row.is_halted

    def subjects(self, rows: Sequence[SendingSwitch]) -> list[Subject]:
        return [Subject(row, refusal="" if row.is_halted else _("Sending is not halted.")) for row in rows]

    def do(self, user: Any, row: SendingSwitch, why: str) -> str:
        if not row.is_halted:
            raise InputError(_("Sending is not halted."))
        switch.resume(user, now=timezone.now())
        return _("Resumed. %(why)s") % {"why": why}


@admin.register(SendingSwitch)
class SendingSwitchAdmin(AskingAdmin, ReadOnlyAdmin):
    fields = ("how_it_is", "reason", "changed_at", "changed_by")
    questions = (Halt(), Resume())

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """There is one row, so its page takes the place of the list."""
        row, _is_new = SendingSwitch.objects.get_or_create(pk=switch.THE_ROW)
        return redirect(reverse("admin:notifications_sendingswitch_change", args=[row.pk]))

    @admin.display(description=gettext_lazy("sending"))
    def how_it_is(self, row: SendingSwitch) -> str:
        if row.is_halted:
            return _("Halted: no notification goes out, to anybody. What is due waits.")
        return _("On: notifications go out when they are due.")
