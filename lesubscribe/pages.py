"""The pages and probes that belong to no app."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from drf_spectacular.views import SpectacularSwaggerSplitView

from lesubscribe import health, outbox

MAILS_ON_THE_OUTBOX_PAGE = 100


def staff_only(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """To others the page is not there; Django's own decorator would send them to sign in over and over."""

    @wraps(page)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_staff:
            raise Http404
        return page(request, *args, **kwargs)

    return login_required(guarded)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "lesubscribe/home.html")


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers; it says nothing about the parts it needs."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when every part is there, else 503; either way each part's own state."""
    states = health.part_states()
    ready = all(state.ok for state in states)
    parts = {state.name: {"ok": state.ok, "detail": state.detail} for state in states}
    return JsonResponse({"ready": ready, "parts": parts}, status=200 if ready else 503)


@require_safe
@staff_only
def outbox_list(request: HttpRequest) -> HttpResponse:
    mails = outbox.kept_mails(newest=MAILS_ON_THE_OUTBOX_PAGE)
    return render(request, "lesubscribe/outbox_list.html", {"mails": mails})


@require_safe
@staff_only
def outbox_mail(request: HttpRequest, name: str) -> HttpResponse:
    mail = outbox.kept_mail(name)
    if mail is None:
        raise Http404
    return render(request, "lesubscribe/outbox_mail.html", {"mail": mail})


@method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}), name="dispatch")
class ApiDocs(SpectacularSwaggerSplitView):
    """The API to read and try out. Swagger UI styles its elements inline; no other page of ours may."""
