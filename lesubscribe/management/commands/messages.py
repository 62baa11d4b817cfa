"""Brings the catalogues up to date with the sources, and compiles them.

A sentence that is new comes without a translation; one that is gone goes. What was translated stays as it is:
nothing is guessed from sentences that are alike. Both files are committed, so that nobody needs this who only
runs the system. The same sources give the same files, byte by byte.
"""

from pathlib import Path
from typing import Any

import polib  # type: ignore[import-untyped] # it has no types
from django.conf import settings
from django.core.management.base import BaseCommand

from lesubscribe.catalogue import Sentence, sentences

_HEADER = {
    "Project-Id-Version": "Le Subscribe",
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=UTF-8",
    "Content-Transfer-Encoding": "8bit",
}
_PLURALS = {"fr": "nplurals=2; plural=(n > 1);"}
_USUAL_PLURALS = "nplurals=2; plural=(n != 1);"


class Command(BaseCommand):
    help = "Brings the catalogues of translations up to date with the sources, and compiles them."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django declares it)

    def handle(self, *args: Any, **options: Any) -> None:
        for language in languages():
            path = catalogue_of(language)
            path.parent.mkdir(parents=True, exist_ok=True)
            catalogue = renewed(language)
            catalogue.save(str(path))
            path.with_suffix(".mo").write_bytes(catalogue.to_binary())
            missing = sum(not entry.translated() for entry in catalogue)
            self.stdout.write(f"{language}: {len(catalogue):,} sentences, {missing:,} without a translation.")


def languages() -> list[str]:
    """Those with a catalogue: the sources are in the other one."""
    return [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def catalogue_of(language: str) -> Path:
    return Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "django.po"


def renewed(language: str) -> polib.POFile:
    """What the sources say now, with what the stored catalogue makes of it."""
    path = catalogue_of(language)
    stored = {_key(entry): entry for entry in polib.pofile(str(path))} if path.exists() else {}
    catalogue = polib.POFile(wrapwidth=110)
    plurals = _PLURALS.get(language, _USUAL_PLURALS)
    catalogue.metadata = {**_HEADER, "Language": language, "Plural-Forms": plurals}
    for sentence, places in sentences().items():
        catalogue.append(_entry(sentence, places, stored.get(sentence)))
    return catalogue


def _key(entry: polib.POEntry) -> Sentence:
    return Sentence(entry.msgid, entry.msgid_plural or "", entry.msgctxt)


def _entry(sentence: Sentence, places: list[str], stored: polib.POEntry | None) -> polib.POEntry:
    entry = polib.POEntry(
        msgid=sentence.text,
        msgid_plural=sentence.plural,
        msgctxt=sentence.context,
        occurrences=[(place, "") for place in places],
        flags=["python-format"] if "%(" in sentence.text + sentence.plural else [],
    )
    if sentence.plural:
        entry.msgstr_plural = stored.msgstr_plural if stored else {0: "", 1: ""}
    else:
        entry.msgstr = stored.msgstr if stored else ""
    entry.tcomment = stored.tcomment if stored else ""
    return entry
