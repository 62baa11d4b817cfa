"""A publisher's items: the list, one of them with its revisions, and taking one back."""

import structlog
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from matching import item_lists, services
from matching.events_in_words import attributes_in_words
from matching.models import PublishedEvent
from matching.row_numbers import row_number
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.requests import signed_in
from schema_registry.console.access import of_a_publisher, shown
from schema_registry.selectors import schema_at

LONGEST_WORDS = 200
State = PublishedEvent.State
_log = structlog.get_logger(__name__)


@require_safe
@of_a_publisher
def items(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    words = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_WORDS]  # PostgreSQL refuses NUL
    state = request.GET.get("state", "")
    state = state if state in State.values else ""
    before = row_number(request.GET.get("before"))
    listed = item_lists.newest(publisher, words=words, state=state, before=before or None)
    asked: dict[str, str | int] = {name: value for name, value in (("q", words), ("state", state)) if value}
    context = {
        "listed": listed,
        "words": words,
        "state": state,
        "states": State.choices,
        "is_filtered": bool(asked),
        "is_first": not before,
        "first_page": urlencode(asked),
        "next_page": urlencode({**asked, "before": listed.before}) if listed.before else "",
        "looked_through": item_lists.LOOKED_THROUGH,
    }
    return shown(request, publisher, "console/items.html", "publish-items", **context)


@require_safe
@of_a_publisher
def item(request: HttpRequest, publisher: Publisher, event: int) -> HttpResponse:
    found = _find(publisher, event)
    revisions = item_lists.revisions(found)
    context = {
        "item": found,
        "attributes": list(attributes_in_words(found.document, schema_at(found.schema_version))),
        "revisions": revisions,
        "newest": revisions[0],
        "is_newest": revisions[0].pk == found.pk,
        "may_withdraw": found.state != State.WITHDRAWN,
    }
    return shown(request, publisher, "console/item.html", "publish-items", **context)


@require_POST
@of_a_publisher
def withdraw(request: HttpRequest, publisher: Publisher, event: int) -> HttpResponse:
    """There is no way back, as who was not told of it meanwhile would never be: the page says so before."""
    found = _find(publisher, event)
    if found.state != State.WITHDRAWN:
        services.withdraw(found)
        _log.info("item_withdrawn", publisher=publisher.pk, item=found.pk, by=signed_in(request).pk)
    words = {"item": found, "next": item_lists.revisions(found)[0].revision + 1}
    messages.success(
        request, _("“%(item)s” is withdrawn. To offer it again, send it as revision %(next)d.") % words
    )
    return redirect("publish-item", publisher.pk, found.pk)


def _find(publisher: Publisher, number: int) -> PublishedEvent:
    found = PublishedEvent.objects.filter(publisher=publisher, pk=number).first()
    if found is None:
        raise Http404
    return found
