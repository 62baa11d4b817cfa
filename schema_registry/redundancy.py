"""What the schema has already that is like something new, told to whoever is about to add it.

Everybody searches in one vocabulary: an item with `asking_price` is not found by a search for `price`. So
this looks for equal definitions and for names that are alike: but for case and spacing, by their letters, or
by their words. A hint, never a refusal.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from schema_registry import browsing
from schema_registry.core import extension
from schema_registry.core.event_views import EventType
from schema_registry.core.nearest import nearest
from schema_registry.core.schema import Schema
from schema_registry.name_search import NameSearch

Section = Literal["domains", "attributes", "event_types"]
MOST_HINTS = 5
_FEWEST_LETTERS = 3  # of a word that makes two names alike
_LONGEST_NAME = 100
_WORD = re.compile(r"[^\W_]+")
_ADDRESSES = {"domains": "schema-domain", "attributes": "schema-attribute", "event_types": "schema-type"}


@dataclass(frozen=True, slots=True)
class Hint:
    """`is_equal` for one that means the same, not only sounds alike."""

    name: str
    url: str
    words: str
    is_equal: bool = False


def of_domain(schema: Schema, name: str, definition: Mapping[str, Any]) -> list[Hint]:
    """Raises SchemaError for what is no definition."""
    offered = [
        each
        for each in extension.equivalent_domains(schema, definition)
        if each not in schema.deprecated.domains
    ]
    hints = [_hint("domains", each, _domain_words(schema, each), is_equal=True) for each in offered]
    alike = [each for each in alike_names(schema, "domains", name) if each not in offered]
    return [*hints, *(_hint("domains", each, _domain_words(schema, each)) for each in alike)][:MOST_HINTS]


def of_attribute(schema: Schema, name: str, domain: str) -> list[Hint]:
    """Those over the same domain come first."""
    alike = sorted(
        alike_names(schema, "attributes", name), key=lambda each: schema.attributes[each] != domain
    )
    return [_hint("attributes", each, _attribute_words(schema, each)) for each in alike]


def of_event_type(schema: Schema, new: EventType) -> list[Hint]:
    """O(event types)."""
    same = [
        name
        for name, each in schema.event_types.items()
        if new.attributes
        and each.attributes.keys() == new.attributes.keys()
        and name not in schema.deprecated.event_types
    ]
    hints = [_hint("event_types", name, _type_words(schema, name), is_equal=True) for name in sorted(same)]
    alike = [name for name in alike_names(schema, "event_types", new.name) if name not in same]
    return [*hints, *(_hint("event_types", name, _type_words(schema, name)) for name in alike)][:MOST_HINTS]


def of_extension(schema: Schema, event_type: str, attribute: str) -> list[Hint]:
    """What the event type has already that may be meant: alike by name, or over the same domain."""
    own = schema.event_type(event_type).attributes
    alike = [name for name in alike_names(schema, "attributes", attribute) if name in own]
    domain = schema.attributes[attribute]
    same = [name for name in sorted(own) if schema.attributes[name] == domain and name not in alike]
    found = [*alike, *same][:MOST_HINTS]
    return [_hint("attributes", name, _attribute_words(schema, name)) for name in found]


def alike_names(schema: Schema, section: Section, name: str) -> list[str]:
    """Other names of this section like this one, the most alike first; deprecated ones are left out.

    O(length of all names) the first time, then a few passes over them by the machine's own search.
    """
    if len(name) > _LONGEST_NAME:
        return []
    names: Mapping[str, Any] = getattr(schema, section)
    deprecated = getattr(schema.deprecated, section)
    search = _names(schema, section)
    found: dict[str, None] = {}
    if (close := nearest(name, (each for each in names if each != name))) is not None:
        found[close] = None
    for typed in dict.fromkeys([" ".join(_WORD.findall(name)), *_telling_words(name)]):
        found |= dict.fromkeys(search.hits(typed, most=MOST_HINTS, without=(name,)))
    return [each for each in found if each != name and each not in deprecated][:MOST_HINTS]


def _telling_words(name: str) -> Iterable[str]:
    """The longest first: it says most."""
    words = [word for word in _WORD.findall(name) if len(word) >= _FEWEST_LETTERS]
    return sorted(words, key=len, reverse=True)[:MOST_HINTS]


@lru_cache(maxsize=6)
def _names(schema: Schema, section: Section) -> NameSearch:
    """Underscores are spaces here. A schema is a key since identity compares it."""
    return NameSearch((name.replace("_", " "), name) for name in sorted(getattr(schema, section)))


def _hint(section: Section, name: str, words: str, *, is_equal: bool = False) -> Hint:
    return Hint(name, reverse(_ADDRESSES[section], args=[name]), words, is_equal)


def _domain_words(schema: Schema, name: str) -> str:
    count = len(browsing.attributes_of(schema, name))
    return ngettext("used by %(count)s attribute", "used by %(count)s attributes", count) % {"count": count}


def _attribute_words(schema: Schema, name: str) -> str:
    count = len(browsing.types_with(schema, name))
    used = ngettext("used by %(count)s event type", "used by %(count)s event types", count) % {"count": count}
    return _("over %(domain)s, %(used)s") % {"domain": schema.attributes[name], "used": used}


def _type_words(schema: Schema, name: str) -> str:
    count = len(schema.event_types[name].attributes)
    return ngettext("with %(count)s attribute", "with %(count)s attributes", count) % {"count": count}
