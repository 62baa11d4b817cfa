"""A publisher's named views: the part of the schema that its events are checked against.

Nothing that is stored refers to a view, so one may be changed or deleted without harm to what was accepted.
What a program sends from then on is another matter: it is judged by the new view, or refused where there is
none. The pages say so, and the last change can be taken back.
"""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from schema_registry import browsing, selectors, services
from schema_registry.accounts.models import Publisher
from schema_registry.console.access import of_a_publisher, shown
from schema_registry.console.extension_forms import MOST_OFFERED
from schema_registry.console.proposals import as_curl
from schema_registry.console.view_form import ViewForm
from schema_registry.core.domains import FiniteDomain
from schema_registry.core.errors import InputError
from schema_registry.core.event_views import View
from schema_registry.core.json_schema import json_schema
from schema_registry.models import EventView

TAB = "publish-views"
MOST_VALUES_SHOWN = 2_000  # in a JSON Schema on a page; what is larger is a link
_FORMER = "former_view"
_UNDO_FOR = timedelta(minutes=10)


@require_safe
@of_a_publisher
def views(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    context = {"views": EventView.objects.filter(publisher=publisher), **_standing(request, publisher)}
    return shown(request, publisher, "console/views.html", TAB, **context)


@require_http_methods(["GET", "HEAD", "POST"])
@of_a_publisher
def new(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    return _form_page(request, publisher, None)


@require_http_methods(["GET", "HEAD", "POST"])
@of_a_publisher
def view(request: HttpRequest, publisher: Publisher, view: int) -> HttpResponse:
    """One view: what it is in JSON Schema, and the form that changes it."""
    return _form_page(request, publisher, _own(publisher, view))


@require_POST
@of_a_publisher
def delete(request: HttpRequest, publisher: Publisher, view: int) -> HttpResponse:
    stored = _own(publisher, view)
    if publisher.state == Publisher.State.APPROVED:
        _remember(request, stored)
        services.remove_view(publisher, stored.name)
        messages.success(request, _("The view “%(name)s” is deleted.") % {"name": stored.name})
    return redirect("publish-views", publisher.pk)


@require_POST
@of_a_publisher
def undo(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    """Bring a view back as it was before the last change."""
    former = _former(request, publisher)
    if former is not None and publisher.state == Publisher.State.APPROVED:
        name, types, attributes = former["name"], former["event_types"], former["attributes"]
        is_there = EventView.objects.filter(publisher=publisher, name=name).exists()
        try:
            (services.replace_view if is_there else services.create_view)(publisher, name, types, attributes)
        except InputError as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("The view “%(name)s” is as it was.") % {"name": name})
        request.session.pop(_FORMER, None)
    return redirect("publish-views", publisher.pk)


def _form_page(request: HttpRequest, publisher: Publisher, stored: EventView | None) -> HttpResponse:
    schema = selectors.current_schema()
    sent = request.method == "POST"
    form = ViewForm(request.POST if sent else None, schema=schema, stored=stored)
    may_change = publisher.state == Publisher.State.APPROVED
    is_complete = sent and may_change and request.POST.get("do") == "make" and form.asks_for_attributes
    if is_complete and form.is_valid():
        try:
            made = _saved(request, publisher, form)
        except InputError as refusal:
            form.add_error("name" if stored is None else None, str(refusal))
        else:
            return redirect("publish-view", publisher.pk, made.pk)
    context: dict[str, Any] = {
        "form": form,
        "stored": stored,
        "types_offered": browsing.offered_first(schema.event_types, schema.deprecated.event_types)[
            :MOST_OFFERED
        ],
        **_standing(request, publisher),
        **(
            _as_json_schema(request, schema.view(stored.event_types, stored.attributes), stored)
            if stored
            else {}
        ),
    }
    return shown(request, publisher, "console/view.html", TAB, **context)


def _saved(request: HttpRequest, publisher: Publisher, form: ViewForm) -> EventView:
    if form.stored is None:
        made = services.create_view(publisher, form.cleaned_data["name"], form.event_types, form.kept)
        messages.success(request, _("The view “%(name)s” is made.") % {"name": made.name})
        return made
    _remember(request, form.stored)
    changed = services.replace_view(publisher, form.stored.name, form.event_types, form.kept)
    messages.success(request, _("The view “%(name)s” is changed.") % {"name": changed.name})
    return changed


def _as_json_schema(request: HttpRequest, view: View, stored: EventView) -> dict[str, Any]:
    """The open address that gives it to anybody, and the document itself where it is not too large."""
    named = [("event_type", name) for name in stored.event_types]
    named += [("attribute", name) for name in stored.attributes]
    size = sum(
        len(rule.domain.identifiers())
        for rule in view.rules.values()
        if isinstance(rule.domain, FiniteDomain)
    )
    views_address = request.build_absolute_uri(reverse("schema-views"))
    body = {"name": stored.name, "event_types": stored.event_types, "attributes": stored.attributes}
    return {
        "json_schema_url": f"{reverse('schema-json-schema')}?{urlencode(named)}",
        "json_schema": json.dumps(json_schema(view), ensure_ascii=False, indent=2)
        if size <= MOST_VALUES_SHOWN
        else "",
        "curl": as_curl(views_address, body),
    }


def _own(publisher: Publisher, number: int) -> EventView:
    stored = EventView.objects.filter(publisher=publisher, pk=number).first()
    if stored is None:
        raise Http404
    return stored


def _standing(request: HttpRequest, publisher: Publisher) -> dict[str, Any]:
    former = _former(request, publisher)
    return {
        "may_change": publisher.state == Publisher.State.APPROVED,
        "undo_name": former["name"] if former else "",
    }


def _remember(request: HttpRequest, stored: EventView) -> None:
    request.session[_FORMER] = {
        "publisher": stored.publisher_id,
        "name": stored.name,
        "event_types": stored.event_types,
        "attributes": stored.attributes,
        "at": timezone.now().timestamp(),
    }


def _former(request: HttpRequest, publisher: Publisher) -> dict[str, Any] | None:
    former: dict[str, Any] | None = request.session.get(_FORMER)
    if former is None or former["publisher"] != publisher.pk:
        return None
    is_recent = timezone.now().timestamp() - former["at"] < _UNDO_FOR.total_seconds()
    return former if is_recent else None
