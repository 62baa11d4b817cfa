"""What the OpenAPI document cannot find out by itself: how keys are sent, and what errors look like."""

from collections.abc import Iterator
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

from schema_registry.problems import CONTENT_TYPE


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "schema_registry.accounts.authentication.ApiKeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


PROBLEM = {
    "type": "object",
    "description": "RFC 9457. `errors` has one entry for each thing that is wrong, where there are several.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "Stable; decide by this."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence for people."},
        "request_id": {"type": "string", "nullable": True},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "code", "detail"],
                "properties": {
                    "field": {"type": "string"},
                    "code": {"type": "string"},
                    "detail": {"type": "string"},
                    "suggestion": {"type": "string", "nullable": True},
                    "line": {"type": "integer"},
                    "column": {"type": "integer"},
                    "expected": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}


# Each is declared once, and referred to by every operation that may answer so.
_REFUSALS = {
    "400": ("BadRequest", "What was sent cannot be read."),
    "401": ("NotSignedIn", "No key where one is needed, or one that is unknown or was revoked."),
    "403": ("NotAllowed", "The key or person may not do this."),
    "404": ("NotFound", "There is no such thing, or it is another's."),
    "406": ("NotAcceptable", "The answer is JSON, and the request does not accept it."),
    "413": ("TooLarge", "The body is larger than is taken."),
    "415": ("UnsupportedMediaType", "The body is of a kind that is not taken here."),
    "422": ("CannotBeProcessed", "It was read, and does not fit; `errors` says what."),
    "429": ("TooManyRequests", "More than is allowed; `Retry-After` says when to come again."),
    "503": ("NotAvailable", "Too much waits, or the database is busy: nothing was changed, try again."),
}
_PROBLEM_CONTENT = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}


def add_problems(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """With which problems an operation may answer follows from what it takes; others it declares itself."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM
    components["responses"] = {
        name: {"description": why, "content": _PROBLEM_CONTENT} for name, why in _REFUSALS.values()
    }
    for operations in result["paths"].values():
        for method, operation in operations.items():
            answers = operation["responses"]
            for answer in (answers[status] for status in answers if status >= "400"):
                answer["content"] = _PROBLEM_CONTENT
            for status in _refusals_of(method, operation):
                name, _why = _REFUSALS[status]
                answers.setdefault(status, {"$ref": f"#/components/responses/{name}"})
            operation["responses"] = dict(sorted(answers.items()))
    return result


def _refusals_of(method: str, operation: dict[str, Any]) -> Iterator[str]:
    parameters = {(each["in"], each["name"]) for each in operation.get("parameters", ())}
    places = {place for place, _name in parameters}
    is_for_all = {} in operation.get("security", ())
    yield from ("400", "401", "406", "429", "503")
    if not is_for_all or method != "get":  # a session without its CSRF token
        yield "403"
    if "path" in places or ("query", "cursor") in parameters:
        yield "404"
    if "requestBody" in operation:
        yield from ("413", "415")
    if "requestBody" in operation or "query" in places:
        yield "422"
