"""A catalogue of translations as `compilemessages` writes it, so that Django finds it."""

import struct
from collections.abc import Mapping
from pathlib import Path

_HEADER = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"


def write_catalogue(folder: Path, language: str, translations: Mapping[str, str]) -> None:
    """Under the folder of locales. Of a sentence with two forms, both sides have NUL between them."""
    path = folder / language / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(_compiled({"": _HEADER, **translations}))


def _compiled(translations: Mapping[str, str]) -> bytes:
    """The format of GNU gettext: magic number, two tables of lengths and places, the strings."""
    pairs = sorted((key.encode(), text.encode()) for key, text in translations.items())
    count, tables, strings = len(pairs), b"", b""
    for column in (0, 1):
        for pair in pairs:
            tables += struct.pack("<2I", len(pair[column]), 28 + 16 * count + len(strings))
            strings += pair[column] + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0) + tables + strings
