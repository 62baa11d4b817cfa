"""A language that nobody speaks, in which every sentence that is translated shows that it is.

Its letters are wide ones, so what is left in usual letters on a page is data, or was never translated. The
sentences of the libraries whose pages we show are those of their French catalogues.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import allauth
import django
import django_celery_beat
import polib  # type: ignore[import-untyped] # it has no types
import rest_framework

from lesubscribe.catalogue import sentences
from tests.architecture.test_templates import SHOWN_ATTRIBUTES
from tests.integration.catalogue import write_catalogue

LANGUAGE = "io"  # one that Django knows by name, and writes dates in as it does by itself
_LIBRARIES = (django, allauth, django_celery_beat, rest_framework)
# What is put in, tags and entities stay as they are.
_KEPT = re.compile(r"%\(\w+\)[a-z]|%[a-z%]|\{[\w:,.!]*\}|<[^>]*>|&\w+;|\\n")
_WORD = re.compile(r"[A-Za-z]{2,}")
# What these hold is what somebody typed, or what a program reads.
_DATA = {"script", "style", "code", "pre", "kbd", "samp", "bdi", "textarea", "template"}
_VOID = {"input", "img", "br", "hr", "link", "meta", "wbr", "source", "col"}


def write_pseudo_catalogue(folder: Path) -> None:
    ours = {(each.text, each.plural, each.context) for each in sentences()}
    made = {_key(*each): _wide(each[0]) + (f"\0{_wide(each[1])}" if each[1] else "") for each in ours}
    for text, plural, context in _of_the_libraries():
        made.setdefault(_key(text, plural, context), _wide(text) + (f"\0{_wide(plural)}" if plural else ""))
    write_catalogue(folder, LANGUAGE, made)


def _key(text: str, plural: str, context: str | None) -> str:
    return (f"{context}\x04" if context else "") + text + (f"\0{plural}" if plural else "")


def _wide(text: str) -> str:
    """What is put in stays: that is data."""
    made, end = "", 0
    for kept in _KEPT.finditer(text):
        made += _in_wide_letters(text[end : kept.start()]) + kept[0]
        end = kept.end()
    return made + _in_wide_letters(text[end:])


def _in_wide_letters(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if each.isascii() and each.isalpha() else each for each in text)


def _of_the_libraries() -> Iterator[tuple[str, str, str | None]]:
    for library in _LIBRARIES:
        for path in sorted(Path(library.__path__[0]).rglob("fr/LC_MESSAGES/django.mo")):
            for entry in polib.mofile(str(path)):
                yield entry.msgid, entry.msgid_plural or "", entry.msgctxt


def usual_words(page: str, *, data: re.Pattern[str]) -> list[str]:
    """What is left in usual letters of what people read on a page, but for what is data."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return [said for said in reader.found if _WORD.search(data.sub("", said))]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._data: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self.found += [value for name, value in attrs if value and name in SHOWN_ATTRIBUTES]
        if tag == "input" and names.get("type") in ("submit", "button"):
            self.found.append(names.get("value") or "")
        if tag in _DATA or (self._data and tag not in _VOID):
            self._data.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._data and tag in self._data:
            while self._data.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._data and data.strip():
            self.found.append(" ".join(data.split()))
