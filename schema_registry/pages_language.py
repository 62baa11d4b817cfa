"""What the text editor asks while somebody types: what could come next, and is it right so far.

Both take and give JSON, and change nothing. Who asks need not be signed in: the schema is public.
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from schema_registry.core.errors import InvalidJson, SubscriptionError
from schema_registry.core.json_input import read_json
from schema_registry.core.sentences import gettext as _
from schema_registry.known_operators import OPERATORS
from schema_registry.language import complete, parse
from schema_registry.problems import problem_response
from schema_registry.selectors import current_schema

LARGEST_BODY = 64_000  # bytes; the longest text there may be has 4,096

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def _asked_in_json(answer: Answer) -> Callable[[HttpRequest], HttpResponse]:
    """A page that reads a JSON object with a `text` and answers with another."""

    @require_POST
    @never_cache
    @wraps(answer)
    def page(request: HttpRequest) -> HttpResponse:
        body = request.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            return problem_response(
                413,
                "too_large",
                _("The body is over {most:,} bytes, the most that is taken here.", most=LARGEST_BODY),
            )
        try:
            question = read_json(body)
        except InvalidJson as error:
            return problem_response(400, "bad_request", str(error))
        if not isinstance(question, dict) or not isinstance(question.get("text"), str):
            return problem_response(400, "bad_request", _("A `text` is needed."))
        return JsonResponse(answer(question))

    return page


@_asked_in_json
def completions(question: dict[str, Any]) -> dict[str, Any]:
    """What could stand at the `cursor`, the end of the text unless it says otherwise."""
    text = question["text"]
    cursor = question.get("cursor")
    place = cursor if isinstance(cursor, int) else len(text)
    return asdict(complete(text, place, current_schema(), OPERATORS))


@_asked_in_json
def check(question: dict[str, Any]) -> dict[str, Any]:
    """Its canonical form, or the one thing to mend first: text[start:end], counted in code points."""
    text = question["text"]
    try:
        subscription = parse(text, current_schema(), operators=OPERATORS)
    except SubscriptionError as error:
        return {"ok": False, "error": _described(error, text)}
    return {"ok": True, "canonical": subscription.canonical, "warnings": subscription.warnings}


def _described(error: SubscriptionError, text: str) -> dict[str, Any]:
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: error.line - 1]) + error.column - 1
    return {
        "message": error.message,
        "line": error.line,
        "column": error.column,
        "start": start,
        "end": start + error.length,
        "expected": error.expected,
        "suggestion": error.suggestion,
    }
