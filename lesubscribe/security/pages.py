"""The page about security: the ways in, and where one is signed in. Changing a way is allauth's part."""

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from lesubscribe.security import browsers, sessions
from lesubscribe.security.ways import ways_of
from schema_registry.accounts.requests import signed_in


@require_safe
@login_required
@never_cache
def security(request: HttpRequest) -> HttpResponse:
    me = signed_in(request)
    sessions.take_up(request)
    context = {
        "section": "account",
        "ways": ways_of(me),
        "places": sessions.signed_in(me, here=request.session.session_key),
    }
    return render(request, "lesubscribe/security/page.html", context)


@require_POST
@login_required
def end_session(request: HttpRequest, number: int) -> HttpResponse:
    row = sessions.session_of(signed_in(request), number)
    if row is None:
        raise Http404
    if row.session_key == request.session.session_key:
        logout(request)
        return redirect("home")
    sessions.end_one(row)
    words = _("%(browser)s is signed out.") % {"browser": browsers.in_words(row.user_agent)}
    messages.success(request, capfirst(words))
    return redirect("mfa_index")


@require_POST
@login_required
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    ended = sessions.end_others(signed_in(request), here=request.session.session_key)
    words = ngettext(
        "%(count)d other browser is signed out.", "%(count)d other browsers are signed out.", ended
    )
    messages.success(request, words % {"count": ended})
    return redirect("mfa_index")


@require_safe
@login_required
def passkeys(request: HttpRequest) -> HttpResponse:
    """Allauth leads here after a change; they are listed on the page about security."""
    return redirect("mfa_index")
