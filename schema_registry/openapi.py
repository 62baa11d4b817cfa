"""What the OpenAPI document cannot find out by itself: how keys are sent, and what errors look like."""

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


def add_problems(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Every operation may answer with a problem; said once for all of them."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    answer = {
        "description": "What went wrong.",
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"].setdefault("default", answer)
    return result
