"""How large a subscription may be. Everything here is checked before the work it bounds is done."""

import re
from dataclasses import dataclass

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.sentences import gettext as _
from schema_registry.language.diagnostics import error_at

# A doubled quote reads as two strings side by side, which is as good for finding the brackets outside.
_STRING_OR_PARENTHESIS = re.compile(r"""'[^']*'?|"[^"]*"?|[()]""")


@dataclass(frozen=True, slots=True)
class Limits:
    """The most a text may have: bytes, levels of parentheses, predicates, conjunctions.

    `asks_operators` is whether they are asked about constants: whether there is such a place, say.
    """

    length: int | None = 4096
    nesting: int = 32
    predicates: int = 128
    conjunctions: int = 64
    asks_operators: bool = True


MOST_OPERANDS = 32
"""Numbers, strings and variables in one value constraint."""
DEFAULT = Limits()
STORED = Limits(length=None, asks_operators=False)
"""For canonical texts of our own keeping, which may be longer than what they were made from, and whose
constants were good when they were taken. Never for texts from outside."""


def check_text(text: str, limits: Limits) -> None:
    """Refuses texts that are too long, too deeply nested or not readable. O(length), O(1) over the limit."""
    if limits.length is not None and len(text) > limits.length:
        raise _too_long(len(text), limits.length)
    size = len(text) if text.isascii() else _encoded_size(text)
    if limits.length is not None and size > limits.length:
        raise _too_long(size, limits.length)
    if "\0" in text:
        place = text.index("\0")
        raise error_at(text.replace("\0", " "), place, place + 1, _("The text contains the character NUL."))
    if text.count("(") <= limits.nesting:
        return
    depth = 0
    for found in _STRING_OR_PARENTHESIS.finditer(text):
        if found[0] == "(":
            depth += 1
            if depth > limits.nesting:
                message = _("Parentheses may be nested {most} deep; this is one more.", most=limits.nesting)
                raise error_at(text, found.start(), found.end(), message)
        elif found[0] == ")":
            depth -= 1


def _encoded_size(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        readable = text.encode(errors="replace").decode()
        message = _("The text contains half a surrogate pair.")
        raise error_at(readable, error.start, error.start + 1, message) from None


def _too_long(size: int, limit: int) -> SubscriptionError:
    return SubscriptionError(
        _("A text has at most {most:,} bytes; this one has {size:,} or more.", most=limit, size=size)
    )
