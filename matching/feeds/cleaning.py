"""Strings of a feed as people meant them: entities decoded, white space single, nothing around.

A step is a function of the string; the steps that a mapping asks for become one function. Whatever is left
blank counts as missing.
"""

from collections.abc import Callable
from html import unescape

Clean = Callable[[str], str]
UNREADABLE_CHARACTER = "\ufffd"  # what decoders put where bytes are not of the encoding


def spaced(text: str) -> str:
    """Runs of white space become one space; none is left at the ends."""
    return " ".join(text.split())


STEPS: dict[str, Clean] = {"entities": unescape, "spaces": spaced, "trim": str.strip}
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
