"""Taking strings out of rows: a field, a member of the JSON in it, several joined, one taken apart.

Each function here makes a function of the row. What it gives is cleaned; a blank string is missing. A field
with characters that could not be read raises UnreadableError.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from matching.feeds.amounts import UnreadableError
from matching.feeds.cleaning import ALL_STEPS, UNREADABLE_CHARACTER, cleaner, unescaped
from schema_registry.core.sentences import gettext as _

Row = Mapping[str, str | None]
Text = Callable[[Row], str | None]
Texts = Callable[[Row], list[str]]


def field(name: str, key: str, steps: tuple[str, ...]) -> Text:
    """The cleaned string of one field, or of the member of the JSON object in it; None where it is blank."""
    clean = cleaner(steps)

    def usual(raw: str) -> str:  # `clean` with all steps, written out: most fields of a row come here
        if "&" in raw:
            raw = unescaped(raw)
        return " ".join(raw.split())

    def member(raw: str) -> str | None:
        holder = _json(raw, name)
        value = holder.get(key) if isinstance(holder, dict) else None
        return None if value is None else clean(_plain(value, name))

    read: Callable[[str], str | None] = member if key else usual if steps == ALL_STEPS else clean

    def text(row: Row) -> str | None:
        raw = row.get(name)
        if not raw:
            return None
        if UNREADABLE_CHARACTER in raw:
            raise _miscoded(name)
        return read(raw) or None

    return text


def joined(names: tuple[str, ...], key: str, steps: tuple[str, ...], glue: str) -> Text:
    """The strings of several fields; None if one is missing."""
    parts = [field(name, key, steps) for name in names]

    def together(row: Row) -> str | None:
        texts = [part(row) for part in parts]
        return None if None in texts else glue.join(text for text in texts if text)

    return together


def split(name: str, key: str, steps: tuple[str, ...], separator: str) -> Texts:
    """Entities are decoded before, since they end with a semicolon; space goes after, it may separate."""
    before = tuple(step for step in steps if step == "entities")
    taken = field(name, key, before)
    clean = cleaner(tuple(step for step in steps if step not in before))

    def pieces(row: Row) -> list[str]:
        text = taken(row)
        return [piece for piece in map(clean, text.split(separator)) if piece] if text else []

    return pieces


def listed(name: str, key: str, steps: tuple[str, ...]) -> Texts:
    """The values of a JSON list. Entities are decoded after it is read: &quot; must not end its strings."""
    taken, clean = field(name, key, ()), cleaner(steps)

    def values(row: Row) -> list[str]:
        text = taken(row)
        if text is None:
            return []
        found = _json(text, name)
        given = found if isinstance(found, list) else [found]
        cleaned = [clean(_plain(value, name)) for value in given if value is not None]
        return [value for value in cleaned if value]

    return values


def _plain(value: Any, name: str) -> str:
    """What a JSON value is as the string of a field. Half a surrogate pair cannot be stored anywhere."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _miscoded(name) from None
    return text


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text, parse_float=_Exact, parse_int=_Exact)
    except (ValueError, RecursionError):
        raise UnreadableError(_("The field '{name}' does not hold JSON.", name=name)) from None


class _Exact(str):
    """A number of the JSON as it is written."""

    __slots__ = ()


def _miscoded(name: str) -> UnreadableError:
    return UnreadableError(
        _(
            "The field '{name}' has characters that could not be read:"
            " the file has another encoding than the mapping says, or was damaged.",
            name=name,
        )
    )
