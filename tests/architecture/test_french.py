"""French is set as the French do: unbreakable spaces before double marks, guillemets, curly apostrophes."""

import re

import polib  # type: ignore[import-untyped] # it has no types

from lesubscribe.management.commands.messages import catalogue_of

_UNSPACED = re.compile(r"\w[:;!?](?=\s|$)|[^\s\u00a0\u202f]»|«[^\s\u00a0\u202f]")
_BREAKABLE = re.compile(r" [:;!?»]|« ")
_ENGLISH_MARKS = re.compile(r"\w'\w|[“”]")
_NO_PROSE = re.compile(r"<code>.*?</code>|&\w+;|!=")


def test_french_sentences_have_french_punctuation() -> None:
    wrong = [
        text
        for entry in polib.pofile(str(catalogue_of("fr")))
        for text in entry.msgstr_plural.values() or [entry.msgstr]
        if any(marks.search(_NO_PROSE.sub("", text)) for marks in (_UNSPACED, _BREAKABLE, _ENGLISH_MARKS))
    ]
    assert wrong == []
