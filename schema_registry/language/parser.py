"""From text to syntax tree, by the LALR grammar in `grammar.lark`.

Linear in the length of the text, without recursion. The grammar is read once, at first use.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from schema_registry.language.ast import (
    And,
    Calculation,
    Call,
    Comparison,
    Not,
    Operand,
    Or,
    Syntax,
    Test,
    end_of,
    size_of,
    start_of,
)
from schema_registry.language.diagnostics import syntax_error


def syntax_tree(text: str) -> Syntax:
    """The tree of the text; raises SubscriptionError where it does not follow the grammar."""
    reading = read(text)
    place = reading.stopped_at
    if place is None:
        try:
            tree: Syntax = reading.parser.feed_eof()  # type: ignore[no-untyped-call]
            return tree
        except UnexpectedInput:
            place = len(text)
    raise syntax_error(text, reading.tokens, place, reading.accepts())


@dataclass(frozen=True, slots=True)
class Reading:
    """The tokens as far as a text follows the grammar, and where it goes on otherwise; `stopped_at` is None
    when it does not."""

    tokens: list[Token]
    stopped_at: int | None
    parser: InteractiveParser

    def accepts(self) -> frozenset[str]:
        """The terminals that could come after the tokens. Linear in the tokens.

        The parser itself may have made reductions for the token that stopped it, so a fresh one is asked.
        """
        fresh = _grammar().parse_interactive("")
        for token in self.tokens:
            fresh.feed_token(token)
        return frozenset(fresh.accepts())  # type: ignore[no-untyped-call]


def read(text: str) -> Reading:
    """Reads a text that may be unfinished or wrong. Linear."""
    parser = _grammar().parse_interactive(text)
    tokens: list[Token] = []
    try:
        for token in parser.lexer_thread.lex(parser.parser_state):  # type: ignore[no-untyped-call]
            tokens.append(token)
            parser.parser_state.feed_token(token)
    except UnexpectedInput as error:
        if isinstance(error, UnexpectedToken) and tokens and tokens[-1] is error.token:
            tokens.pop()  # it was read, but not taken
        return Reading(tokens, error.pos_in_stream or 0, parser)
    return Reading(tokens, None, parser)


class _TreeBuilder(Transformer[Token, Syntax]):
    """Called by the parser as it reduces, so no parse tree is ever made."""

    def test(self, children: list[Token]) -> Test:
        attribute, operator, *values = children
        return Test(attribute, operator, tuple(values))

    def call(self, children: list[Token]) -> Call:
        operator, *arguments, closing = children
        return Call(operator, tuple(arguments), end_of(closing))

    def comparison(self, children: list[Any]) -> Comparison:
        left, comparator, right = children
        return Comparison(left, comparator, right)

    def calculation(self, children: list[Any]) -> Calculation:
        left, operator, right = children
        size = size_of(left) + size_of(right)
        return Calculation(operator, left, right, size, start_of(left), end_of(right))

    def parenthesised(self, children: list[Any]) -> Operand:
        opening, inside, closing = children
        start, end = start_of(opening), end_of(closing)
        if isinstance(inside, Calculation):
            return replace(inside, start=start, end=end)
        return Token(inside.type, str(inside), start_pos=start, end_pos=end)

    def negation(self, children: list[Syntax]) -> Syntax:
        (part,) = children
        return part.part if isinstance(part, Not) else Not(part)

    def all_of(self, children: list[Syntax]) -> Syntax:
        left, right = children
        return And((*left.parts, right) if isinstance(left, And) else (left, right))

    def any_of(self, children: list[Syntax]) -> Syntax:
        left, right = children
        return Or((*left.parts, right) if isinstance(left, Or) else (left, right))


@cache
def _grammar() -> Lark:
    options: dict[str, Any] = {"parser": "lalr", "lexer": "contextual", "maybe_placeholders": False}
    return Lark.open("grammar.lark", rel_to=__file__, transformer=_TreeBuilder(), **options)
