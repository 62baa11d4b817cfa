"""The catalogues have exactly the sentences of the sources, each translated, and are compiled."""

import re
from collections import Counter

import polib  # type: ignore[import-untyped] # it has no types
import pytest

from lesubscribe.catalogue import Sentence, said_in, sentences
from lesubscribe.management.commands.messages import catalogue_of, languages, renewed

_PUT_IN = re.compile(r"%\(\w+\)[a-z]|%[sd%]|\{\w*(?::[^}]*)?\}")
_TAG = re.compile(r"</?(\w+)")


@pytest.fixture(params=languages())
def catalogue(request: pytest.FixtureRequest) -> polib.POFile:
    return polib.pofile(str(catalogue_of(request.param)))


def test_a_catalogue_has_the_sentences_of_the_sources(catalogue: polib.POFile) -> None:
    stored = {Sentence(entry.msgid, entry.msgid_plural or "", entry.msgctxt) for entry in catalogue}
    said = set(sentences())
    assert (sorted(said - stored, key=str), sorted(stored - said, key=str)) == ([], []), "run: make messages"


def test_every_sentence_is_translated(catalogue: polib.POFile) -> None:
    missing = [entry.msgid for entry in catalogue if not entry.translated() or entry.fuzzy]
    assert missing == []


def test_what_is_put_in_is_the_same_in_the_translation(catalogue: polib.POFile) -> None:
    wrong = [(entry.msgid, text) for entry in catalogue for text in _texts(entry) if not _fits(entry, text)]
    assert wrong == []


def test_tags_and_ends_of_lines_are_the_same_in_the_translation(catalogue: polib.POFile) -> None:
    def shape(text: str) -> tuple[bool, bool, Counter[str]]:
        return text.startswith("\n"), text.endswith("\n"), Counter(_TAG.findall(text))

    wrong = [
        (entry.msgid, text)
        for entry in catalogue
        for text in _texts(entry)
        if shape(text) not in (shape(entry.msgid), shape(entry.msgid_plural or entry.msgid))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", languages())
def test_the_committed_files_are_those_that_the_command_writes(language: str) -> None:
    path = catalogue_of(language)
    catalogue = renewed(language)
    assert str(catalogue) == str(polib.pofile(str(path), wrapwidth=110)), "run: make messages"
    assert path.with_suffix(".mo").read_bytes() == catalogue.to_binary(), "run: make messages"


def test_sentences_are_found_wherever_they_stand() -> None:
    source = """
from x import gettext as _
words = f"{_('One.')} {name}" + _("Two" " and three.")
several = ngettext("{count} item", "{count} items", count)
stage = translation.pgettext_lazy("stage", "match")
unknown = _(variable)
"""
    assert set(said_in(source, "a.py")) == {
        Sentence("One."),
        Sentence("Two and three."),
        Sentence("{count} item", "{count} items"),
        Sentence("match", context="stage"),
    }
    page = """{% load i18n %}<p title="{% translate 'Said.' %}">{{ name|default:_("Nameless") }}</p>
{% blocktranslate trimmed count count=count with name=name|lower %}
  One of {{ name }}
{% plural %}
  {{ count }} of {{ name }}, 100%
{% endblocktranslate %}{% translate "match" context "stage" %}{# _("not this") #}
"""
    assert set(said_in(page, "a.html")) == {
        Sentence("Said."),
        Sentence("Nameless"),
        Sentence("One of %(name)s", "%(count)s of %(name)s, 100%%"),
        Sentence("match", context="stage"),
    }


def _texts(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def _fits(entry: polib.POEntry, text: str) -> bool:
    """A form of a plural may leave out the number, but not bring in what is not there."""
    one, several = set(_PUT_IN.findall(entry.msgid)), set(_PUT_IN.findall(entry.msgid_plural or ""))
    found = set(_PUT_IN.findall(text))
    return found in (one, several) if entry.msgid_plural else found == one
