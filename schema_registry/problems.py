"""Errors of the API as RFC 9457 problem documents.

Every error is `application/problem+json` with a stable `type`, a sentence in `detail`, the `request_id` of
the logs, and, where several things are wrong, `errors` with one entry for each.
"""

from typing import Any

import structlog
from django.core.exceptions import SuspiciousOperation
from django.db import OperationalError
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from drf_standardized_errors.formatter import ExceptionFormatter
from drf_standardized_errors.handler import ExceptionHandler
from drf_standardized_errors.types import Error, ErrorResponse
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.response import Response

from schema_registry.core.errors import (
    InputError,
    InvalidEvent,
    InvalidJson,
    SchemaConflict,
    SubscriptionError,
    UnknownName,
)
from schema_registry.core.wording import said_of
from schema_registry.services import QuotaExceeded

CONTENT_TYPE = "application/problem+json"
_TITLES = {
    400: gettext_lazy("Bad request"),
    401: gettext_lazy("Not signed in"),
    403: gettext_lazy("Not allowed"),
    404: gettext_lazy("Not found"),
    405: gettext_lazy("Method not allowed"),
    406: gettext_lazy("Not acceptable"),
    409: gettext_lazy("Conflict"),
    413: gettext_lazy("Too large"),
    415: gettext_lazy("Unsupported media type"),
    422: gettext_lazy("Cannot be processed"),
    429: gettext_lazy("Too many requests"),
    500: gettext_lazy("Server error"),
    503: gettext_lazy("Not available"),
}


class Refused(APIException):
    """Input that was understood and cannot be taken; the status says in which way."""

    def __init__(self, error: InputError) -> None:
        self.status_code, self.default_code = status_and_code(error)
        super().__init__(str(error), self.default_code)
        self.errors = entries(error)
        if isinstance(error, QuotaExceeded):
            self.wait = max(1, int((error.again_at - timezone.now()).total_seconds()))


class BusyDatabase(APIException):
    """The database could not be reached, or somebody else held it for too long."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "database_busy"
    default_detail = gettext_lazy("The database is busy; nothing was changed. Try again.")
    wait = 2


class ProblemHandler(ExceptionHandler):
    def convert_known_exceptions(self, exc: Exception) -> Exception:
        if isinstance(exc, ValidationError):
            exc.status_code = status.HTTP_422_UNPROCESSABLE_ENTITY  # the body was read, but does not fit
        if isinstance(exc, SuspiciousOperation):
            return ParseError(_("The request has too many parameters or a header we do not take."))
        if isinstance(exc, OperationalError):
            return BusyDatabase()
        return Refused(exc) if isinstance(exc, InputError) else super().convert_known_exceptions(exc)

    def get_response(self, exc: APIException, data: dict[str, Any]) -> Response:
        response = super().get_response(exc, data)
        renderer = getattr(self.context["request"], "accepted_renderer", None)
        if renderer is None or renderer.format == "json":
            response.content_type = CONTENT_TYPE
        return response

    def report_exception(self, exc: APIException, response: Response) -> None:
        """An answer that we chose to give, such as 503 to shed load, is not reported as a fault of ours."""
        if not isinstance(self.exc, APIException):
            super().report_exception(exc, response)


class ProblemFormatter(ExceptionFormatter):
    def format_error_response(self, error_response: ErrorResponse) -> dict[str, Any]:
        if isinstance(self.exc, Refused):
            entries = self.exc.errors
        else:
            entries = [
                {"field": error.attr, "code": error.code, "detail": error.detail}
                for error in error_response.errors
                if error.attr is not None
            ]
        code = str(self.exc.default_code if entries else error_response.errors[0].code)
        detail = " ".join(_sentence(error) for error in error_response.errors)
        return problem(self.exc.status_code, code, detail, entries)


def problem(
    status_code: int, code: str, detail: str, errors: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "type": f"urn:lesubscribe:problem:{code.replace('_', '-')}",
        "title": str(_TITLES.get(status_code, gettext_lazy("Error"))),
        "status": status_code,
        "detail": detail,
        "request_id": structlog.contextvars.get_contextvars().get("request_id"),
    }
    return {**document, "errors": errors} if errors else document


def _sentence(error: Error) -> str:
    named = error.attr not in (None, "non_field_errors")
    return said_of(error.attr, error.detail) if named else error.detail


@csrf_exempt
def not_found(request: HttpRequest) -> JsonResponse:
    """What addresses under /api/ that do not exist answer."""
    return problem_response(404, "not_found", _("There is nothing at this address."))


def problem_response(status_code: int, code: str, detail: str) -> JsonResponse:
    """A problem from outside of the REST framework."""
    return JsonResponse(problem(status_code, code, detail), status=status_code, content_type=CONTENT_TYPE)


def status_and_code(error: InputError) -> tuple[int, str]:
    """Which answer an error deserves, and the name of its kind."""
    match error:
        case InvalidJson():
            return status.HTTP_400_BAD_REQUEST, "unreadable"
        case QuotaExceeded():
            return status.HTTP_429_TOO_MANY_REQUESTS, "quota_exceeded"
        case UnknownName():
            return status.HTTP_422_UNPROCESSABLE_ENTITY, "unknown_name"
        case SchemaConflict():
            return status.HTTP_409_CONFLICT, "conflict"
        case InvalidEvent():
            return status.HTTP_422_UNPROCESSABLE_ENTITY, "invalid_event"
        case SubscriptionError():
            return status.HTTP_422_UNPROCESSABLE_ENTITY, "invalid_subscription"
    return status.HTTP_422_UNPROCESSABLE_ENTITY, getattr(error, "code", "invalid_definition")


def entries(error: InputError) -> list[dict[str, Any]]:
    """One entry for each thing that is wrong; none where the sentence says it all."""
    faults = getattr(error, "faults", None)
    if faults is not None:
        return [{"field": field, "code": "invalid", "detail": fault} for field, fault in faults.items()]
    match error:
        case InvalidEvent():
            return [
                {
                    "field": violation.attribute,
                    "code": violation.rule,
                    "detail": violation.message,
                    "suggestion": violation.suggestion,
                }
                for violation in error.errors
            ]
        case SubscriptionError():
            return [
                {
                    "field": "text",
                    "code": "invalid",
                    "detail": error.message,
                    "line": error.line,
                    "column": error.column,
                    "expected": list(error.expected),
                    "suggestion": error.suggestion,
                }
            ]
    return []
