"""The pages and probes that belong to no app."""

from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address
from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib.auth.decorators import login_required
from django.contrib.sessions.exceptions import SessionInterrupted
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views import defaults
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_prometheus.exports import ExportToDjangoView
from drf_spectacular.views import SpectacularSwaggerSplitView

from lesubscribe import health, outbox
from lesubscribe.middleware import busy
from schema_registry.problems import problem_response

MAILS_ON_THE_OUTBOX_PAGE = 100


def superusers_only(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """To others the page is not there; Django's own decorator would send them to sign in over and over."""

    @wraps(page)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_superuser:
            raise Http404
        return page(request, *args, **kwargs)

    return login_required(guarded)


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers; it says nothing about the parts it needs."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when every part is there, else 503; with each part's state, and its reason for insiders."""
    states = health.part_states()
    ready = all(state.ok for state in states)
    insider = is_insider(request)
    parts = {
        state.name: {"ok": state.ok, **({"detail": state.detail} if insider else {})} for state in states
    }
    return JsonResponse({"ready": ready, "parts": parts}, status=200 if ready else 503)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    if not is_insider(request):
        raise Http404
    answer: HttpResponse = ExportToDjangoView(request)
    return answer


def is_insider(request: HttpRequest) -> bool:
    """Somebody on this machine or its private network, or staff: figures are not for the world."""
    try:
        return ip_address(request.META["REMOTE_ADDR"]).is_private or request.user.is_staff
    except ValueError:
        return False


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What Django answers before it looks for a page, to an unknown host name for one."""
    if isinstance(exception, SessionInterrupted):  # it could not be stored: the database is busy
        return busy()
    if request.path.startswith("/api/"):
        return problem_response(
            400, "bad_request", _("The request was not understood: a wrong host, for one.")
        )
    return defaults.bad_request(request, exception)


@require_safe
@superusers_only
def outbox_list(request: HttpRequest) -> HttpResponse:
    mails = outbox.kept_mails(newest=MAILS_ON_THE_OUTBOX_PAGE)
    return render(request, "lesubscribe/outbox_list.html", {"mails": mails})


@require_safe
@superusers_only
def outbox_mail(request: HttpRequest, name: str) -> HttpResponse:
    mail = outbox.kept_mail(name)
    if mail is None:
        raise Http404
    return render(request, "lesubscribe/outbox_mail.html", {"mail": mail})


@method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}), name="dispatch")
class ApiDocs(SpectacularSwaggerSplitView):
    """The API to read and try out. Swagger UI styles its elements inline; no other page of ours may."""

    throttle_classes = ()  # it is a page, not the API
