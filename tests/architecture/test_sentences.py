"""Every sentence for people can be translated: what pure modules say goes through their `gettext`.

A string with two words side by side is taken for a sentence or a part of one, unless its words are those of
the subscription language. Docstrings and what only we read, of assertions, do not count.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from schema_registry.core.definitions import KEYWORDS
from tests.running_system import ROOT

SAYING = ("schema_registry/core", "schema_registry/language", "notifications/core")
TRANSLATED = {"_", "gettext", "ngettext", "gettext_lazy"}
# Sentences that need no translation, each with its reason.
NEVER_SAID = {
    "too many values": "an event is refused in other words, which say how many",
    "more than one value": "an event is refused in other words, which say how many",
}

_SIDE_BY_SIDE = re.compile(r"[\w}'”.,:;] ['“]?[\w{]")
_WORD = re.compile(r"[^\W\d_]+")


def sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Those that are not translated, with their lines."""
    match tree:
        case ast.Call(func=ast.Name(id=name)) if name in TRANSLATED:
            parts: list[ast.AST] = [part for part in tree.args if not isinstance(part, ast.Constant)]
            parts += tree.keywords
        case ast.Assert() | ast.Expr(value=ast.Constant()) | ast.Call(func=ast.Name(id="AssertionError")):
            return
        case ast.Constant() | ast.JoinedStr():
            if is_sentence(written := text(tree)):
                yield tree.lineno, written
            parts = [each for each in ast.iter_child_nodes(tree) if isinstance(each, ast.FormattedValue)]
        case _:
            parts = list(ast.iter_child_nodes(tree))
    for part in parts:
        yield from sentences(part)


def text(node: ast.Constant | ast.JoinedStr) -> str:
    """What is written there, with {} for what is put in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


def is_sentence(written: str) -> bool:
    words = {word.lower() for word in _WORD.findall(written)}
    return bool(_SIDE_BY_SIDE.search(written) and words - KEYWORDS)


def test_pure_modules_say_nothing_untranslated() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {written}"
        for package in SAYING
        for path in sorted(Path(ROOT / package).rglob("*.py"))
        for line, written in sentences(ast.parse(path.read_text()))
        if written not in NEVER_SAID
    ]
    assert found == []


def test_a_sentence_is_noticed_wherever_it_hides() -> None:
    noticed = """
raise SchemaError("There is no domain.")
raise SchemaError(f"'{name}' twice")
advice = Advice(f"{name} is unknown")
message = _("Domain {name}: {why}", name=name, why=f"it is {kind}")
other = _(f"There is no {kind}")
more = f"{_('One.')} {'and more' if rest else ''}"
"""
    assert [line for line, _ in sentences(ast.parse(noticed))] == [2, 3, 4, 5, 6, 7]
    passed_over = '''
"""A docstring is for us."""
raise AssertionError(f"{operator} is not about one value")
message = _("There is no domain {name}.", name=name)
canonical = f"{begun} and (not {attribute} exists or {left_out})"
words = f"{name} {verb} {joined}"
'''
    assert list(sentences(ast.parse(passed_over))) == []
