"""An event's attributes as people read them: labels and paths for identifiers, units with numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

from schema_registry.core.domains import Domain, FiniteDomain, NumericDomain
from schema_registry.core.schema import Schema
from schema_registry.staff.wording import listed


def attributes_in_words(document: Mapping[str, Any], schema: Schema) -> Iterator[tuple[str, str]]:
    """Each attribute with its values; `schema` is the version that the event was validated with."""
    for name, given in document.items():
        domain = schema.domains.get(schema.attributes.get(name, ""))
        values = given if isinstance(given, list) else [given]
        yield name, listed(_in_words(value, domain) for value in values)


def _in_words(value: Any, domain: Domain | None) -> str:
    match domain:
        case FiniteDomain():
            return domain.path(value)
        case NumericDomain():
            return " ".join(filter(None, (domain.text(float(value)), domain.unit)))
    return str(value)
