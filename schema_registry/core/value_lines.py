"""Values of a domain as people write them down: a list, an order, or a tree, one thing a line.

    furniture                      XVI | 16th century          XVI < XVII < XVIII
      table                        XVII
        dining table

A tree is an outline, or lines such as `dining table < table < furniture`, or both. `identifier | label` gives
a value its label. What cannot be read raises SchemaError with the number of its line; whether values and
labels are right is for `definitions` to say. O(length).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from schema_registry.core.errors import SchemaError
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import shown

BELOW, LABELLED = "<", "|"
_TAB = 4


@dataclass(slots=True)
class WrittenTree:
    """Values and their parents. A parent that has no line of its own is a root."""

    parents: dict[str, str | None] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    _lines: dict[str, int] = field(default_factory=dict)  # where each was placed; not those only mentioned

    def place(self, value: str, parent: str | None, line: int) -> None:
        if value in self._lines:
            message = _(
                "Line {line}: '{value}' stands in line {before} already. A value has one place in a tree;"
                " give one of them another identifier, and both the same label.",
                line=line,
                value=value,
                before=self._lines[value],
            )
            raise SchemaError(message)
        self._lines[value] = line
        self.parents[value] = parent
        if parent is not None:
            self.parents.setdefault(parent, None)


def tree_of(text: str) -> WrittenTree:
    tree = WrittenTree()
    open_levels: list[tuple[int, str]] = []
    for number, line in _lines(text):
        if BELOW in line:
            upwards = [_value(part, number, tree.labels) for part in line.split(BELOW)]
            for value, parent in pairwise(upwards):
                tree.place(value, parent, number)
            continue
        value = _value(line, number, tree.labels)
        expanded = line.expandtabs(_TAB)
        indent = len(expanded) - len(expanded.lstrip())
        while open_levels and open_levels[-1][0] >= indent:
            open_levels.pop()
        tree.place(value, open_levels[-1][1] if open_levels else None, number)
        open_levels.append((indent, value))
    return tree


def list_of(text: str) -> tuple[list[str], dict[str, str]]:
    """The values in their order, and the labels of those that have one."""
    labels: dict[str, str] = {}
    return [_value(line, number, labels) for number, line in _lines(text)], labels


def order_of(text: str) -> list[list[str]]:
    """The pairs (lower, higher) of rising lines."""
    pairs: dict[tuple[str, str], None] = {}
    for number, line in _lines(text):
        rising = [_value(part, number, {}) for part in line.split(BELOW)]
        if len(rising) < 2:
            message = _("Line {line}: an order needs a '<' between lower and higher.", line=number)
            raise SchemaError(message)
        pairs |= dict.fromkeys(pairwise(rising))
    return [list(pair) for pair in pairs]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, line


def _value(part: str, line: int, labels: dict[str, str]) -> str:
    value, bar, label = (each.strip() for each in part.partition(LABELLED))
    if not value or (bar and not label):
        raise SchemaError(_("Line {line}: something is missing in {part}.", line=line, part=shown(part)))
    if label:
        labels[value] = label
    return value
