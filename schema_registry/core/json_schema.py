"""A view as JSON Schema (draft 2020-12), so that publishers can check events on their side.

What it accepts is valid for us too, with exceptions that JSON Schema cannot say: numbers are limited to 15
significant digits, strings are normalised before they are compared, runs of combining marks and the texts of
an event together are limited. What it refuses may still be valid: a unique attribute whose one value is
repeated in a list.
"""

from typing import Any

from schema_registry.core.decimals import number_for_json
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, FiniteDomain, NumericDomain, TextDomain
from schema_registry.core.event_views import AttributeRule, View
from schema_registry.core.events import MAX_VALUES
from schema_registry.core.text import MAX_STRING, MAX_TEXT


def json_schema(view: View) -> dict[str, Any]:
    """The JSON Schema of the view's events. O(attributes + values of their domains)."""
    types = sorted(view.event_types)
    all_types = {
        "type": "array",
        "items": {"enum": types},
        "uniqueItems": True,
        "minItems": len(types),
    }
    event_type: dict[str, Any] = {"anyOf": [{"const": types[0]}, all_types]} if len(types) == 1 else all_types
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": " and ".join(types),
        "type": "object",
        "properties": {
            EVENT_TYPE: event_type,
            **{name: _attribute(rule) for name, rule in view.rules.items()},
        },
        "required": [EVENT_TYPE, *view.mandatory],
        "additionalProperties": False,
    }


def _attribute(rule: AttributeRule) -> dict[str, Any]:
    one = _value(rule.domain)
    several = {
        "type": "array",
        "items": one,
        "minItems": 1 if rule.mandatory else 0,
        "maxItems": MAX_VALUES if rule.multiple else 1,
    }
    return {"anyOf": [one, several] if rule.mandatory else [one, several, {"type": "null"}]}


def _value(domain: Domain) -> dict[str, Any]:
    if isinstance(domain, NumericDomain):
        bounds = {"minimum": domain.low, "maximum": domain.high}
        given = {name: number_for_json(bound) for name, bound in bounds.items() if bound is not None}
        return {"type": "number", **given}
    if isinstance(domain, FiniteDomain):
        return {"enum": list(domain.identifiers())}
    return {"type": "string", "maxLength": MAX_TEXT if isinstance(domain, TextDomain) else MAX_STRING}
