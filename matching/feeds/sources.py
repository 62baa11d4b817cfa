"""Where a value comes from: a field or several joined, cleaned, taken apart where it holds several, and cast.

`compiled` makes one small function of all that. It takes the row and gives the value, None where the row has
none, and raises UnreadableError with a sentence.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from matching.feeds import taking
from matching.feeds.casts import (
    DROPPED,
    OPTIONS,
    Cast,
    CategoryCast,
    Money,
    MoneyCast,
    Reader,
    TextCast,
    read_cast,
)
from matching.feeds.cleaning import ALL_STEPS, STEPS
from matching.feeds.faults import Part
from matching.feeds.remembering import Remembering
from matching.feeds.taking import Row as Row
from schema_registry.core.domains import Domain
from schema_registry.core.sentences import gettext as _

FromRow = Callable[[Row], Any]

_WHERE = ("field", "fields", "joined_by", "key", "clean", "separator", "json_list")
_KNOWN = (*_WHERE, "cast", *dict.fromkeys(option for options in OPTIONS.values() for option in options))


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value in every row."""

    value: Any

    @property
    def fields(self) -> tuple[str, ...]:
        return ()

    def compiled(self, domain: Domain | None, site: Money) -> FromRow:
        return lambda row: self.value


@dataclass(frozen=True, slots=True)
class Source:
    """`names` are the fields; `key` takes a member of a JSON object; `joined_by` makes a list one string."""

    names: tuple[str, ...]
    joined_by: str | None = None
    key: str = ""
    clean: tuple[str, ...] = ALL_STEPS
    separator: str = ""
    json_list: bool = False
    cast: Cast = field(default_factory=TextCast)

    @property
    def fields(self) -> tuple[str, ...]:
        """All that it reads."""
        other = self.cast.currency_field if isinstance(self.cast, MoneyCast) else ""
        return (*self.names, other) if other else self.names

    def compiled(self, domain: Domain | None, site: Money) -> FromRow:
        read = self.cast.reader(domain, site)
        if isinstance(self.cast, MoneyCast) and self.cast.currency_field:
            return self._with_currency(read, self.cast.currency_field)
        if self.separator or self.json_list:
            taken_apart = (
                taking.listed(self.names[0], self.key, self.clean)
                if self.json_list
                else taking.split(self.names[0], self.key, self.clean, self.separator)
            )
            value = _several(taken_apart, read, self.joined_by)
        else:
            value = _single(self._taken(), read)
        if isinstance(self.cast, CategoryCast) and len(self.names) == 1:
            return remembered(value, self.names[0])
        return value

    def _taken(self) -> taking.Text:
        if len(self.names) == 1:
            return taking.field(self.names[0], self.key, self.clean)
        return taking.joined(self.names, self.key, self.clean, self.joined_by or "")

    def _with_currency(self, read: Reader, currency_field: str) -> FromRow:
        """The currency stands in a field of its own; it is put behind the amount, as if it had been there."""
        taken, currency = self._taken(), taking.field(currency_field, "", ALL_STEPS)

        def value(row: Row) -> Any:
            text, unit = taken(row), currency(row)
            return None if text is None else read(text if unit is None else f"{text} {unit}")

        return value


def remembered(value: FromRow, name: str) -> FromRow:
    """The same function of a row, which looks at this field alone, for a field that has few values."""
    ask = Remembering(lambda raw: value({name: raw}))

    def known(row: Row) -> Any:
        raw = row.get(name)
        return ask(raw) if raw else None

    return known


def read_source(part: Part, *, cast: str = "text", time_zone: str = "UTC") -> Source | Constant:
    """The source that the part describes; faults are noted."""
    if "constant" in part.raw:
        return _read_constant(part)
    part.only(("constant", *_KNOWN))
    if part.has("field") == part.has("fields"):
        part.note("", _("This needs 'field', or 'fields' and how they are 'joined_by', or 'constant'."))
    names = part.texts("fields") if part.has("fields") else (part.text("field"),)
    if part.has("separator") and part.has("json_list"):
        part.note("json_list", _("Values have a 'separator', or are a 'json_list'; they cannot be both."))
    is_list = part.has("separator") or part.has("json_list")
    if is_list and len(names) > 1:
        part.note("fields", _("Only a single field can hold several values."))
    joined_by = part.text("joined_by", blank=True) if part.has("joined_by") else None
    if joined_by is None and len(names) > 1:
        part.note("joined_by", _("Several fields need this: what stands between them."))
    if joined_by is not None and len(names) == 1 and not is_list:
        part.note("joined_by", _("There is nothing to join: this is one field with one value."))
    found = read_cast(part, cast, time_zone)
    if is_list and isinstance(found, MoneyCast) and found.currency_field:
        part.note("currency_field", _("Several sums cannot have their currency in another field."))
    clean = _read_clean(part)
    separator = part.text("separator", blank=True)
    return Source(names, joined_by, part.text("key"), clean, separator, part.flag("json_list"), found)


def _read_clean(part: Part) -> tuple[str, ...]:
    if part.raw.get("clean") == []:
        return ()
    named = part.texts("clean", ALL_STEPS)
    if wrong := [each for each in named if each not in STEPS]:
        steps = ", ".join(STEPS)
        part.note("clean", _("{wrong}: the steps are {steps}.", wrong=", ".join(wrong), steps=steps))
    return tuple(name for name in ALL_STEPS if name in named)


def _read_constant(part: Part) -> Constant:
    part.only(("constant",))
    value = part.raw["constant"]
    several = value if isinstance(value, list) else [value]
    if not several or any(each is None or isinstance(each, bool | dict | list) for each in several):
        part.note("constant", _("A constant is a string or a number, or a list of these."))
    return Constant(value)


def _single(taken: taking.Text, read: Reader) -> FromRow:
    if read is str:
        return taken

    def value(row: Row) -> Any:
        text = taken(row)
        if text is None:
            return None
        found = read(text)
        return None if found is DROPPED else found

    return value


def _several(taken: taking.Texts, read: Reader, joined_by: str | None) -> FromRow:
    def values(row: Row) -> Any:
        texts = taken(row)
        if joined_by is not None:
            texts = [joined_by.join(texts)] if texts else []
        found = [value for text in texts for value in _flat(read(text))]
        return (found if len(found) > 1 else found[0]) if found else None

    return values


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif value is not DROPPED:
        yield value
