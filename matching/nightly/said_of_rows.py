"""What a row of a feed was rejected for, in the language of who reads the report.

Spark judges rows by the code of the live service, and knows no language: it says in English what a publisher
would be told. So each of its sentences is in the catalogue, and found there by the words around its values.
"""

from functools import cache
from string import Formatter

from django.conf import settings
from django.utils.translation import get_language, gettext
from django.utils.translation.trans_real import catalog

from schema_registry.core import stored_sentences
from schema_registry.core.stored_sentences import Stored

_SUGGESTION = " Did you mean "  # the sentence that may follow the one about what is wrong


def again(said: str) -> str:
    """Under a millisecond; the first time in a language a tenth of a second. The unknown stays as it is."""
    language = get_language()
    if not said or language in (None, settings.LANGUAGE_CODE):
        return said
    fault, found, suggestion = said.rpartition(_SUGGESTION)
    parts = [fault, f"{found}{suggestion}".strip()] if found else [said]
    return " ".join(stored_sentences.again(gettext(part), _known(str(language))) for part in parts)


@cache
def _known(language: str) -> tuple[Stored, ...]:
    """The sentences with values, those with the most words of their own first: they are the surest."""
    messages = catalog()._catalog.keys()  # some have plurals, and are pairs
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
