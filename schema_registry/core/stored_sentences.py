"""Sentences that are stored, and read later by somebody with another language.

Stored is the English sentence with its values in it: logs, programs and whoever looks into the database can
read it, and equal reasons are equal. Whoever shows it asks for it `again`: the values are found by the words
around them, and put into the translation.
"""

import re
from collections.abc import Collection, Iterator
from string import Formatter

from schema_registry.core.numbers import separated
from schema_registry.core.sentences import gettext

_parts = Formatter().parse  # the text before a value, its name, its format and its conversion


class Stored:
    """A sentence with values, each of them once. Those in `words` are words or sentences of ours, too."""

    __slots__ = ("_pattern", "_words", "message")

    def __init__(self, message: str, /, *, words: Collection[str] = ()) -> None:
        self.message = message
        self._words = words
        pattern = (
            re.escape(text) + (f"(?P<{name}>.*?)" if name else "") for text, name, *_how in _parts(message)
        )
        self._pattern = re.compile("".join(pattern), re.DOTALL)

    def __call__(self, **values: object) -> str:
        """As it is stored."""
        return self.message.format(**values)

    def again(self, said: str) -> str | None:
        """In the language of who reads it; None if something else was said."""
        found = self._pattern.fullmatch(said)
        return None if found is None else "".join(self._filled(found.groupdict()))

    def _filled(self, values: dict[str, str]) -> Iterator[str]:
        for text, name, form, _conversion in _parts(gettext(self.message)):
            yield text
            if name:
                yield gettext(values[name]) if name in self._words else _with_separators(values[name], form)


def _with_separators(value: str, form: str | None) -> str:
    """Only a number has a format."""
    return separated(value) if form else value


def again(said: str, known: Collection[Stored]) -> str:
    """As the first of the known sentences that it is; as it is if it is none, such as what a library said."""
    return next((words for each in known if (words := each.again(said)) is not None), said)
