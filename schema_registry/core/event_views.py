"""Views (E, R) over the schema: which attributes an event of the event types E carries (paper 002, 2.1).

The largest view of some event types has all their attributes; where the types disagree, mandatory
beats optional and multiple beats unique. A publisher may use a smaller one, which still has every
mandatory attribute.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from schema_registry.core.domains import Domain
from schema_registry.core.errors import SchemaError, UnknownName
from schema_registry.core.nearest import nearest
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import did_you_mean, either, shown


@dataclass(frozen=True, slots=True)
class EventType:
    """An event type's attributes, each with (mandatory, multiple)."""

    name: str
    attributes: Mapping[str, tuple[bool, bool]]

    @property
    def attribute_set(self) -> frozenset[str]:
        return frozenset(self.attributes)

    @property
    def mandatory_set(self) -> frozenset[str]:
        return frozenset(name for name, (mandatory, _) in self.attributes.items() if mandatory)

    @property
    def unique_set(self) -> frozenset[str]:
        return frozenset(name for name, (_, multiple) in self.attributes.items() if not multiple)


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """What a view asks of one attribute."""

    domain: Domain
    mandatory: bool
    multiple: bool


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The pair (E, R). `mandatory` are the names of the mandatory attributes."""

    event_types: frozenset[str]
    rules: Mapping[str, AttributeRule]
    mandatory: tuple[str, ...]

    @property
    def attributes(self) -> dict[str, tuple[bool, bool]]:
        """(mandatory, multiple) per attribute. O(attributes)."""
        return {name: (rule.mandatory, rule.multiple) for name, rule in self.rules.items()}


def largest_view(event_types: Collection[EventType], domain_of: Mapping[str, Domain]) -> View:
    """The view with all the attributes of the event types. O(attributes of all the types)."""
    rules: dict[str, AttributeRule] = {}
    for event_type in event_types:
        for name, (mandatory, multiple) in event_type.attributes.items():
            known = rules.get(name)
            if known is not None:
                mandatory, multiple = mandatory or known.mandatory, multiple or known.multiple
            rules[name] = AttributeRule(domain_of[name], mandatory, multiple)
    return _view(frozenset(event_type.name for event_type in event_types), rules)


def smaller_view(largest: View, attributes: Iterable[str]) -> View:
    """The view with these attributes alone.

    Raises UnknownName for an attribute the event types lack, SchemaError for a mandatory one left out.
    """
    kept = dict.fromkeys(attributes)
    for name in kept:
        if name not in largest.rules:
            types = either(largest.event_types)
            message = _("{name} is not an attribute of {types}.", name=shown(name), types=types)
            raise UnknownName(message + did_you_mean(nearest(str(name), largest.rules)))
    left_out = [name for name in largest.mandatory if name not in kept]
    if left_out:
        raise SchemaError(
            _("A view has every mandatory attribute; this one lacks {names}.", names=", ".join(left_out))
        )
    return _view(largest.event_types, {name: largest.rules[name] for name in kept})


def _view(event_types: frozenset[str], rules: dict[str, AttributeRule]) -> View:
    mandatory = tuple(name for name, rule in rules.items() if rule.mandatory)
    return View(event_types, MappingProxyType(rules), mandatory)
