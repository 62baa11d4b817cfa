"""Strings of a feed as people meant them: entities decoded, white space single, nothing around.

A step is a function of the string; the steps that a mapping asks for become one function. Whatever is left
blank counts as missing.
"""

import html
from collections.abc import Callable

from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import shown

Clean = Callable[[str], str]
UNREADABLE_CHARACTER = "\ufffd"  # what decoders put where bytes are not of the encoding


class UnreadableError(Exception):
    """What a field holds cannot be made into what the mapping asks for; the message is for people."""


def unescaped(text: str) -> str:
    """HTML's entities decoded. Raises UnreadableError for the number of a character with very many digits."""
    try:
        return html.unescape(text)
    except ValueError:
        raise UnreadableError(
            _("{value} has an entity that stands for no character.", value=shown(text))
        ) from None


def spaced(text: str) -> str:
    """Runs of white space become one space; none is left at the ends."""
    return " ".join(text.split())


STEPS: dict[str, Clean] = {"entities": unescaped, "spaces": spaced, "trim": str.strip}
ALL_STEPS = tuple(STEPS)


def cleaner(names: tuple[str, ...]) -> Clean:
    """The steps in their own order, whatever order they are named in; without any, the string stays."""
    steps = [step for name, step in STEPS.items() if name in names]
    if not steps:
        return str
    if len(steps) == 1:
        return steps[0]

    def clean(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return clean
