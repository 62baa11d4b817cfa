"""Every sentence for people can be translated: what modules say goes through `gettext`.

A string with two words side by side is taken for a sentence or a part of one, unless its words are those of
the subscription language, of SQL, of HTML or of a request. Docstrings and what only we read, of assertions,
do not count; nor does the reference of the API, which is in English as its names are.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from schema_registry.core.definitions import KEYWORDS
from tests.running_system import ROOT

SAYING = (
    *("schema_registry", "notifications", "lesubscribe/security", "lesubscribe/operations"),
    *("matching/admin", "matching/console", "matching/demand", "matching/feeds", "matching/traffic"),
)
# Modules that speak to those who run the system, in logs and figures.
UNHEARD = ("metrics.py", "openapi.py", "management", "migrations")
TRANSLATED = {
    *("_", "gettext", "ngettext", "gettext_lazy", "gettext_noop", "ngettext_lazy", "Stored"),
    *("pgettext", "pgettext_lazy", "npgettext", "npgettext_lazy"),
}
OF_THE_REFERENCE = {"help_text", "summary", "description", "title"}  # of the API
# Sentences that need no translation, each with its reason.
NEVER_SAID = {
    "Le Subscribe": "our name",
    "Le Subscribe: {}": "our name",
    "Le Subscribe <searches.{}>": "our name",
    "Samsung Internet": "the name of a browser",
    "Mac OS X": "as browsers call it",
    "A user needs an e-mail address.": "for programmers",
    "requests.{} is not for plug-ins": "for programmers",
    "not now": "for plug-ins, which only fail by it",
    "no answer": "for plug-ins, which only fail by it",
    "not in ASCII": "is caught, and said in other words",
    "not a host name": "is caught, and said in other words",
    "not an address of this service": "is caught, and said in other words",
    "not the address of a server": "is caught, and said in other words",
    "not the address of a webhook": "is caught, and said in other words",
    "a path cannot be kept": "is caught, and said in other words",
    "timed out": "what smtplib says",
    "Others of this process are writing.": "is caught, and said in other words",
    "A new event type": "stands for a name",
    "A first item": "in an example of JSON",
    "exactly this": "in an example of a search",
    "oak table": "in an example of a search",
    "is below": "how an order is written",
    "FR. SFR": "how money is written",
    "{} into {}": "names, as the history keeps them",
    "vLargeTextField definition": "a class of a style sheet",
    "private, no-cache": "a header",
    "private, no-store": "a header",
    "max-age={}; includeSubDomains; preload": "a header",
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()": "a header",
    "told of expiries": "for the log",
    **dict.fromkeys(
        (
            *("Expecting value", "Expecting property name enclosed in double quotes", "Extra data"),
            *("Expecting ':' delimiter", "Expecting ',' delimiter", "Unterminated string"),
        ),
        "what Python says of JSON, and we in other words",
    ),
    "too many values": "an event is refused in other words, which say how many",
    "more than one value": "an event is refused in other words, which say how many",
}

_NO_SENTENCE = re.compile(
    r"\b(?:SELECT|INSERT|UPDATE|DELETE|JOIN|UNION|STRFTIME|STATEMENT_TIMESTAMP|LIMIT|ORDER BY) ?"  # SQL
    r"|\b(?:AND|AS|FROM|IN|FOR|ON|IS) |^match\.event_id, |^\(?\w+\.\w+ (?:=|IN|\+)"
    r"|^(?:attachment|curl|-d|POST|To:|retry:|id:|\{\"|application/)|^M\{\}|\?.* : "  # requests, and drawings
    r"|^(?:[a-zA-Z]\b[ ,:/]*)+$|\\s\+"  # forms of dates, patterns
)
_TAG = re.compile(r"<[^>]*>")
_SIDE_BY_SIDE = re.compile(r"[\w}'”.,:;] ['“]?[\w{]")
_WORD = re.compile(r"[^\W\d_]+")


def sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Those that are not translated, with their lines."""
    match tree:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in TRANSLATED:
            parts: list[ast.AST] = [part for part in tree.args if not isinstance(part, ast.Constant)]
            parts += tree.keywords
        case ast.keyword(arg="dispatch_uid") | ast.FunctionDef(name="__str__"):
            return  # a name that nobody reads; what staff read of a row is mostly names, too
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
    if _NO_SENTENCE.search(written):
        return False
    shown = _TAG.sub("", written)
    words = {word.lower() for word in _WORD.findall(shown)}
    return bool(_SIDE_BY_SIDE.search(shown) and words - KEYWORDS)


def of_the_api(tree: ast.AST) -> ast.AST:
    """Without the reference: what describes fields and answers to those who write programs."""

    class Reference(ast.NodeTransformer):
        def visit_keyword(self, node: ast.keyword) -> ast.keyword | None:
            if node.arg in OF_THE_REFERENCE:
                return None
            self.generic_visit(node)
            return node

        def visit_Dict(self, node: ast.Dict) -> ast.Dict:
            self.generic_visit(node)
            node.values = [
                ast.Constant(None) if key and ast.unparse(key).strip("'") in OF_THE_REFERENCE else value
                for key, value in zip(node.keys, node.values, strict=True)
            ]
            return node

    return Reference().visit(tree)  # type: ignore[no-any-return]


def test_modules_say_nothing_untranslated() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {written}"
        for package in SAYING
        for path in sorted(Path(ROOT / package).rglob("*.py"))
        if not any(part in UNHEARD for part in path.parts)
        for line, written in sentences(parsed(path))
        if written not in NEVER_SAID
    ]
    assert found == []


def parsed(path: Path) -> ast.AST:
    tree = ast.parse(path.read_text())
    return of_the_api(tree) if "api" in path.stem else tree


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
