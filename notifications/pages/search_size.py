"""How much the form of a search takes: what the language takes, and nothing slow is done for more."""

from django.utils.translation import gettext as _

from schema_registry.core.errors import InputError
from schema_registry.core.numbers import grouped
from schema_registry.language.call_rows import CallRow
from schema_registry.language.limits import DEFAULT
from schema_registry.language.outline import Group, Part, Raw, Row

MOST_CONDITIONS = DEFAULT.predicates
MOST_GROUPS = MOST_CONDITIONS  # each that says something has two parts at least
LONGEST_TEXT = DEFAULT.length or 0
# A row has identifiers where a text may have labels, which may be shorter.
MOST_CHARACTERS = 2 * LONGEST_TEXT


class TooLarge(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """No search can be as large as these rows are."""


def check_size(group: Group) -> None:
    """Raises TooLarge. O(parts)."""
    conditions = groups = characters = 0
    parts: list[Part] = [group]
    while parts:
        match part := parts.pop():
            case Group():
                groups += 1
                parts += part.parts
            case Row():
                conditions += 1
                characters += len(part.attribute) + len(part.operator) + sum(map(len, part.values))
                characters += len(part.values)
            case CallRow():
                conditions += 2  # the call, and what is asked of its result
                characters += len(str(part))
            case Raw(text):
                conditions += 1
                characters += len(text)
    if conditions > MOST_CONDITIONS or groups > MOST_GROUPS:
        words = _("A search has at most %(most)s conditions. Remove some, or make two searches of it.")
        raise TooLarge(words % {"most": grouped(MOST_CONDITIONS)})
    if characters > MOST_CHARACTERS:
        words = _("A search has at most %(most)s characters. Shorten it, or make two searches of it.")
        raise TooLarge(words % {"most": grouped(LONGEST_TEXT)})
