"""The address to which our mail service POSTs what became of mails; it is there only if a service is set."""

from collections.abc import Callable
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.urls import URLPattern, path
from django.utils.module_loading import import_string
from django.views.decorators.csrf import csrf_exempt

from lesubscribe.mail_services import SERVICES

ADDRESS = "mail-events"
_log = structlog.get_logger(__name__)


def urlpatterns(service: str) -> list[URLPattern]:
    return [path(ADDRESS, told_by(service), name="mail-events")] if service else []


def told_by(service: str) -> Callable[[HttpRequest], HttpResponse]:
    """The view for this service. anymail brings much along, so it is loaded only if there is one."""
    from anymail.exceptions import (  # type: ignore[import-untyped]
        AnymailConfigurationError,
        AnymailWebhookValidationFailure,
    )

    view: Any = import_string(SERVICES[service].view).as_view()

    @csrf_exempt
    def told(request: HttpRequest) -> HttpResponse:
        try:
            answer: HttpResponse = view(request)
        except AnymailWebhookValidationFailure as refused:
            _log.warning("mail_event_refused", service=service, error=str(refused))
            return HttpResponseBadRequest(
                "The password or the signature is wrong.\n", "text/plain; charset=utf-8"
            )
        except (AnymailConfigurationError, AttributeError, KeyError, TypeError, ValueError) as error:
            _log.warning("mail_event_not_understood", service=service, error=type(error).__name__)
            return HttpResponseBadRequest(
                "This is not what the mail service sends.\n", "text/plain; charset=utf-8"
            )
        return answer

    return told
