"""A publisher's keys: making one, whose secret is shown once, bringing in its successor, and revoking.

A secret stands in the one answer to the request that makes it: not in the session, in no message and no log.
Who has revoked a key by mistake may take that back for a minute, in the same session; later it is for good.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Any

import structlog
from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from schema_registry.accounts import services
from schema_registry.accounts.models import ApiKey, Publisher, Scope
from schema_registry.accounts.requests import signed_in
from schema_registry.console.access import of_a_publisher, shown

REVOKED_SHOWN = 20
BACK_FOR = timedelta(minutes=1)
_JUST_REVOKED = "revoked_key"  # in the session: its number, and when
_SCOPES = {
    Scope.EVENTS: gettext_lazy("Send, look up and withdraw items."),
    Scope.SCHEMA: gettext_lazy("Add attributes, values and event types that your items need."),
}
_log = structlog.get_logger(__name__)


class KeyForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Of the program that uses it, so that you can tell your keys apart."),
        max_length=ApiKey._meta.get_field("name").max_length,
        required=False,
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What it may do"),
        choices=[(scope.value, scope.label) for scope in services.SCOPES_OF_PUBLISHERS],
        initial=[Scope.EVENTS.value],
        error_messages={"required": gettext_lazy("A key must be good for something: tick one or both.")},
    )

    @property
    def scope_choices(self) -> list[tuple[Scope, object, bool]]:
        """Each with its meaning, and whether it is ticked."""
        ticked = self["scopes"].value() or []
        return [(scope, words, scope.value in ticked) for scope, words in _SCOPES.items()]


@dataclass(frozen=True, slots=True)
class Row:
    """`successor` was made to take its place, and is live."""

    key: ApiKey
    scopes: str
    successor: ApiKey | None


@dataclass(frozen=True, slots=True)
class Made:
    """A new key with its secret; `replaces` is the one whose place it takes."""

    key: ApiKey
    secret: str
    replaces: ApiKey | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@of_a_publisher
def keys(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    if request.method != "POST":
        return _page(request, publisher)
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _page(request, publisher, form=form)
    scopes = [Scope(scope) for scope in form.cleaned_data["scopes"]]
    try:
        key, secret = services.issue_key(publisher.user, scopes, name=form.cleaned_data["name"])
    except services.KeyRefusedError:
        form.add_error(None, _no_room())
        return _page(request, publisher, form=form)
    _note("key_issued", request, publisher, key)
    return _page(request, publisher, made=Made(key, secret))


def _of_a_key(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A button beside a key of the publisher; to all others the key is not there."""

    @require_POST
    @of_a_publisher
    @wraps(page)
    def checked(request: HttpRequest, publisher: Publisher, key: int) -> HttpResponse:
        found = publisher.user.keys.select_related("user").filter(pk=key).first()
        if found is None:
            raise Http404
        return page(request, publisher, found)

    return checked


@_of_a_key
def rotate(request: HttpRequest, publisher: Publisher, key: ApiKey) -> HttpResponse:
    if key.revoked_at is not None:
        messages.error(request, _("This key is revoked. Make a new one."))
        return redirect("publish-keys", publisher.pk)
    try:
        successor, secret = services.rotate_key(key)
    except services.KeyRefusedError:
        messages.error(request, _no_room())
        return redirect("publish-keys", publisher.pk)
    _note("key_issued", request, publisher, successor)
    return _page(request, publisher, made=Made(successor, secret, replaces=key))


@_of_a_key
def revoke(request: HttpRequest, publisher: Publisher, key: ApiKey) -> HttpResponse:
    if key.revoked_at is None:
        now = timezone.now()
        services.revoke_key(key, now=now)
        request.session[_JUST_REVOKED] = {"key": key.pk, "at": now.timestamp()}
        _note("key_revoked", request, publisher, key)
    return redirect("publish-keys", publisher.pk)


@_of_a_key
def restore(request: HttpRequest, publisher: Publisher, key: ApiKey) -> HttpResponse:
    """Take revoking it back: only who did it, and only at once. What staff revoke stays revoked."""
    if _just_revoked(request, now=timezone.now()) != key.pk:
        messages.error(request, _("It is too late to undo this. Make a new key."))
        return redirect("publish-keys", publisher.pk)
    try:
        if services.restore_key(key):
            messages.success(request, _("%(prefix)s works again.") % {"prefix": key.prefix})
            _note("key_restored", request, publisher, key)
    except services.KeyRefusedError:
        messages.error(request, _no_room())
    del request.session[_JUST_REVOKED]
    return redirect("publish-keys", publisher.pk)


def _page(
    request: HttpRequest, publisher: Publisher, *, form: KeyForm | None = None, made: Made | None = None
) -> HttpResponse:
    of_publisher = publisher.user.keys.order_by("-created_at", "-pk")
    live = list(of_publisher.filter(revoked_at=None))
    successors = {key.replaces_id: key for key in live if key.replaces_id is not None}
    gone = list(of_publisher.exclude(revoked_at=None).order_by("-revoked_at")[: REVOKED_SHOWN + 1])
    just_revoked = _just_revoked(request, now=timezone.now())
    context: dict[str, Any] = {
        "form": form or KeyForm(),
        "made": made,
        "rows": [Row(key, _scopes(key), successors.get(key.pk)) for key in live],
        "gone": [Row(key, _scopes(key), None) for key in gone[:REVOKED_SHOWN]],
        "are_more_gone": len(gone) > REVOKED_SHOWN,
        "just_revoked": next((key for key in gone if key.pk == just_revoked), None),
    }
    return shown(request, publisher, "console/keys.html", "publish-keys", **context)


def _just_revoked(request: HttpRequest, *, now: datetime) -> int | None:
    """The number of the key that this person has just revoked here."""
    kept = request.session.get(_JUST_REVOKED)
    if kept is None or now.timestamp() - kept["at"] > BACK_FOR.total_seconds():
        return None
    return int(kept["key"])


def _scopes(key: ApiKey) -> str:
    return ", ".join(str(Scope(scope).label) for scope in key.scopes)


def _no_room() -> str:
    return _("You have %(most)d live keys, which is the most. Revoke one first.") % {
        "most": services.MOST_LIVE_KEYS
    }


def _note(what: str, request: HttpRequest, publisher: Publisher, key: ApiKey) -> None:
    _log.info(what, publisher=publisher.pk, key=key.prefix, by=signed_in(request).pk)
