"""The history of the schema: who changed what, why, and how a version differs from the one before."""

from collections.abc import Iterator

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from schema_registry import selectors
from schema_registry.admin.base import EMPTY
from schema_registry.core.administration import difference
from schema_registry.core.domains import FiniteDomain
from schema_registry.core.schema import Schema
from schema_registry.core.wording import said_of
from schema_registry.models import SchemaVersion
from schema_registry.staff.saving import ReadOnlyAdmin
from schema_registry.staff.wording import listed

_MOST_NAMES = 50
_NEXT_LINE = mark_safe("<br>")  # nosec B308  # a constant


@admin.register(SchemaVersion)
class SchemaVersionAdmin(ReadOnlyAdmin):
    list_display = ("version", "rule", "subject", "who", "why", "created_at")
    list_filter = ("rule",)
    date_hierarchy = "created_at"
    list_select_related = ("author", "publisher")
    search_fields = ("subject", "why", "author__email", "publisher__name")
    fields = ("version", "rule", "subject", "who", "why", "created_at", "what_changed")

    @admin.display(description=pgettext_lazy("column", "by"))
    def who(self, row: SchemaVersion) -> str:
        return str(row.publisher or row.author or EMPTY)

    @admin.display(description=gettext_lazy("difference to the version before"))
    def what_changed(self, row: SchemaVersion) -> str:
        before, after = selectors.schema_at(row.version - 1), selectors.schema_at(row.version)
        sentences = ((sentence,) for sentence in _differences(before, after))
        return format_html_join(_NEXT_LINE, "{}", sentences) or EMPTY


def _differences(before: Schema, after: Schema) -> Iterator[str]:
    sections = {"domains": _("domains"), "attributes": _("attributes"), "event_types": _("event types")}
    for found in difference(before, after):
        parts = (_("new"), found.added), (_("gone"), found.removed), (_("changed"), found.changed)
        for what, names in parts:
            if names:
                yield said_of(f"{sections[found.section]}, {what}", listed(names, _MOST_NAMES))
        for name in found.changed if found.section == "domains" else ():
            old, new = before.domains[name], after.domains[name]
            if isinstance(old, FiniteDomain) and isinstance(new, FiniteDomain):
                values = [value for value in new.identifiers() if value not in old.identifiers()]
                yield _("values of %(domain)s, new: %(values)s") % {
                    "domain": name,
                    "values": listed(values, _MOST_NAMES),
                }
        for name in found.changed if found.section == "event_types" else ():
            added = sorted(after.attribute_set(name) - before.attribute_set(name))
            yield _("attributes of %(name)s, new: %(added)s") % {"name": name, "added": listed(added)}
    for section, words in sections.items():
        marks = getattr(before.deprecated, section), getattr(after.deprecated, section)
        yield from _deprecations(words, *marks)
    for name in sorted(before.deprecated.values.keys() | after.deprecated.values.keys()):
        marked = (schema.deprecated.values.get(name, frozenset()) for schema in (before, after))
        yield from _deprecations(_("values of %(domain)s") % {"domain": name}, *marked)


def _deprecations(what: str, before: frozenset[str], after: frozenset[str]) -> Iterator[str]:
    for words, names in ((_("deprecated"), after - before), (_("no longer deprecated"), before - after)):
        if names:
            yield said_of(f"{what}, {words}", listed(sorted(names), _MOST_NAMES))
