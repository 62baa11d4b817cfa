"""The catalogue of sentences for people: what the sources say, and what other languages make of it.

Sentences are found without GNU gettext, so that every machine can do it: in Python by its syntax tree, in
templates by what Django makes of them for xgettext. `python manage.py messages` brings the catalogues up to
date; tests compare.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.utils.translation.template import templatize

PACKAGES = ("lesubscribe", "matching", "notifications", "schema_registry")
# The client is a package of its own.
LEFT_OUT = ("lesubscribe/client", "lesubscribe/locale")
TEMPLATE_SUFFIXES = {".html", ".txt", ".svg", ".xml"}
# By the name of a function: where in its arguments are the context, the sentence, and its plural.
_FUNCTIONS: dict[str, tuple[int | None, int, int | None]] = {
    "_": (None, 0, None),
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "LazyText": (None, 0, None),
    "Stored": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
    "npgettext_lazy": (0, 1, 2),
}
_STRING = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL = re.compile(
    rf"\b(_|gettext|ngettext|pgettext|npgettext)\(\s*({_STRING}(?:\s*,\s*{_STRING})*)", re.DOTALL
)


class Sentence(NamedTuple):
    """As it is in the sources."""

    text: str
    plural: str = ""
    context: str | None = None


def sentences() -> dict[Sentence, list[str]]:
    """All there are, with the files they stand in, in the order of these."""
    found: dict[Sentence, dict[str, None]] = defaultdict(dict)
    for path in _sources():
        name = str(path.relative_to(settings.BASE_DIR))
        for sentence in said_in(path.read_text(), name):
            found[sentence][name] = None
    return {sentence: list(names) for sentence, names in found.items()}


def said_in(source: str, name: str) -> Iterator[Sentence]:
    return _in_python(source) if name.endswith(".py") else _in_template(source, name)


def _sources() -> Iterator[Path]:
    root: Path = settings.BASE_DIR
    left_out = tuple(root / each for each in LEFT_OUT)
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if not any(path.is_relative_to(each) for each in left_out):
                yield path
    yield from sorted(each for each in (root / "templates").rglob("*") if each.suffix in TEMPLATE_SUFFIXES)


def _in_python(source: str) -> Iterator[Sentence]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in _FUNCTIONS:
                texts = [arg.value if isinstance(arg, ast.Constant) else None for arg in args]
                yield from _read(name, texts)


def _in_template(source: str, name: str) -> Iterator[Sentence]:
    for call in _CALL.finditer(templatize(source, origin=name)):
        yield from _read(call[1], list(ast.literal_eval(f"({call[2]},)")))


def _read(name: str, texts: Sequence[object]) -> Iterator[Sentence]:
    """Nothing where the sentence is no literal: then it stands elsewhere."""
    context, sentence, plural = (
        None if place is None else texts[place] if place < len(texts) else None for place in _FUNCTIONS[name]
    )
    if isinstance(sentence, str) and sentence:
        yield Sentence(sentence, str(plural or ""), str(context) if context else None)
