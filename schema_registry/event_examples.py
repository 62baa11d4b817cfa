"""Events to begin with: valid ones, made from the schema, and the command that sends one."""

import json
import shlex
from collections.abc import Iterator
from itertools import islice
from typing import Any

from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.errors import InvalidEvent
from schema_registry.core.schema import Schema
from schema_registry.examples import event_value_example

OPTIONAL_SHOWN = 1  # so that one sees that there is more than what must be
MOST_LOOKED_AT = 50  # event types, for those of which an example can be made


def examples(schema: Schema, *, most: int) -> list[tuple[str, dict[str, Any]]]:
    """Event types that are in use, each with what a publisher may send of it."""
    return list(islice(_examples(schema), most))


def _examples(schema: Schema) -> Iterator[tuple[str, dict[str, Any]]]:
    in_use = [name for name in schema.event_types if name not in schema.deprecated.event_types]
    in_use.sort(key=lambda name: not schema.event_types[name].mandatory_set)  # they say more
    for event_type in in_use[:MOST_LOOKED_AT]:
        event = event_example(schema, event_type)
        if event is not None:
            yield event_type, {"external_id": "lot-1", "title": "A first item", "event": event}


def event_example(schema: Schema, event_type: str) -> dict[str, Any] | None:
    """An event with what the type demands, and a little of what it allows; None if none can be valid."""
    marks = schema.event_types[event_type].attributes
    event: dict[str, Any] = {EVENT_TYPE: [event_type]}
    optional = 0
    for attribute, (mandatory, _multiple) in marks.items():
        if mandatory or (optional < OPTIONAL_SHOWN and attribute not in schema.deprecated.attributes):
            value = event_value_example(schema, attribute)
            if value is not None:
                event[attribute] = value
                optional += not mandatory
    try:
        schema.validate(event)
    except InvalidEvent:
        return None
    return event


def as_json(value: Any, *, indent: str = "") -> str:
    """For people: a line for each field, and lists in one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    deeper = f"{indent}  "
    fields = (f"{deeper}{json.dumps(name)}: {as_json(each, indent=deeper)}" for name, each in value.items())
    return "{\n" + ",\n".join(fields) + f"\n{indent}}}"


def command(address: str, document: dict[str, Any]) -> str:
    """For a terminal: it publishes the document, with the key that `$KEY` has."""
    return (
        f"curl {address} \\\n"
        '  -H "Authorization: Bearer $KEY" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        f"  -d {shlex.quote(as_json(document))}"
    )
