"""What people chose: when they may be told, and how their subscriptions tell."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matching.admin.long_lists import LongListAdmin, of_owners
from notifications.models import Preferences, Terms
from notifications.pages import choices
from notifications.pages.search_terms import REVISIONS
from schema_registry.accounts.models import User
from schema_registry.staff.wording import listed


@admin.register(Preferences)
class PreferencesAdmin(LongListAdmin):
    list_display = ("owner", "time_zone", "quiet_from", "quiet_until", "digest_at", "digest_weekday")
    list_select_related = ("owner",)
    search_fields = ("owner__email",)
    search_help_text = gettext_lazy("The owner's address, or how it begins.")
    fields = list_display

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Preferences], search_term: str
    ) -> tuple[QuerySet[Preferences], bool]:
        return (of_owners(queryset, search_term) if search_term else queryset), False


WORDS: dict[Any, Any] = {**choices.HOW_OFTEN, **REVISIONS}  # those of the pages on which people choose


class InWords(admin.ChoicesFieldListFilter):
    """The field has its choices as programs name them."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield {**choice, "display": WORDS.get(choice["display"], choice["display"])}


@admin.register(Terms)
class TermsAdmin(LongListAdmin):
    list_display = ("subscription", "owner", "how_often", "new_revisions", "every_channel")
    list_filter = (("frequency", InWords), ("revisions", InWords))
    search_fields = ("subscription__name",)
    search_help_text = gettext_lazy("Words of a subscription's name; or its owner's address, up to the @.")
    fields = ("subscription", "how_often", "new_revisions", "on")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Terms]:
        found = super().get_queryset(request).select_related("subscription__owner")
        return found.defer("subscription__compiled")  # large

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Terms], search_term: str
    ) -> tuple[QuerySet[Terms], bool]:
        if "@" in search_term:
            owners = User.objects.filter(email__istartswith=search_term.strip())
            return queryset.filter(subscription__owner__in=owners), False
        return super().get_search_results(request, queryset, search_term)

    @admin.display(description=gettext_lazy("owner"))
    def owner(self, row: Terms) -> str:
        return str(row.subscription.owner)

    @admin.display(description=gettext_lazy("frequency"))
    def how_often(self, row: Terms) -> str:
        return str(WORDS[row.frequency])

    @admin.display(description=gettext_lazy("new revisions"))
    def new_revisions(self, row: Terms) -> str:
        return str(WORDS[row.revisions])

    @admin.display(description=gettext_lazy("channels"))
    def on(self, row: Terms) -> str:
        if row.every_channel:
            return _("every channel")
        return listed(row.channels.order_by("pk")) or _("none: in the feed only")
