"""The views that publishers have named."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from schema_registry.models import EventView
from schema_registry.staff.saving import ReadOnlyAdmin
from schema_registry.staff.wording import listed


@admin.register(EventView)
class EventViewAdmin(ReadOnlyAdmin):
    list_display = ("name", "publisher", "its_event_types", "its_attributes", "created_at")
    list_select_related = ("publisher",)
    search_fields = ("name", "publisher__name")
    fields = ("name", "publisher", "its_event_types", "its_attributes", "created_at")

    @admin.display(description=_("event types"))
    def its_event_types(self, row: EventView) -> str:
        return listed(row.event_types)

    @admin.display(description=_("attributes"))
    def its_attributes(self, row: EventView) -> str:
        return listed(row.attributes)
