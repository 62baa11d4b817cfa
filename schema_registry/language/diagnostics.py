"""Sentences for people whose subscription does not follow the grammar.

The parser says where it stopped, what it had read and what it could have taken next; a list of rules,
the most telling first, turns that into one piece of advice. Work is linear in the text.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lark import Token

from schema_registry.core.definitions import KEYWORDS
from schema_registry.core.domains import OPERATORS
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.nearest import nearest
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_lazy
from schema_registry.core.wording import printable

_VALUES = ("NUMBER", "STRING", "WORD", "FIGURE")
_IN_A_CALL = frozenset({"COMMA", "RPAR"})  # all that may follow an argument
_IN_WORDS = {
    "NAME": gettext_lazy("an attribute"),
    "NUMBER": gettext_lazy("a value"),
    "STRING": gettext_lazy("a value"),
    "WORD": gettext_lazy("a value"),
    "FIGURE": gettext_lazy("a value"),
    "VARIABLE": gettext_lazy("a variable"),
    "ADDITIVE": "+ -",
    "MULTIPLICATIVE": "* /",
    "COMPARATOR": gettext_lazy("a comparison (= != < <= > >=)"),
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "COMMA": "','",
    "$END": gettext_lazy("the end"),
}
_FOREIGN = {
    "==": "=",
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "&&": "and",
    "&": "and",
    "||": "or",
    "|": "or",
    "!": "not",
    ";": "and",
}
_FOREIGN_WORDS = {
    "is": "=",
    "equals": "=",
    "like": "contains",
    "has": "contains",
    "includes": "contains",
    "under": "<",
    "over": ">",
}
_CURLY_QUOTES = "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb`\u00b4"
_STRING = re.compile(r"""'(?:[^']|'')*+'|"(?:[^"]|"")*+["]""")
ATTRIBUTE_NAME = re.compile(r"[^\W\d]\w*")
_TO_THE_NEXT_ARGUMENT = re.compile(r"[^,()\n]*")
_PIECE = re.compile(r"\s*([^\s()\[\],<>=!'\"]+|.|$)", re.DOTALL)


class Advice(NamedTuple):
    """A sentence; what to write instead; and the stretch of text to replace, if not the one found."""

    message: str
    suggestion: str | None = None
    stretch: tuple[int, int] | None = None


class Stop(NamedTuple):
    """Where the parser stopped: what it had read, what stands there, what it could have taken."""

    text: str
    tokens: Sequence[Token]
    place: int
    accepts: frozenset[str]

    @property
    def last(self) -> Token | None:
        return self.tokens[-1] if self.tokens else None

    @property
    def found(self) -> str:
        """The word or the character at the place; empty at the end of the text."""
        piece = _PIECE.match(self.text, self.place)
        return piece[1] if piece else ""


def error_at(
    text: str,
    start: int,
    end: int,
    message: str,
    *,
    expected: Sequence[str] = (),
    suggestion: str | None = None,
) -> SubscriptionError:
    """The error about text[start:end]."""
    return SubscriptionError(
        message,
        text=text,
        line=text.count("\n", 0, start) + 1,
        column=start - text.rfind("\n", 0, start),
        length=max(1, end - start),
        expected=expected,
        suggestion=suggestion,
    )


def syntax_error(
    text: str, tokens: Sequence[Token], place: int, accepts: frozenset[str]
) -> SubscriptionError:
    """The error for a text of which the parser read these tokens and stopped at the place."""
    while place < len(text) and text[place].isspace():
        place += 1
    stop = Stop(text, tokens, place, accepts)
    advice = next(advice for rule in _RULES if (advice := rule(stop)) is not None)
    start, end = advice.stretch or (place, place + len(stop.found))
    return error_at(
        text, start, end, advice.message, expected=_in_words(accepts), suggestion=advice.suggestion
    )


def quoted(value: str) -> str:
    """The value in single quotes, the quotes inside doubled."""
    return "'" + value.replace("'", "''") + "'"


def _in_words(accepts: frozenset[str]) -> tuple[str, ...]:
    left_out: frozenset[str] = frozenset()
    if "_NOT" in accepts:  # a predicate begins: most begin with an attribute
        left_out = frozenset({"FIGURE", "STRING", "VARIABLE"})
    elif "EXISTS" in accepts:  # after an attribute: only that of an operator takes a parenthesis
        left_out = frozenset({"LPAR"})
    words = {str(_IN_WORDS.get(terminal, terminal.strip("_").lower())) for terminal in accepts - left_out}
    return tuple(sorted(words))


def _nothing_there(stop: Stop) -> Advice | None:
    if stop.text.strip(" \t\r\n[]()"):
        return None
    return Advice(_("The text is empty: write at least one predicate, such as price <= 200."))


def _quotes(stop: Stop) -> Advice | None:
    if stop.found not in ("'", '"'):
        return None
    closed = _STRING.match(stop.text, stop.place)
    if closed is None:
        message = _(
            "This quote is never closed; a {quote} inside a value is written twice.", quote=stop.found
        )
        return Advice(message, stretch=(stop.place, len(stop.text)))
    if stop.last is not None and stop.last.type in _VALUES and stop.last.end_pos == stop.place:
        message = _(
            "A value with a {quote} inside takes quotes, and the one inside is written twice.",
            quote=stop.found,
        )
        return Advice(message, stretch=(_start(stop.last), stop.place + 1))
    expected = ", ".join(_in_words(stop.accepts))
    message = _("A value in quotes cannot stand here; what can: {expected}.", expected=expected)
    return Advice(message, stretch=closed.span())


def _quoted_attribute(stop: Stop) -> Advice | None:
    """`'price' contains 5`: what is in quotes was taken for a value beside a variable."""
    last = stop.last
    if last is None or last.type != "STRING" or "COMPARATOR" not in stop.accepts:
        return None
    name = last[1:-1]
    suggestion = name if ATTRIBUTE_NAME.fullmatch(name) else None
    stretch = (_start(last), _start(last) + len(last))
    return Advice(_("An attribute is written without quotes."), suggestion, stretch)


def _keyword_for_an_attribute(stop: Stop) -> Advice | None:
    """`and price < 5`, `exists price`."""
    word = stop.found
    if "_NOT" not in stop.accepts or word.lower() not in KEYWORDS:
        return None
    if word.lower() in ("and", "or"):
        message = _("'{word}' stands between two predicates; before this one there is none.", word=word)
        return Advice(message, "")
    after = _PIECE.match(stop.text, stop.place + len(word))
    if word.lower() == "exists" and after is not None and _is_a_name(after[1]):
        swapped = f"{after[1]} exists"
        message = _("'{word}' comes after its attribute: {example}.", word=word, example=printable(swapped))
        return Advice(message, swapped, (stop.place, after.end()))
    return Advice(_("'{word}' comes after an attribute, and here is none.", word=word))


def _is_a_name(word: str) -> bool:
    return ATTRIBUTE_NAME.fullmatch(word) is not None and word.lower() not in KEYWORDS


def _curly_quotes(stop: Stop) -> Advice | None:
    if not stop.found or stop.found[0] not in _CURLY_QUOTES:
        return None
    inside = re.compile(f"[^{_CURLY_QUOTES}\n]*").match(stop.text, stop.place + 1)
    end = inside.end() if inside else stop.place + 1
    value = quoted(stop.text[stop.place + 1 : end].strip())
    stretch = (stop.place, min(end + 1, len(stop.text)))
    message = _("Use straight quotes around values: {value}.", value=printable(value))
    return Advice(message, value, stretch)


def _foreign_symbol(stop: Stop) -> Advice | None:
    before = stop.last if stop.last is not None and stop.last.type == "COMPARATOR" else ""
    start = stop.place - len(before) if before and stop.text[: stop.place].endswith(before) else stop.place
    for length in (2, 1):
        symbol = stop.text[start : start + length]
        inside_a_word = length == 1 and stop.text[start - 1 : start].isalnum()
        if len(symbol) == length and symbol in _FOREIGN and not inside_a_word:
            meant = _FOREIGN[symbol]
            message = _("Write '{meant}' in place of '{symbol}'.", meant=meant, symbol=symbol)
            return Advice(message, meant, (start, start + length))
    return None


def _variable(stop: Stop) -> Advice | None:
    if not stop.found.startswith("?"):
        return None
    if not _is_a_name(stop.found[1:2]):
        return Advice(_("A variable is a name after a question mark, such as ?x."))
    if "VARIABLE" not in stop.accepts and stop.last is not None and stop.last.type == "COMPARATOR":
        return Advice(_("An attribute is compared with a value; variables are compared with one another."))
    return None


def _text_in_a_call(stop: Stop) -> Advice | None:
    """`distance(location, New York, ?km)`, `p(2024-05-01)`."""
    last = stop.last
    if last is None or last.type not in ("NAME", "FIGURE") or not stop.accepts <= _IN_A_CALL:
        return None
    inside = _TO_THE_NEXT_ARGUMENT.match(stop.text, _start(last))
    if inside is None or inside.end() <= stop.place or stop.found[:1] in ("<", ">", "=", "!"):
        return None
    value = inside[0].strip()
    stretch = (_start(last), _start(last) + len(value))
    if "'" in value or '"' in value:
        return Advice(_("A comma stands between the arguments of an operator."), None, stretch)
    message = _("A text in a call is in quotes: {value}.", value=printable(quoted(value)))
    return Advice(message, quoted(value), stretch)


def _word_beside_a_variable(stop: Stop) -> Advice | None:
    """`?city = Lyon`, `200 >= price`."""
    if not _is_a_name(stop.found) or "VARIABLE" not in stop.accepts or "NAME" in stop.accepts:
        return None
    value = quoted(stop.found)
    message = _(
        "A text is in quotes here, {value}; an attribute stands on the left of its comparison.",
        value=printable(value),
    )
    return Advice(message, value)


def _late_not(stop: Stop) -> Advice | None:
    if stop.found.lower() != "not" or stop.last is None or stop.last.type != "NAME":
        return None
    name = stop.last
    return Advice(_("Write not before the attribute."), f"not {name}", (_start(name), stop.place + 3))


def _unknown_operator(stop: Stop) -> Advice | None:
    word = stop.found
    if stop.last is None or stop.last.type != "NAME" or not word[:1].isalpha() or word.lower() in KEYWORDS:
        return None
    meant = _FOREIGN_WORDS.get(word.lower()) or nearest(word.lower(), OPERATORS)
    hint = " " + _("Did you mean {operator}?", operator=meant) if meant else ""
    return Advice(_("'{word}' is not an operator.", word=printable(word)) + hint, meant)


def _several_words(stop: Stop) -> Advice | None:
    """`dining table` without quotes, a number with a unit, or a missing `and`."""
    last = stop.last
    if last is None or last.type not in ("WORD", "NUMBER", "FIGURE") or not stop.found[:1].isalnum():
        return None
    words, place = [str(last)], stop.place
    while len(words) < 10 and (piece := _PIECE.match(stop.text, place)) is not None:
        if piece[1].lower() in OPERATORS or piece[1][:1] in ("<", ">", "=", "!"):
            words.pop()  # the last word is the attribute of another predicate
            break
        if not piece[1][:1].isalnum() or piece[1].lower() in KEYWORDS:
            break
        words.append(piece[1])
        place = piece.end()
    if len(words) == 1:
        return Advice(_("Two predicates are joined by 'and' or by 'or'."), "and", (stop.place, stop.place))
    if last.type != "WORD":
        found = printable(stop.found)
        message = _("A number stands alone, without {found}; several words take quotes.", found=found)
        return Advice(message, str(last), (_start(last), stop.place + len(stop.found)))
    value = quoted(" ".join(words))
    message = _("A value of several words needs quotes: {value}.", value=printable(value))
    return Advice(message, value, (_start(last), place))


def _comma(stop: Stop) -> Advice | None:
    if stop.found != "," or stop.last is None or "VARIABLE" in stop.accepts:
        return None
    digits = re.match(r"\d{3}\b", stop.text[stop.place + 1 :])
    if stop.last.type in ("NUMBER", "FIGURE") and digits:
        value = f"{stop.last}{digits[0]}"
        stretch = (_start(stop.last), stop.place + 4)
        return Advice(_("Write numbers without separators: {value}.", value=value), value, stretch)
    message = _("A comma stands only between the values of in (...); predicates are joined by and.")
    return Advice(message, "and")


def _parentheses(stop: Stop) -> Advice | None:
    if stop.found == ")" and "RPAR" not in stop.accepts and stop.accepts & {"_AND", "$END"}:
        return Advice(_("There is no '(' for this ')'."), "")
    if stop.found == "" and "RPAR" in stop.accepts:
        opened = []
        for token in stop.tokens:
            if token.type == "LPAR":
                opened.append(_start(token))
            elif token.type == "RPAR":
                opened.pop()
        return Advice(_("This '(' is never closed."), stretch=(opened[-1], opened[-1] + 1))
    return None


def _square_brackets(stop: Stop) -> Advice | None:
    if stop.found in ("[", "]"):
        return Advice(_("Square brackets stand only around the whole text; use ( and ) inside."), None)
    if stop.found == "" and "RSQB" in stop.accepts:
        return Advice(_("The '[' at the beginning is never closed."), "]")
    return None


def _keyword_for_a_value(stop: Stop) -> Advice | None:
    if stop.found.lower() not in KEYWORDS or not stop.accepts & set(_VALUES):
        return None
    value = quoted(stop.found)
    message = _(
        "A value is missing here; if the word {word} is meant, write {value}.", word=stop.found, value=value
    )
    return Advice(message, value)


def _strange_character(stop: Stop) -> Advice | None:
    character = stop.found[:1]
    if character in ("*", "/") and stop.accepts & {"VARIABLE", "ADDITIVE"}:  # here it may stand, but not so
        return None
    if not character or character.isalnum() or character in "_()<>=!+-.,?":
        return None
    if unicodedata.category(character) == "Sc":
        message = _("Write the number alone, without {character}.", character=character)
        return Advice(message, stop.found[1:], None)
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    message = _("The character {character} can stand only inside quotes.", character=shown)
    return Advice(message, None, (stop.place, stop.place + 1))


def _something_else(stop: Stop) -> Advice | None:
    expected = ", ".join(_in_words(stop.accepts))
    if stop.found == "":
        return Advice(_("The text ends too early; what can follow: {expected}.", expected=expected))
    found = printable(stop.found)
    return Advice(_("'{found}' cannot stand here; what can: {expected}.", found=found, expected=expected))


def _start(token: Token) -> int:
    return token.start_pos or 0


_RULES: tuple[Callable[[Stop], Advice | None], ...] = (
    _nothing_there,
    _text_in_a_call,
    _quotes,
    _curly_quotes,
    _quoted_attribute,
    _keyword_for_an_attribute,
    _foreign_symbol,
    _variable,
    _word_beside_a_variable,
    _late_not,
    _unknown_operator,
    _several_words,
    _comma,
    _parentheses,
    _square_brackets,
    _keyword_for_a_value,
    _strange_character,
    _something_else,
)
