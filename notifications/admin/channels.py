"""Channels: whether they work, and switching one off or on for its owner."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from matching.admin.long_lists import LongListAdmin, of_owners
from notifications import channels
from notifications.models import Channel
from schema_registry.core.errors import InputError
from schema_registry.core.wording import said_of
from schema_registry.staff.asking import AskingAdmin
from schema_registry.staff.questions import Question, Subject

State = Channel.State


class SetState(Question):
    """Switching off or on."""

    done = gettext_lazy("Done for %(names)s.")
    possible_in: ClassVar[frozenset[State]]

    def makes_sense_for(self, row: Channel) -> bool:
        return row.state in self.possible_in

    def subjects(self, rows: Sequence[Channel]) -> list[Subject]:
        return [Subject(row, [_whose(row), _how_it_does(row)], self._refusal(row)) for row in rows]

    def do(self, user: Any, row: Channel, why: str) -> str:
        if not self.set_state(row, why):
            raise InputError(said_of(row, self._refusal(row) or _("It was changed meanwhile.")))
        return f"{self.label}. {why}"

    def set_state(self, row: Channel, why: str) -> bool:
        """Whether it had to be changed; the two kinds of question below fill it in."""
        raise NotImplementedError

    def _refusal(self, row: Channel) -> str:
        if self.makes_sense_for(row):
            return ""
        return _("It is %(state)s.") % {"state": row.get_state_display()}


class Disable(SetState):
    name = "disable"
    label = gettext_lazy("Switch off")
    explanation = gettext_lazy(
        "Nothing is sent to it until it is switched on again; what is planned for it waits."
        " Its owner is told by email, with the reason that you give."
    )
    possible_in = frozenset({State.ACTIVE, State.PENDING})

    def set_state(self, row: Channel, why: str) -> bool:
        reason = why or _("Our staff switched it off.")
        return channels.disable(row.pk, reason=reason, now=timezone.now())


class Enable(SetState):
    name = "enable"
    label = gettext_lazy("Switch on")
    explanation = gettext_lazy(
        "What waits for it is sent. If it was never verified, a verification is sent first."
    )
    possible_in = frozenset({State.DISABLED})

    def set_state(self, row: Channel, why: str) -> bool:
        return channels.enable(row.pk, now=timezone.now())


class FailingFilter(admin.SimpleListFilter):
    title = gettext_lazy("how it does")
    parameter_name = "failing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", gettext_lazy("failing"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Channel]) -> QuerySet[Channel]:
        return queryset.filter(failures__gt=0) if self.value() == "yes" else queryset


@admin.register(Channel)
class ChannelAdmin(AskingAdmin, LongListAdmin):
    list_display = ("cut_address", "kind", "owner", "state", "failures", "failing_since", "created_at")
    list_filter = ("state", "kind", FailingFilter)
    list_select_related = ("owner",)
    search_fields = ("address",)
    search_help_text = gettext_lazy("Words of the address; or @ and the owner's address, or how it begins.")
    fields = (
        "kind",
        "address",
        "owner",
        "state",
        "reason",
        "wants",
        "most_per_day",
        "created_at",
        "verified_at",
        "failures",
        "failing_since",
        "its_deliveries",
    )
    questions = (Disable(), Enable())

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Channel], search_term: str
    ) -> tuple[QuerySet[Channel], bool]:
        if search_term.startswith("@"):
            return of_owners(queryset, search_term[1:]), False
        return super().get_search_results(request, queryset, search_term)

    @admin.display(description=gettext_lazy("address"))
    def cut_address(self, row: Channel) -> str:
        return Truncator(row.address).chars(80)

    @admin.display(description=gettext_lazy("deliveries"))
    def its_deliveries(self, row: Channel) -> str:
        url = f"{reverse('admin:notifications_delivery_changelist')}?channel__id__exact={row.pk}"
        return format_html('<a href="{}">{}</a>', url, _("Its deliveries"))


def _whose(row: Channel) -> str:
    return _("It belongs to %(owner)s.") % {"owner": row.owner}


def _how_it_does(row: Channel) -> str:
    if row.failing_since is None:
        return ""
    ago = timesince(row.failing_since, depth=1)
    said = ngettext(
        "It has failed for %(ago)s, once.", "It has failed for %(ago)s, %(count)d times.", row.failures
    )
    return said % {"ago": ago, "count": row.failures}
