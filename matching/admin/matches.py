"""Matches: who was found what, when, and why."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matching import selectors
from matching.admin.long_lists import LongListAdmin, of_owners
from matching.models import Match

_NEXT_LINE = mark_safe("<br>")  # nosec B308  # a constant


@admin.register(Match)
class MatchAdmin(LongListAdmin):
    list_display = ("found", "subscription", "owner", "matched_at")
    list_filter = ("matched_at",)
    list_select_related = ("event", "subscription", "owner")
    search_fields = ("owner__email",)
    search_help_text = gettext_lazy("The owner's address, or how it begins.")
    fields = ("event", "subscription", "owner", "matched_at", "reasons")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        matches = super().get_queryset(request).select_related("event", "subscription", "owner")
        return matches.defer("event__document", "subscription__compiled")  # large, and not listed

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Match], search_term: str
    ) -> tuple[QuerySet[Match], bool]:
        return (of_owners(queryset, search_term) if search_term else queryset), False

    @admin.display(description=gettext_lazy("event"))
    def found(self, row: Match) -> str:
        return str(row.event)

    @admin.display(description=gettext_lazy("why"))
    def reasons(self, row: Match) -> str:
        held: Any = ((reason["predicate"], reason["value"]) for reason in selectors.explainer()(row))
        sentences = format_html_join(_NEXT_LINE, "{} <small>({})</small>", held)
        return sentences or _("Its text was changed since and no longer matches.")
