"""The attributes that a row of a search may be about."""

from collections import defaultdict
from dataclasses import dataclass

from django.utils.translation import gettext as _

from notifications.pages import search_calls
from notifications.pages.search_rows import Choice
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.nearest import nearest
from schema_registry.core.operator_words import attribute_in_words
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import again

MOST_IN_A_LIST = 100  # more are found by typing
MOST_HITS = 50
MOST_LISTS = 20  # on a page; a search with more conditions has one list for all of them


@dataclass(frozen=True, slots=True)
class Heading:
    words: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """`headings` is empty when there are too many to list. Rows have a list each, or share one."""

    headings: tuple[Heading, ...]
    is_shared: bool = False

    @property
    def is_list(self) -> bool:
        return bool(self.headings) and not self.is_shared


def offered(schema: Schema, *, conditions: int) -> Offered:
    """To that many rows. What several event types have comes first, then each type's own. O(attributes)."""
    if len(schema.domain_of) > MOST_IN_A_LIST:
        return Offered(())
    types_of: dict[str, list[str]] = defaultdict(list)
    for name, event_type in schema.event_types.items():
        for attribute in event_type.attributes:
            types_of[attribute].append(name)
    under: dict[str, list[str]] = {"": []}
    for attribute in _attributes(schema):
        types = types_of[attribute]
        under.setdefault(types[0] if len(types) == 1 else "", []).append(attribute)
    under[""].sort(key=lambda attribute: -len(types_of[attribute]))
    if schema.event_types:
        under[""].append(EVENT_TYPE)
    computed = tuple(
        Choice(each.name + search_calls.CALLED, again(each.label) or attribute_in_words(each.name))
        for each in search_calls.offered(schema)
    )
    return Offered(
        tuple(
            Heading(attribute_in_words(name) or _("Items of many kinds"), tuple(map(_choice, attributes)))
            for name, attributes in under.items()
            if attributes
        )
        + ((Heading(_("Computed"), computed),) if computed else ()),
        is_shared=conditions > MOST_LISTS,
    )


def hits(schema: Schema, typed: str) -> list[Choice]:
    """The attributes that have this in their name; those that begin with it come first. O(attributes)."""
    wanted = "_".join(typed.split()).lower()[:100]
    found = [name for name in (*_attributes(schema), EVENT_TYPE) if wanted in name.lower()]
    found.sort(key=lambda name: (not name.lower().startswith(wanted), name))
    if not found and (near := nearest(wanted, _attributes(schema))):
        found = [near]
    calls = [each.name + search_calls.CALLED for each in search_calls.offered(schema)]
    found += [name for name in calls if wanted in name]
    return [_choice(name) for name in found[:MOST_HITS]]


def _attributes(schema: Schema) -> list[str]:
    return [name for name in schema.attributes if name not in schema.deprecated.attributes]


def _choice(attribute: str) -> Choice:
    return Choice(attribute, attribute_in_words(attribute))
