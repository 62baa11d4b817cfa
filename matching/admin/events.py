"""Events: looking at them, withdrawing one, and trying a parked one again."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from matching import parked, services
from matching.admin.long_lists import LongListAdmin
from matching.events_in_words import attributes_in_words
from matching.models import Match, MatchWork, PublishedEvent
from schema_registry.accounts.models import Publisher
from schema_registry.selectors import schema_at
from schema_registry.staff.asking import AskingAdmin
from schema_registry.staff.filters import RelatedRowFilter
from schema_registry.staff.questions import Question, Subject

State = PublishedEvent.State
EMPTY = "-"
MATCHES_SHOWN = 50
MOST_SEARCHED = 100_000  # events


class Withdraw(Question):
    name = "withdraw"
    label = gettext_lazy("Withdraw")
    explanation = gettext_lazy(
        "If it still waits it is not matched, and people no longer see it among their matches."
        " This cannot be taken back; its publisher may send it again under another revision."
    )
    done = gettext_lazy("Withdrawn: %(names)s.")

    def makes_sense_for(self, row: PublishedEvent) -> bool:
        return row.state != State.WITHDRAWN

    def subjects(self, rows: Sequence[PublishedEvent]) -> list[Subject]:
        return [Subject(row, [_whose(row), _matched(row)], self._refusal(row)) for row in rows]

    def do(self, user: Any, row: PublishedEvent, why: str) -> str:
        services.withdraw(row)
        return _("Withdrawn. %(why)s") % {"why": why}

    def _refusal(self, row: PublishedEvent) -> str:
        return "" if self.makes_sense_for(row) else _("It is withdrawn already.")


class Retry(Question):
    name = "retry"
    label = gettext_lazy("Try again")
    explanation = gettext_lazy(
        "It is matched as if it had just been accepted. Should it fail again, it is parked again."
    )
    done = gettext_lazy("Tried again: %(names)s.")

    def makes_sense_for(self, row: PublishedEvent) -> bool:
        return row.state == State.PARKED

    def subjects(self, rows: Sequence[PublishedEvent]) -> list[Subject]:
        return [Subject(row, [_whose(row), row.why_parked], self._refusal(row)) for row in rows]

    def do(self, user: Any, row: PublishedEvent, why: str) -> str:
        parked.retry(row)
        return _("To be tried again. %(why)s") % {"why": why}

    def _refusal(self, row: PublishedEvent) -> str:
        return "" if self.makes_sense_for(row) else _("It is not parked.")


class PublisherFilter(RelatedRowFilter):
    title = gettext_lazy("publisher")
    parameter_name = "publisher"

    def related(self) -> QuerySet[Publisher]:
        return Publisher.objects.order_by("name")


@admin.register(PublishedEvent)
class PublishedEventAdmin(AskingAdmin, LongListAdmin):
    list_display = (
        "__str__",
        "external_id",
        "publisher",
        "state",
        "accepted_at",
        "matched_at",
        "match_count",
    )
    list_filter = ("state", PublisherFilter, "accepted_at")
    list_select_related = ("publisher",)
    search_fields = ("external_id", "title")
    search_help_text = gettext_lazy(
        "The publisher's id in full, or else words of the title or a part of the id among the newest events."
    )
    fieldsets = (
        (
            None,
            {"fields": ("title", "publisher", "external_id", "revision", "address", "picture", "ends_at")},
        ),
        (
            gettext_lazy("What became of it"),
            {"fields": ("state", "why_parked", "attempts", "accepted_at", "matched_at", "match_count")},
        ),
        (gettext_lazy("Attributes"), {"fields": ("values", "schema_version")}),
    )
    change_form_template = "admin/matching/publishedevent/change_form.html"
    questions = (Withdraw(), Retry())

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[PublishedEvent], search_term: str
    ) -> tuple[QuerySet[PublishedEvent], bool]:
        """An index finds an id; words are looked for in as many events as take no longer than a page may."""
        if not search_term:
            return queryset, False
        named = queryset.filter(publisher__in=Publisher.objects.all(), external_id=search_term.strip())
        if named.exists():
            return named, False
        newest = PublishedEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
        searched = queryset.filter(pk__gt=newest - MOST_SEARCHED)
        return super().get_search_results(request, searched, search_term)

    def get_queryset(self, request: HttpRequest) -> QuerySet[PublishedEvent]:
        return super().get_queryset(request).select_related("publisher").defer("document")  # large

    def render_change_form(self, request: Any, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        row = kwargs.get("obj")
        if row is not None and request.user.has_perm("matching.view_match"):
            matches = Match.objects.filter(event=row).select_related("subscription", "owner")
            context["matches"] = matches.order_by("pk")[:MATCHES_SHOWN]
            context["matches_left_out"] = max(0, row.match_count - MATCHES_SHOWN)
            context["matches_url"] = f"{reverse('admin:matching_match_changelist')}?event__id__exact={row.pk}"
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description=gettext_lazy("why it is parked"))
    def why_parked(self, row: PublishedEvent) -> str:
        return row.why_parked or EMPTY

    @admin.display(description=gettext_lazy("address"))
    def address(self, row: PublishedEvent) -> str:
        return _outside(row.url)

    @admin.display(description=gettext_lazy("picture"))
    def picture(self, row: PublishedEvent) -> str:
        return _outside(row.image_url)

    @admin.display(description=gettext_lazy("attempts so far"))
    def attempts(self, row: PublishedEvent) -> str:
        counts = MatchWork.objects.filter(event=row).order_by("shard").values_list("attempts", flat=True)
        return ", ".join(map(str, counts)) or EMPTY

    @admin.display(description=gettext_lazy("values"))
    def values(self, row: PublishedEvent) -> str:
        rows = attributes_in_words(row.document, schema_at(row.schema_version))
        return format_html("<dl>{}</dl>", format_html_join("", "<dt>{}</dt><dd>{}</dd>", rows))


def _outside(address: str) -> str:
    if not address:
        return EMPTY
    return format_html('<a href="{}" rel="noopener noreferrer">{}</a>', address, address)


def _whose(row: PublishedEvent) -> str:
    return _("%(publisher)s sent it as %(id)s, revision %(revision)d.") % {
        "publisher": row.publisher,
        "id": row.external_id,
        "revision": row.revision,
    }


def _matched(row: PublishedEvent) -> str:
    count = row.match_count
    return ngettext("It has %(count)d match.", "It has %(count)d matches.", count) % {"count": count}
