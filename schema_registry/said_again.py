"""Sentences that were stored in English, with values in them, in the language of who reads them now.

What a receiver answered, what was wrong with an item, why Spark rejected a row: each was said by code that
asks for a translation, so it is in the catalogue, and found there by the words around its values.
"""

from functools import cache
from string import Formatter
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, gettext
from django.utils.translation.trans_real import catalog

from schema_registry.core import stored_sentences
from schema_registry.core.stored_sentences import Stored


def again(said: str) -> str:
    """One sentence or several. What is unknown, such as the words of a library, stays as it is.

    Under a millisecond; the first time in a language a tenth of a second.
    """
    language = get_language()
    if not said or language in (None, settings.LANGUAGE_CODE):
        return said
    return _read(said, _known(str(language))) or said


def _read(said: str, known: tuple[Stored, ...]) -> str | None:
    """Sentence by sentence, if each is known; else as one, since a value may have a full stop in it."""
    first, stop, rest = said.partition(". ")
    if stop and (one := _one(f"{first}.", known)) and (others := _read(rest, known)):
        return f"{one} {others}"
    return _one(said, known)


def _one(said: str, known: tuple[Stored, ...]) -> str | None:
    read = stored_sentences.again(gettext(said), known)
    return None if read == said else read


@cache
def _known(language: str) -> tuple[Stored, ...]:
    """The sentences with values, those with the most words of their own first: they are the surest."""
    whole: Any = catalog()  # of which the stubs know nothing
    messages = whole._catalog.keys()  # some have plurals, and are pairs
    with_values = {each for each in messages if isinstance(each, str) and "{" in each}
    sentences = sorted(filter(_is_whole, with_values), key=lambda each: (-len(_own_words(each)), each))
    return tuple(map(Stored, sentences))


def _is_whole(message: str) -> bool:
    """A sentence without a context, each of whose values stands in it once; braces may be those of JSON."""
    names = [name for _text, name, *_how in Formatter().parse(message) if name is not None]
    is_one = message.endswith((".", "?")) and "\4" not in message
    return is_one and len({*names}) == len(names) and all(map(str.isidentifier, names))


def _own_words(message: str) -> str:
    return "".join(text for text, *_value in Formatter().parse(message))
