"""Subscriptions: looking at them, and pausing, resuming, removing or bringing one back for its owner."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matching import selectors, services
from matching.admin.counting import MOST_COUNTED, match_counts
from matching.admin.long_lists import LongList, LongListAdmin, of_owners
from matching.models import Subscription
from matching.validity import state_at
from schema_registry.core.errors import InputError
from schema_registry.core.numbers import grouped
from schema_registry.core.wording import said_of
from schema_registry.staff.asking import AskingAdmin
from schema_registry.staff.questions import Question, Subject

State = Subscription.State


class SetState(Question):
    """Pausing, resuming, removing or bringing back."""

    done = gettext_lazy("Done for %(names)s.")
    possible_in: ClassVar[frozenset[State]]

    def makes_sense_for(self, row: Subscription) -> bool:
        return current_state(row) in self.possible_in

    def subjects(self, rows: Sequence[Subscription]) -> list[Subject]:
        return [Subject(row, [_owned_by(row)], self._refusal(row)) for row in rows]

    def do(self, user: Any, row: Subscription, why: str) -> str:
        if refusal := self._refusal(row):
            raise InputError(said_of(row, refusal))
        try:
            self.set_state(row)
        except Subscription.DoesNotExist:
            raise InputError(_("%(row)s was removed meanwhile.") % {"row": row}) from None
        return f"{self.label}. {why}"

    def set_state(self, row: Subscription) -> None:
        raise NotImplementedError

    def _refusal(self, row: Subscription) -> str:
        if self.makes_sense_for(row):
            return ""
        return _("It is %(state)s.") % {"state": current_state(row).label}


class Pause(SetState):
    name = "pause"
    label = gettext_lazy("Pause")
    explanation = gettext_lazy(
        "Nothing is matched for it until it is resumed; what is missed is not made up."
    )
    possible_in = frozenset({State.ACTIVE, State.MUTED})

    def set_state(self, row: Subscription) -> None:
        services.change(row, now=timezone.now(), state=State.PAUSED)


class Resume(SetState):
    name = "resume"
    label = gettext_lazy("Resume")
    explanation = gettext_lazy("It is matched again, and its owner is told of matches, from now on.")
    possible_in = frozenset({State.PAUSED, State.MUTED})

    def set_state(self, row: Subscription) -> None:
        services.change(row, now=timezone.now(), state=State.ACTIVE)


class Remove(SetState):
    name = "remove"
    label = gettext_lazy("Remove")
    explanation = gettext_lazy(
        "Its owner no longer sees it, and nothing is matched for it until it is brought back."
    )
    possible_in = frozenset(State) - {State.REMOVED}

    def set_state(self, row: Subscription) -> None:
        services.unsubscribe(row)


class BringBack(SetState):
    name = "bring-back"
    label = gettext_lazy("Bring back")
    explanation = gettext_lazy(
        "Its owner sees it again, and it is matched as before. What is missed is not made up."
    )
    possible_in = frozenset({State.REMOVED})

    def set_state(self, row: Subscription) -> None:
        services.restore(row.pk, owner=row.owner)


class StateFilter(admin.SimpleListFilter):
    """By the state of this moment: rows are marked as expired only some time later."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return State.choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Subscription]) -> QuerySet[Subscription]:
        chosen = self.value() or ""
        if chosen not in State.values:
            return queryset
        state = State(chosen)
        if state == State.REMOVED:
            return queryset.filter(state=state)
        there = queryset.exclude(state=State.REMOVED)
        return selectors.in_state(there, state, now=timezone.now())


class SubscriptionList(LongList):
    """Rows know how many matches they have, counted for a whole page at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows: Any = self.result_list
        counts = match_counts([row.pk for row in rows])
        for row in rows:
            row.match_count = counts.get(row.pk, 0)


@admin.register(Subscription)
class SubscriptionAdmin(AskingAdmin, LongListAdmin):
    list_display = ("__str__", "what_for", "owner", "state_now", "expires_at", "matches")
    list_filter = (StateFilter,)
    list_select_related = ("owner",)
    search_fields = ("name", "text")
    search_help_text = gettext_lazy(
        "Words of its name or text; or the owner's address, at least up to the @."
    )
    fields = (
        "name",
        "text",
        "canonical",
        "owner",
        "state_now",
        "created_at",
        "expires_at",
        "schema_version",
        "matches",
    )
    questions = (Pause(), Resume(), Remove(), BringBack())

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return SubscriptionList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Subscription]:
        return super().get_queryset(request).select_related("owner").defer("compiled")  # large

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Subscription], search_term: str
    ) -> tuple[QuerySet[Subscription], bool]:
        if "@" in search_term:
            return of_owners(queryset, search_term), False
        return super().get_search_results(request, queryset, search_term)

    @admin.display(description=gettext_lazy("text"))
    def what_for(self, row: Subscription) -> str:
        return Truncator(row.text).chars(100) if row.name else ""  # else it stands for the name

    @admin.display(description=gettext_lazy("state"))
    def state_now(self, row: Subscription) -> str:
        return str(current_state(row).label)

    @admin.display(description=gettext_lazy("matches"))
    def matches(self, row: Subscription) -> str:
        count = row.match_count if hasattr(row, "match_count") else match_counts([row.pk])[row.pk]
        if not count:
            return "0"
        url = f"{reverse('admin:matching_match_changelist')}?subscription__id__exact={row.pk}"
        return format_html(
            '<a href="{}">{}</a>',
            url,
            grouped(count) if count <= MOST_COUNTED else grouped(MOST_COUNTED) + "+",
        )


def current_state(row: Subscription) -> Subscription.State:
    return state_at(row.state, row.expires_at, now=timezone.now())


def _owned_by(row: Subscription) -> str:
    return _("It belongs to %(owner)s and looks for: %(text)s") % {
        "owner": row.owner,
        "text": Truncator(row.text).chars(200),
    }
