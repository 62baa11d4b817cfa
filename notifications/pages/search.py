"""The page to say what one looks for: a new search, or one that is changed.

It works by plain posts to itself; with scripts, `form` answers with the parts that have changed.
"""

import secrets
import time
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from matching.models import Subscription
from matching.selectors import subscriptions_of
from matching.services import TooManySubscriptions
from matching.validity import state_at
from notifications import selectors, sharing
from notifications.core.wording import LONGEST_TITLE
from notifications.items import name_of
from notifications.pages import alike, search_attributes, search_form, search_rows, search_terms
from notifications.pages.refusals import no_room
from notifications.pages.requests import htmx
from notifications.pages.search_builder import Building, after, begun, suggested_name
from notifications.pages.search_examples import examples
from notifications.pages.search_preview import DAYS, previewed
from notifications.pages.search_size import LONGEST_TEXT, TooLarge
from notifications.saving import save
from notifications.terms import UnknownChannel
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.numbers import grouped
from schema_registry.core.schema import Schema
from schema_registry.selectors import current_schema

State = Subscription.State


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """`?text=` and `?name=` begin it; `?like=` also offers others, see `alike`."""
    schema, now = current_schema(), timezone.now()
    if request.method == "POST":
        return _posted(request, None, schema, now=now)
    form = _terms_form(request, None, name=request.GET.get("name", "")[:200], now=now)
    return _page(request, None, schema, begun(request.GET.get("text", "")), form, now=now)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, number: int) -> HttpResponse:
    """`?text=` proposes another text, which is saved by the button only."""
    mine = subscriptions_of(signed_in(request)).select_related("terms").prefetch_related("terms__channels")
    search = mine.filter(pk=number).first()
    if search is None:
        raise Http404
    schema, now = current_schema(), timezone.now()
    if request.method == "POST":
        return _posted(request, search, schema, now=now)
    proposed = request.GET.get("text", "")
    form = _terms_form(request, search, now=now)
    building = begun(proposed or search.text)
    return _page(request, search, schema, building, form, is_proposed=bool(proposed), now=now)


@login_required
@never_cache
@require_POST
def form(request: HttpRequest) -> HttpResponse:
    """The parts of the page that change with the form. While somebody types, no field is among them."""
    schema = current_schema()
    trigger = htmx(request).trigger
    try:
        building = after(search_form.read(request.POST, schema), is_from_text=trigger == "as-text")
    except TooLarge as refused:
        said = {"error": str(refused), "oob": True}
        answer = render(request, "notifications/search/refusal.html", said)
        answer["HX-Reswap"] = "none"
        return answer
    rows = search_rows.shown(building.group, schema, focus=building.focus)
    leaves = list(search_rows.leaves(rows))
    context = {
        "building": building,
        "rows": rows,
        "leaves": leaves,
        "attributes": search_attributes.offered(schema, conditions=len(leaves)),
        "suggested": suggested_name(building.text_was, schema),
        "stays": trigger == "typing" or bool(building.error),
    }
    answer = render(request, "notifications/search/answer.html", context)
    if building.error:
        answer["HX-Reswap"] = "none"
    answer["HX-Trigger-After-Swap"] = "lesubscribe:built"
    return answer


@login_required
@require_safe
def attributes(request: HttpRequest) -> HttpResponse:
    """Options for what is typed in a field of whatever name, where there are too many attributes to list."""
    typed = "".join(map(str, request.GET.values()))
    found = search_attributes.hits(current_schema(), typed)
    return render(request, "notifications/search/attribute_options.html", {"found": found})


def _posted(
    request: HttpRequest, search: Subscription | None, schema: Schema, *, now: datetime
) -> HttpResponse:
    """A button was pressed on a page without scripts, or the one that saves."""
    form = _terms_form(request, search, is_posted=True, now=now)
    try:
        posted = search_form.read(request.POST, schema)
        building = after(posted, is_from_text=posted.is_text_changed)
    except TooLarge as refused:
        return _page(request, search, schema, _before(request), form, error=str(refused), now=now)
    if posted.pressed.verb != "save":
        has_preview = posted.pressed.verb == "preview"
        return _page(request, search, schema, building, form, has_preview=has_preview, now=now)
    rows = search_rows.shown(building.group, schema, is_saving=True)
    error = _refusal(building, rows)
    if not error and form.is_valid():
        try:
            return _saved(request, search, building.text, form, now=now)
        except SubscriptionError as refused:
            error = refused.message
        except TooManySubscriptions:
            error = no_room()
        except UnknownChannel:
            form.add_error("channels", _("This channel is gone. Choose another."))
    return _page(request, search, schema, building, form, rows=rows, error=error, now=now)


def _before(request: HttpRequest) -> Building:
    """The search as it was before it became too large."""
    text = request.POST.get("text_was", "")
    return begun(text if len(text) <= LONGEST_TEXT else "")


def _refusal(building: Building, rows: search_rows.ShownGroup) -> str:
    """Why it cannot be saved, as far as the form knows."""
    if building.error:
        return _("The text of your search has a mistake: %(mistake)s") % {"mistake": building.error}
    if any(leaf.error for leaf in search_rows.leaves(rows)):
        return _("It was not saved: something is wrong with a condition, and it says so beside it.")
    if not building.text:
        return _("Say what you look for first: it takes at least one condition.")
    return ""


def _saved(
    request: HttpRequest,
    search: Subscription | None,
    text: str,
    form: search_terms.TermsForm,
    *,
    now: datetime,
) -> HttpResponse:
    existing_days = DAYS if form.cleaned_data.get("existing") else 0
    try:
        saved = save(
            signed_in(request),
            search,
            text,
            form.settings,
            existing_days=existing_days,
            form=request.POST.get("form", ""),
            now=now,
            clock=time.monotonic,
        )
    except Subscription.DoesNotExist:  # removed meanwhile
        raise Http404 from None
    for warning in saved.warnings:
        messages.warning(request, warning)
    if added := saved.added:
        found = ngettext("%(count)s find is in your feed.", "%(count)s finds are in your feed.", added)
        messages.success(request, _("Your search is saved.") + " " + found % {"count": grouped(added)})
        return redirect("feed")
    if search is None:
        messages.success(request, _("Your search is saved. From now on we look for it."))
    else:
        messages.success(request, _("Your changes are saved."))
    return redirect("searches")


def _page(
    request: HttpRequest,
    search: Subscription | None,
    schema: Schema,
    building: Building,
    form: search_terms.TermsForm,
    *,
    now: datetime,
    rows: search_rows.ShownGroup | None = None,
    error: str = "",
    has_preview: bool = False,
    is_proposed: bool = False,
) -> HttpResponse:
    is_empty = search is None and not building.text
    rows = rows or search_rows.shown(building.group, schema, focus=building.focus)
    conditions = sum(1 for _leaf in search_rows.leaves(rows))
    context: dict[str, Any] = {
        "section": "new" if search is None else "searches",
        "search": search,
        "building": building,
        "rows": rows,
        "attributes": search_attributes.offered(schema, conditions=conditions),
        "suggested": suggested_name(building.text_was, schema),
        "form": form,
        "form_token": secrets.token_urlsafe(16),
        # Its fields are declared as Field, which has no choices.
        "has_channels": len(form.fields["channels"].choices) > 1,  # type: ignore[attr-defined]
        "error": error,
        "is_proposed": is_proposed,
        "days": DAYS,
        "examples": examples(schema) if is_empty else [],
        "preview": previewed(building.text, schema, now=now) if has_preview else None,
        "has_schema": bool(schema.attributes),
    }
    if search is None:
        context["alike"] = alike.begun_with(request, schema)
    else:
        context["is_shared"] = sharing.is_shared(search)
        context["called"] = name_of(search, most=LONGEST_TITLE)
        context["state"] = state_at(search.state, search.expires_at, now=now)
    return render(request, "notifications/search/page.html", context)


def _terms_form(
    request: HttpRequest,
    search: Subscription | None,
    *,
    now: datetime,
    is_posted: bool = False,
    name: str = "",
) -> search_terms.TermsForm:
    is_over = search is not None and state_at(search.state, search.expires_at, now=now) == State.EXPIRED
    return search_terms.TermsForm(
        request.POST if is_posted else None,
        initial=search_terms.beginning(search, is_over=is_over, name=name),
        channels=list(selectors.channels_of(signed_in(request))),
        is_new=search is None,
        is_over=is_over,
    )
