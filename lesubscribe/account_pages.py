"""A person's account: what we have stored about them, to take along or to delete."""

from collections.abc import AsyncIterator, Iterator

from allauth.account.decorators import reauthentication_required
from asgiref.sync import sync_to_async
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from lesubscribe.account_deletion import delete
from lesubscribe.account_export import exported
from matching.models import Match
from matching.selectors import subscriptions_of
from notifications import preferences
from notifications.selectors import channels_of
from schema_registry.accounts import deletion
from schema_registry.accounts.models import User
from schema_registry.accounts.requests import signed_in

MOST_COUNTED = 10_000


class DeletionForm(forms.Form):
    """The one thing here that cannot be taken back, so it is asked about."""

    address = forms.CharField(label=gettext_lazy("Your email address, to confirm"), max_length=254)

    def __init__(self, *args: object, user: User, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type] # handed on as they are
        self._user = user
        self.fields["address"].widget.attrs |= {"autocomplete": "off", "spellcheck": "false"}

    def clean_address(self) -> str:
        address: str = self.cleaned_data["address"]
        if address.strip().casefold() != self._user.email.casefold():
            raise forms.ValidationError(
                _("This is not the address of your account, %(email)s."), params={"email": self._user.email}
            )
        return address


@require_safe
@login_required
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    me = signed_in(request)
    context = {
        "section": "account",
        "zone": preferences.of(me).time_zone,
        "refusal": deletion.refusal(me),
        **_figures(me),
    }
    return render(request, "lesubscribe/account.html", context)


@require_safe
@login_required
@never_cache
def export(request: HttpRequest) -> HttpResponseBase:
    now = timezone.now()
    pieces = exported(signed_in(request), now=now)
    content = _in_its_thread(pieces) if isinstance(request, ASGIRequest) else pieces
    name = f"le-subscribe-{timezone.localdate(now)}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(content, content_type="application/zip", headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
@reauthentication_required
def delete_account(request: HttpRequest) -> HttpResponse:
    me = signed_in(request)
    form = DeletionForm(request.POST or None, user=me)
    if request.method == "POST" and form.is_valid():
        try:
            delete(me, now=timezone.now())
        except deletion.MayNotBeDeleted as refused:
            form.add_error(None, str(refused))
        else:
            logout(request)
            messages.success(request, _("Your account is deleted. Thank you for having been here."))
            return redirect("home")
    context = {"section": "account", "form": form, "refusal": deletion.refusal(me), **_figures(me)}
    return render(request, "lesubscribe/account_delete.html", context)


def _figures(me: User) -> dict[str, int | bool]:
    """How much there is; what goes on for long is counted to a point only."""
    matches = Match.objects.filter(owner=me)[: MOST_COUNTED + 1].count()
    return {
        "searches": subscriptions_of(me).order_by().count(),
        "channels": channels_of(me).order_by().count(),
        "matches": min(matches, MOST_COUNTED),
        "are_more": matches > MOST_COUNTED,
    }


async def _in_its_thread(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Piece by piece, as fast as they are fetched. Django would collect a plain iterator whole.

    Between two pieces no connection is held: there are few, and a download may take long.
    """

    def following() -> bytes | None:
        try:
            return next(pieces, None)
        finally:
            connections.close_all()

    fetched = sync_to_async(following)
    while (piece := await fetched()) is not None:
        yield piece
