"""A subscription's text as nested rows, which a form can show, and back.

A row is one test; a group joins its parts by "all of" or "any of"; either may be excluded. Groups are at most
three levels deep, for more nobody can follow in a form; what lies deeper, what a field cannot hold, and what
is said by operators and variables, unless it is as simple as a row (see `call_rows`), stays text. Everything
here is linear in the text, but for variables quadratic in the parts of a group.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from schema_registry.language.ast import (
    And,
    Call,
    Comparison,
    Not,
    Or,
    Syntax,
    Test,
    end_of,
    start_of,
    unquoted,
)
from schema_registry.language.call_rows import NUMBER, VARIABLE, CallRow, paired, variables_of
from schema_registry.language.limits import DEFAULT, Limits, check_text
from schema_registry.language.parser import syntax_tree
from schema_registry.language.spelling import spelled

MOST_LEVELS = 3
LONGEST_LINE = 80
_VALUES_TAKEN = {"exists": (0, 0), "between": (2, 2), "in": (1, None)}

Kind: TypeAlias = Literal["all", "any"]


@dataclass(frozen=True, slots=True)
class Row:
    """One test, its values as a person would type them, without quotes. In a form some may be missing."""

    attribute: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()
    negated: bool = False

    @property
    def is_complete(self) -> bool:
        least, most = _VALUES_TAKEN.get(self.operator, (1, 1))
        given = len(self.values)
        is_enough = given >= least and (most is None or given <= most) and all(self.values)
        return bool(self.attribute and self.operator) and is_enough


@dataclass(frozen=True, slots=True)
class Raw:
    """A part that a form cannot show, as text."""

    text: str


@dataclass(frozen=True, slots=True)
class Group:
    kind: Kind = "all"
    parts: tuple["Part", ...] = ()
    negated: bool = False


Part: TypeAlias = Row | CallRow | Group | Raw


def outline(text: str, *, limits: Limits = DEFAULT) -> Group:
    """The text as rows, tidied, never negated as a whole. Raises SubscriptionError for what is no syntax."""
    check_text(text, limits)
    return _shallow(tidied(Group("all", (_read(syntax_tree(text), text, frozenset()),))), MOST_LEVELS)


def tidied(group: Group) -> Group:
    """The same in the simplest form: nothing incomplete, no group of one, no `all` in an `all`."""
    part = _tidied(group)
    if isinstance(part, Group) and not part.negated:
        return part
    return Group("all", () if part is None else (part,))


def written(group: Group) -> str:
    """The text that a person would write; each part of a long one has a line of its own.

    What is incomplete is left out; the text of an empty group is empty.
    """
    whole = _with_own_variables(tidied(group))
    parts = [_inside(part, whole) for part in whole.parts]
    line = _joined(whole, parts)
    return line if len(line) <= LONGEST_LINE else _joined(whole, parts, space="\n")


def row_text(row: Row) -> str:
    """A complete row as it is written."""
    values = [value if NUMBER.fullmatch(value) else spelled(value) for value in row.values]
    match row.operator:
        case "in":
            constant = f" ({', '.join(values)})"
        case "between":
            constant = f" {values[0]} and {values[1]}"
        case _:
            constant = "".join(f" {value}" for value in values)
    return f"{'not ' if row.negated else ''}{row.attribute} {row.operator}{constant}"


def _read(tree: Syntax, text: str, elsewhere: frozenset[str] | None) -> Part:
    """The tree as it is, whatever its depth, which the limits bound.

    `elsewhere` are the variables of what holds together with it; None below a `not`, where calls mean
    something else.
    """
    match tree:
        case And(parts) if elsewhere is not None:
            return Group("all", tuple(_read_together(parts, text, elsewhere)))
        case And(parts):
            return Group("all", tuple(_read(part, text, None) for part in parts))
        case Or(parts):
            return Group("any", tuple(_read(part, text, elsewhere) for part in parts))
        case Not(part):
            return Group("all", (_read(part, text, None),), negated=True)
        case Call(operator=operator, end=end):
            return Raw(text[start_of(operator) : end])
        case Comparison(left=left, right=right):
            return Raw(text[start_of(left) : end_of(right)])
    return _row(tree)


def _read_together(parts: tuple[Syntax, ...], text: str, elsewhere: frozenset[str]) -> Iterator[Part]:
    own = {id(part): frozenset(variables_of(part)) for part in parts}
    uses = Counter(name for names in own.values() for name in names)
    for part, row in paired(parts, elsewhere):
        if row is None:
            names = own[id(part)]
            others = (name for name, count in uses.items() if count > (name in names))
            yield _read(part, text, elsewhere.union(others))
        else:
            yield row


def _row(test: Test) -> Part:
    values = tuple(unquoted(token) for token in test.values)
    row = Row(str(test.attribute), test.operator.lower(), values)
    return row if all(map(_fits_a_field, values)) else Raw(row_text(row))


def _fits_a_field(value: str) -> bool:
    """Whether a field of one line gives it back: empty ones count as missing, outer spaces are taken off."""
    return bool(value) and value == value.strip() and len(value.splitlines()) == 1


def _tidied(part: Part) -> Part | None:
    match part:
        case Row() | CallRow():
            return part if part.is_complete else None
        case Raw(text):
            return part if text.strip() else None
    kept = tuple(_flat(part.kind, filter(None, map(_tidied, part.parts))))
    if len(kept) != 1:
        return replace(part, parts=kept) if kept else None
    (only,) = kept
    if not part.negated:
        return only
    return (
        Group("all", (only,), negated=True)
        if isinstance(only, Raw | CallRow)
        else replace(only, negated=not only.negated)
    )


def _flat(kind: Kind, parts: Iterable[Part]) -> Iterable[Part]:
    for part in parts:
        if isinstance(part, Group) and part.kind == kind and not part.negated:
            yield from part.parts
        else:
            yield part


def _shallow(group: Group, levels: int) -> Group:
    """The group with so many levels at most, itself one of them."""

    def cut(part: Part) -> Part:
        if not isinstance(part, Group):
            return part
        return _shallow(part, levels - 1) if levels > 1 else Raw(_text(part))

    return replace(group, parts=tuple(map(cut, group.parts)))


def _text(part: Part) -> str:
    match part:
        case Row():
            return row_text(part)
        case CallRow():
            return str(part)
        case Raw(text):
            return text
    text = _joined(part, [_inside(each, part) for each in part.parts])
    return f"not ({text})" if part.negated else text


def _inside(part: Part, around: Group) -> str:
    """The part as it stands in a group: in parentheses, unless nobody could read it otherwise."""
    text = _text(part)
    is_compound = isinstance(part, Raw) or (isinstance(part, Group) and not part.negated)
    is_compound |= isinstance(part, CallRow) and around.kind == "any"
    return f"({text})" if is_compound and len(around.parts) > 1 else text


def _with_own_variables(group: Group) -> Group:
    """Each row with a variable that nothing else has: one that two had would join what they find."""
    used = {name for text in _raw_texts(group) for name in VARIABLE.findall(text)}

    def named(part: Part) -> Part:
        if isinstance(part, Group):
            return replace(part, parts=tuple(map(named, part.parts)))
        if not isinstance(part, CallRow):
            return part
        name, number = part.variable, 2
        while name in used:
            name, number = f"{part.variable}{number}", number + 1
        used.add(name)
        return part.with_variable(name)

    return replace(group, parts=tuple(map(named, group.parts)))


def _raw_texts(part: Part) -> Iterator[str]:
    if isinstance(part, Raw):
        yield part.text
    elif isinstance(part, Group):
        for each in part.parts:
            yield from _raw_texts(each)


def _joined(group: Group, parts: Iterable[str], *, space: str = " ") -> str:
    return f"{space}{'and' if group.kind == 'all' else 'or'} ".join(parts)
