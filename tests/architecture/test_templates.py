"""Every word that a template shows can be translated: it stands in `translate` or `blocktranslate`.

Looked at are the text of pages and mails, the attributes that are read out or shown, and the strings that
are handed to tags and filters. What stands in comments, scripts and style sheets does not count.
"""

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from django.template.base import Lexer, Token, TokenType

from tests.running_system import ROOT

TEMPLATES = ROOT / "templates"
SHOWN_ATTRIBUTES = {"title", "aria-label", "aria-description", "aria-roledescription", "placeholder", "alt"}
LEFT_OUT = {"comment", "blocktranslate", "blocktrans"}  # up to the tag that ends them
BLOCKS_OF_CLASSES = {"main_class", "bodyclass"}
IN_A_TAG = {"allauth/elements/input_attrs.html"}  # what it has are attributes of the tag that includes it
# Words that are the same in every language, each with its reason.
NEVER_TRANSLATED = {
    "Le Subscribe": "our name",
    "whsec_": "how every secret begins",
}

_WORD = re.compile(r"[^\W\d_]{2,}")
_STRING = re.compile(r"""(_\()?(?:"([^"]*)"|'([^']*)')""")
# Names of templates, routes and classes are handed over too: words for people have a capital, or are several.
_FOR_PEOPLE = re.compile(r"^[A-Z][a-z]+\b|[^\W\d_]{2,}[.,:;]? [\w“]")


class _Shown(HTMLParser):
    """Collects what people read, with its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._unread = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        self.found += [(line, value) for name, value in attrs if value and _is_shown(name, value)]
        if tag in ("script", "style"):
            self._unread = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._unread:
            self._unread = ""

    def handle_data(self, data: str) -> None:
        if not self._unread:
            before = data[: len(data) - len(data.lstrip())]
            self.found.append((self.getpos()[0] + before.count("\n"), data))


def _is_shown(name: str, value: str) -> bool:
    """Scripts get their words in attributes for data."""
    return name in SHOWN_ATTRIBUTES or (name.startswith("data-") and bool(_FOR_PEOPLE.search(value)))


def untranslated(source: str, *, is_html: bool = True) -> Iterator[tuple[int, str]]:
    """What a template shows as it is written there, with its lines."""
    tokens = list(_outside(Lexer(source).tokenize()))
    for token in tokens:
        if token.token_type in (TokenType.BLOCK, TokenType.VAR):
            said = filter(_FOR_PEOPLE.search, _handed_over(token))
            yield from ((token.lineno or 0, text) for text in said)
    text = _text(tokens)
    if is_html:
        page = _Shown()
        page.feed(text)
        page.close()
        shown: Iterable[tuple[int, str]] = page.found
    else:
        shown = enumerate(text.splitlines(), start=1)
    yield from ((line, " ".join(part.split())) for line, part in shown if _has_words(part))


def _outside(tokens: Iterable[Token]) -> Iterator[Token]:
    """Without what stands in comments, translations and blocks that make classes."""
    end = ""
    for token in tokens:
        words = token.split_contents() if token.token_type == TokenType.BLOCK else [""]
        if end:
            end = "" if words[0] == end else end
            continue
        if words[0] in LEFT_OUT:
            end = f"end{words[0]}"
        elif words[0] == "block" and words[1] in BLOCKS_OF_CLASSES:
            end = "endblock"
        elif words[0] not in ("translate", "trans"):
            yield token


def _handed_over(token: Token) -> Iterator[str]:
    """The strings in a tag that it does not translate."""
    for mark, double, single in _STRING.findall(token.contents):
        if not mark:
            yield double or single


def _text(tokens: Iterable[Token]) -> str:
    """What stands outside of tags, in its lines."""
    text, lines = "", 1
    for token in tokens:
        if token.token_type == TokenType.TEXT:
            missing = (token.lineno or 1) - lines
            text += "\n" * missing + token.contents
            lines += missing + token.contents.count("\n")
    return text


def _has_words(text: str) -> bool:
    for name in NEVER_TRANSLATED:
        text = text.replace(name, "")
    return bool(_WORD.search(text))


def _templates() -> list[Path]:
    return [path for path in sorted(TEMPLATES.rglob("*")) if path.suffix in (".html", ".txt", ".svg", ".xml")]


def test_templates_show_nothing_untranslated() -> None:
    found = [
        f"{path.relative_to(TEMPLATES)}:{line}: {text}"
        for path in _templates()
        if str(path.relative_to(TEMPLATES)) not in IN_A_TAG
        for line, text in untranslated(path.read_text(), is_html=path.suffix != ".txt")
    ]
    assert found == []


def test_words_are_noticed_wherever_they_hide() -> None:
    noticed = """{% extends "base.html" %}
{% block title %}Your finds{% endblock %}
<p>{{ count }} left</p>
<img src="{{ picture }}" alt="Picture: {{ title }}">
<p {% if soft %}class="soft"{% endif %} title="{% if soft %}Softly{% endif %}">{% translate "Said." %}</p>
{% include "button.html" with text="Show all" %}
{{ name|default:"Nameless" }}
<p>{% blocktranslate %}Sent to {{ address }}.{% endblocktranslate %} Or not.</p>
<script>say("nothing to people");</script> said
<button data-done="Copied" data-target="search-form"></button>
"""
    assert sorted(line for line, _ in untranslated(noticed)) == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    passed_over = """{% comment %} For us. {% endcomment %}{# And this. #}
{% block main_class %}manage{% endblock %}
<p class="soft note" id="said">{% translate "Said." %} · <kbd>j</kbd> {{ day|date:"j F Y" }} 12 %</p>
<img alt="{% blocktranslate %}Picture: {{ title }}{% endblocktranslate %}">
{% include "button.html" with text=_("Show all") route="channel-show" %}
<style>p { color: red }</style><!-- for us -->
"""
    assert list(untranslated(passed_over)) == []


def test_all_of_a_plain_text_is_shown() -> None:
    mail = '{% load i18n %}{% translate "Hello" %}\n\n<Sent> to {{ address }}'
    assert list(untranslated(mail, is_html=False)) == [(3, "<Sent> to")]
