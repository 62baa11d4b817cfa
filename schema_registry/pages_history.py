"""The history of the schema, open to all: its versions, and what each of them changed."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import conditional_page, require_safe

from schema_registry import history, selectors
from schema_registry.models import SchemaVersion

VERSIONS_ON_A_PAGE = 50
FOLDED_FROM = 30


# Times are told relative to now, so these pages stay the same for a while only: their words are their tag.
@require_safe
@conditional_page
def versions(request: HttpRequest) -> HttpResponse:
    """Newest first; `?before=` goes on with older ones."""
    raw = request.GET.get("before", "")
    before = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else None
    found = history.newest_versions(before=before, most=VERSIONS_ON_A_PAGE + 1)
    shown = found[:VERSIONS_ON_A_PAGE]
    context = {
        "section": "schema",
        "versions": shown,
        "older": shown[-1].version if len(found) > len(shown) else None,
        "is_newest": before is None,
    }
    return render(request, "schema_registry/browser/history.html", context)


@require_safe
@conditional_page
def version(request: HttpRequest, version: int) -> HttpResponse:
    found = SchemaVersion.objects.select_related("publisher").defer("author").filter(version=version).first()
    if found is None:
        raise Http404
    schema = selectors.current_schema()
    difference = history.difference_of(found)
    context = {
        "section": "schema",
        "version": found,
        "difference": difference,
        "schema": schema,
        "folded": len(difference.values) > FOLDED_FROM,
        "later": version + 1 if version < schema.version else None,
        "earlier": version - 1 if version > selectors.EMPTY_SCHEMA.version + 1 else None,
        "left_out": difference.value_count - len(difference.values),
    }
    return render(request, "schema_registry/browser/version.html", context)
