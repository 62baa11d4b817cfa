"""What the form of a search sends: its rows as fields, the text beside them, and the button that was pressed.

The tree of rows is in the names of the fields. A part has a path: the whole is `0`, its second part `0.1`,
the first part of that `0.1.0`. Each part says by `is.<path>` what it is: `row`, `raw`, or a group, which is
`all`, `any`, `none` or `not-all`. A row has `attribute.<path>`, `operator.<path>`, `value.<path>` for each
value, `not.<path>` when it is excluded, and `was.<path>`, the attribute for which its values were asked. A
row that calls an operator has more, see `search_calls`. What is raw has `raw.<path>`. Numbers in paths may
have gaps.

`do` is the button: a verb and the path of the part at which it stands, `remove 0.1`. `text` is the search as
text and `text_was` the text that was shown with these rows: they tell which of the two somebody has changed.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

from django.http import QueryDict

from notifications.pages import search_calls
from notifications.pages.search_size import check_size
from notifications.pages.search_words import operators_of
from schema_registry.core.schema import Schema
from schema_registry.language.call_rows import CallRow
from schema_registry.language.outline import MOST_LEVELS, Group, Kind, Part, Raw, Row

Path = tuple[int, ...]
ROOT: Path = (0,)
NEW_SEARCH = Group("all", (Row(),))
_GROUPS: dict[str, tuple[Kind, bool]] = {
    "all": ("all", False),
    "any": ("any", False),
    "none": ("any", True),
    "not-all": ("all", True),
}
GROUP_NAMES = {meaning: name for name, meaning in _GROUPS.items()}
_LONGEST_PATH = 4 * MOST_LEVELS + 4


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button: what to do, and at which part."""

    verb: str = "show"
    path: Path = ROOT


@dataclass(frozen=True, slots=True)
class Posted:
    """`group` are the rows as they were sent, done or not."""

    group: Group
    text: str
    is_text_changed: bool
    pressed: Pressed


def read(fields: QueryDict, schema: Schema) -> Posted:
    """Raises TooLarge for more rows, or longer ones, than a search has."""
    text, before = (_lines(fields.get(name, "")) for name in ("text", "text_was"))
    group = _group(fields, schema)
    check_size(group)
    return Posted(group, text, text != before, _pressed(fields.get("do", "")))


def done(group: Group, pressed: Pressed) -> tuple[Group, Path | None]:
    """The rows after the button was pressed, and the part where one goes on. Unknown paths do nothing."""
    at = _part_at(group, pressed.path)
    if pressed.verb == "remove" and at is not None and pressed.path != ROOT:
        return _changed(group, pressed.path, lambda part: None), _beside(group, pressed.path)
    if not isinstance(at, Group):
        return group, None
    added: Part | None = Row() if pressed.verb == "add-row" else None
    if pressed.verb.startswith("add-") and pressed.verb.removeprefix("add-") in _GROUPS:
        kind, negated = _GROUPS[pressed.verb.removeprefix("add-")]
        if len(pressed.path) < MOST_LEVELS:
            added = Group(kind, (Row(),), negated)
    if added is None:
        return group, None
    after = _changed(group, pressed.path, lambda part: _with(part, added))
    new = (*pressed.path, len(at.parts))
    return after, (*new, 0) if isinstance(added, Group) else new


def path_text(path: Path) -> str:
    return ".".join(map(str, path))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _pressed(raw: str) -> Pressed:
    verb, _, place = raw.partition(" ")
    return Pressed(verb or "show", _path(place) or ROOT)


def _path(raw: str) -> Path | None:
    numbers = raw.split(".") if len(raw) <= _LONGEST_PATH else []
    if not all(number.isascii() and number.isdigit() for number in numbers):
        return None
    return tuple(map(int, numbers)) or None


def _group(fields: QueryDict, schema: Schema) -> Group:
    below: dict[Path, list[int]] = defaultdict(list)
    for name in fields:
        if name.startswith("is.") and (path := _path(name[3:])) is not None:
            below[path[:-1]].append(path[-1])

    def part(path: Path) -> Part | None:
        name = path_text(path)
        what = fields.get(f"is.{name}")
        if what == "row":
            return _row(fields, name, schema)
        if what == "raw":
            return Raw(_lines(fields.get(f"raw.{name}", "")))
        if what in _GROUPS and len(path) <= MOST_LEVELS:
            kind, negated = _GROUPS[what]
            parts = (part((*path, number)) for number in sorted(below[path]))
            return Group(kind, tuple(filter(None, parts)), negated)
        return None

    whole = part(ROOT)
    return (
        whole if isinstance(whole, Group) and not whole.negated else Group("all", (whole,) if whole else ())
    )


def _row(fields: QueryDict, name: str, schema: Schema) -> Row | CallRow:
    attribute = _attribute(fields.get(f"attribute.{name}", ""), schema)
    if attribute and (called := search_calls.named(attribute, schema)):
        return search_calls.read(fields, name, called, schema)
    operator = fields.get(f"operator.{name}", "")
    values = tuple(value.strip() for value in fields.getlist(f"value.{name}"))
    domain = schema.domain_of.get(attribute)
    was = fields.get(f"was.{name}", "")
    if attribute != was and domain is not None:
        if domain is not schema.domain_of.get(was):
            values = ()
        if operator not in domain.operators:
            operator = next(iter(operators_of(domain)))
    return Row(attribute, operator, _fitting(operator, values), f"not.{name}" in fields)


def _attribute(typed: str, schema: Schema) -> str:
    """What is typed may be the name as people read it, with blanks."""
    exactly = typed.replace(" ", "_")
    return exactly if exactly in schema.domain_of else "_".join(typed.split())


def _fitting(operator: str, values: tuple[str, ...]) -> tuple[str, ...]:
    given = tuple(dict.fromkeys(filter(None, values)))
    match operator:
        case "exists":
            return ()
        case "in":
            return given
        case "between":
            return (*values, "", "")[:2]
    return given[-1:]


def _part_at(part: Part, path: Path) -> Part | None:
    """The part at a path, the first number of which is the part itself."""
    for number in path[1:]:
        if not isinstance(part, Group) or number >= len(part.parts):
            return None
        part = part.parts[number]
    return part


def _changed(group: Group, path: Path, change: Callable[[Part], Part | None]) -> Group:
    """The group with another part at the path; None takes it away."""

    def at(part: Part, rest: Path) -> Part | None:
        if not rest or not isinstance(part, Group):
            return change(part)
        parts = [at(each, rest[1:]) if n == rest[0] else each for n, each in enumerate(part.parts)]
        return replace(part, parts=tuple(filter(None, parts)))

    after = at(group, path[1:])
    assert isinstance(after, Group)
    return after


def _with(part: Part, added: Part) -> Part:
    assert isinstance(part, Group)
    return replace(part, parts=(*part.parts, added))


def _beside(group: Group, path: Path) -> Path:
    """Where one goes on when this part is gone: what takes its place, else the group around it."""
    around = _part_at(group, path[:-1])
    assert isinstance(around, Group)
    return path if path[-1] + 1 < len(around.parts) else path[:-1]
