"""Sentences for people, in the language of who reads them.

Pure modules know no framework that could translate. They ask here, by the names that Django gives such
functions, so that `makemessages` finds the sentences:

    _("There is no domain {name}.", name=shown(name))

The values are put in after the translation, as `str.format` does, numbers as the language writes them:
`{count:,}` is 1,200 or 1 200. Without a translator the English stays.
Asking costs about a microsecond: it is for refusals and for what is shown, not for what is matched.
"""

from collections.abc import Mapping
from gettext import NullTranslations
from typing import Protocol

from schema_registry.core.numbers import NumberFormatter


class Translator(Protocol):
    def gettext(self, message: str, /) -> str: ...
    def ngettext(self, one: str, several: str, count: int, /) -> str: ...


_translator: Translator = NullTranslations()
_formatter = NumberFormatter()


def translate_by(translator: Translator) -> None:
    """From now on, in the whole process. Who starts us calls it once; the translator knows the language."""
    global _translator
    _translator = translator


def gettext(message: str, /, **values: object) -> str:
    translated = _translator.gettext(message)
    return _with_values(translated, values) if values else translated


def again(said: str) -> str:
    """A sentence that was stored, in the language of who reads it now; as it is if it has values in it."""
    return _translator.gettext(said) if said else ""


def gettext_noop(message: str, /) -> str:
    """The English itself, marked for translators: for what is kept as it is and said later, by `again`."""
    return message


def ngettext(one: str, several: str, /, count: int, **values: object) -> str:
    """The form that goes with the count, which stands in it as `{count}`."""
    return _with_values(_translator.ngettext(one, several, count), {"count": count, **values})


def _with_values(sentence: str, values: Mapping[str, object]) -> str:
    # The formatter is written in Python, and ten times slower: it is asked only where there is a number.
    has_numbers = ":," in sentence or ":." in sentence
    return _formatter.vformat(sentence, (), values) if has_numbers else sentence.format(**values)


class LazyText:
    """Is translated when it becomes a string: for what is made at import, or is made but seldom said."""

    __slots__ = ("_message", "_values")

    def __init__(self, message: str, /, **values: object) -> None:
        self._message = message
        self._values = values

    def __str__(self) -> str:
        return gettext(self._message, **self._values)


gettext_lazy = LazyText
