"""What of a mapping does not fit a schema: names that it lacks, values outside domains, casts of other kinds.

And what would make every row fail: an attribute that is mandatory for an event type and is not mapped.
"""

from collections.abc import Mapping

from matching.feeds.casts import CategoryCast, Money, MoneyCast, category
from matching.feeds.event_types import EventTypes
from matching.feeds.sources import Constant, Source
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, FiniteDomain, NumericDomain, TextDomain
from schema_registry.core.errors import OutsideDomain
from schema_registry.core.nearest import nearest
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import did_you_mean, either, shown

MOST_TOLD_OF_A_TABLE = 20
_NUMERIC_CASTS = ("number", "money")


def faults(
    event_types: EventTypes,
    attributes: Mapping[str, Source | Constant],
    money: Money,
    schema: Schema,
) -> dict[str, str]:
    """By path, as `FeedMapping.from_dict` writes paths."""
    found = dict(_of_event_types(event_types, schema))
    known = {name for types in event_types.possible for name in types if name in schema.event_types}
    for name, source in attributes.items():
        path = f"attributes.{name}"
        if name not in schema.attributes:
            message = _("There is no attribute {name}.", name=shown(name))
            found[path] = message + did_you_mean(nearest(name, schema.attributes))
        elif known and not any(name in schema.event_types[kind].attributes for kind in known):
            found[path] = _("{name} is not an attribute of {types}.", name=name, types=either(known))
        else:
            found |= _of_source(path, source, schema.domain_of[name], money)
    for kind in sorted(known):
        for name in schema.event_types[kind].mandatory_set - attributes.keys():
            message = _("{name} is mandatory for {types} and is not mapped.", name=name, types=kind)
            found.setdefault(f"attributes.{name}", message)
    return found


def _of_event_types(event_types: EventTypes, schema: Schema) -> dict[str, str]:
    places = [
        (f"{EVENT_TYPE}.rules[{number}].then", rule.then) for number, rule in enumerate(event_types.rules)
    ]
    found = {}
    for path, types in [*places, (f"{EVENT_TYPE}.default", event_types.default)]:
        for name in types:
            if name not in schema.event_types:
                message = _("There is no event type {name}.", name=shown(name))
                found[path] = message + did_you_mean(nearest(name, schema.event_types))
    return found


def _of_source(path: str, source: Source | Constant, domain: Domain, money: Money) -> dict[str, str]:
    if isinstance(source, Constant):
        return _of_constant(f"{path}.constant", source, domain)
    cast = source.cast
    is_year = getattr(cast, "gives", "") == "year"
    if isinstance(domain, NumericDomain) != (cast.name in _NUMERIC_CASTS or is_year):
        message = _(
            "The cast {cast} does not give values of a {kind} domain.", cast=cast.name, kind=domain.kind
        )
        return {f"{path}.cast": message}
    if isinstance(cast, CategoryCast):
        return _of_category(path, cast, domain)
    if isinstance(cast, MoneyCast) and isinstance(domain, NumericDomain):
        unit = (domain.unit or "").upper()
        if len(unit) == 3 and unit.isalpha() and unit != money.target:
            message = _(
                "Its unit is {unit}, but the mapping converts to {target}.", unit=unit, target=money.target
            )
            return {f"{path}.cast": message}
    return {}


def _of_constant(path: str, source: Constant, domain: Domain) -> dict[str, str]:
    for value in source.value if isinstance(source.value, list) else [source.value]:
        try:
            domain.event_value(value)
        except OutsideDomain as error:
            return {path: f"{error}{did_you_mean(domain.nearest_to(value))}"}
    return {}


def _of_category(path: str, cast: CategoryCast, domain: Domain) -> dict[str, str]:
    if not isinstance(domain, FiniteDomain):
        kind = "text" if isinstance(domain, TextDomain) else domain.kind
        return {f"{path}.cast": _("A {kind} domain has no categories to choose from.", kind=kind)}
    found: dict[str, str] = {}
    for text, target in cast.table.items():
        if target is not None and category(domain, target) is None and len(found) < MOST_TOLD_OF_A_TABLE:
            message = _("{value} is not one of its values, or means more than one.", value=shown(target))
            found[f"{path}.table.{text}"] = message + did_you_mean(domain.nearest_to(target))
    return found
