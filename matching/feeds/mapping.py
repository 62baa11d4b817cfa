"""A site's mapping: from the fields of its feed to envelopes and events, declared as JSON.

`FeedMapping.from_dict` checks the whole and tells all faults at once, each with its path; `faults_with` says
what does not fit a schema. A mapping is a value; `Judge` makes functions of it.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from matching.feeds import fitting, moments
from matching.feeds.amounts import UnreadableError as UnreadableError
from matching.feeds.casts import DateCast, Money
from matching.feeds.event_types import EventTypes, read_event_types
from matching.feeds.faults import InvalidMapping as InvalidMapping
from matching.feeds.faults import Part
from matching.feeds.sources import Constant, Source, read_source
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _

CORRUPT = "_corrupt_record"
"""The field in which readers put a line that they could not take apart."""

PEOPLE_SEE = ("title", "url", "image_url")
_SECTIONS = (
    *("format", "currency", "rates", "currencies", "time_zone", "external_id", "revision"),
    *PEOPLE_SEE,
    *("ends_at", EVENT_TYPE, "attributes"),
)
ENCODINGS = ("UTF-8", "ISO-8859-1", "windows-1252")  # in which a line ends with the byte of a newline


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How files are written: the encoding of CSV and JSON Lines, the delimiter and the quote of CSV."""

    delimiter: str = ","
    quote: str = '"'
    encoding: str = "UTF-8"


@dataclass(frozen=True, slots=True)
class FeedMapping:
    """`envelope` gives external_id, revision, title, url, image_url and ends_at, those that there are."""

    format: FileFormat
    money: Money
    envelope: Mapping[str, Source | Constant]
    event_types: EventTypes
    attributes: Mapping[str, Source | Constant]
    _document: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def from_dict(cls, document: object) -> "FeedMapping":
        """The mapping that the JSON object describes. O(size); raises InvalidMapping with all faults."""
        faults: dict[str, str] = {}
        whole = Part(document, "", faults)
        if not faults:
            whole.only(_SECTIONS)
            _note_missing(whole)
        mapping = cls(
            _read_format(whole),
            _read_money(whole),
            MappingProxyType(_read_envelope(whole)),
            read_event_types(whole.part(EVENT_TYPE)) if whole.has(EVENT_TYPE) else EventTypes(),
            MappingProxyType(_read_attributes(whole)),
            _plain(whole.raw),
        )
        if faults:
            raise InvalidMapping(faults)
        return mapping

    def to_dict(self) -> dict[str, Any]:
        """The JSON object that it was read from."""
        return copy.deepcopy(dict(self._document))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the feed that it reads, sorted."""
        sources = (*self.envelope.values(), *self.attributes.values())
        used = {name for source in sources for name in source.fields}
        return tuple(sorted(used.union(self.event_types.fields)))

    @property
    def has_revision(self) -> bool:
        return "revision" in self.envelope

    def faults_with(self, schema: Schema) -> dict[str, str]:
        """What does not fit the schema, by path; empty if all does. O(size of the mapping)."""
        return fitting.faults(self.event_types, self.attributes, self.money, schema)


def _note_missing(whole: Part) -> None:
    for name in ("external_id", EVENT_TYPE, "attributes"):
        if not whole.has(name):
            whole.note(name, _("This is required."))


def _read_format(whole: Part) -> FileFormat:
    if not whole.has("format"):
        return FileFormat()
    part = whole.part("format")
    part.only(("delimiter", "quote", "encoding"))
    marks = {
        "delimiter": part.text("delimiter", ",", blank=True),
        "quote": part.text("quote", '"', blank=True),
    }
    for name, mark in marks.items():
        if len(mark) != 1 or mark in "\r\n\0":
            part.note(name, _("This must be one character, and not the end of a line."))
    if marks["delimiter"] == marks["quote"]:
        part.note("quote", _("The quote must differ from the delimiter."))
    return FileFormat(**marks, encoding=part.choice("encoding", ENCODINGS, "UTF-8"))


def _read_money(whole: Part) -> Money:
    rates: dict[str, Decimal] = {}
    if whole.has("rates"):
        part = whole.part("rates")
        rates = {name.upper(): part.positive(name) for name in part.raw}
    symbols: dict[str, str] = {}
    if whole.has("currencies"):
        part = whole.part("currencies")
        symbols = {"".join(name.split()).upper(): part.required(name).upper() for name in part.raw}
    target = whole.text("currency", "EUR").upper()
    return Money(target, MappingProxyType(rates), MappingProxyType(symbols))


def _read_envelope(whole: Part) -> dict[str, Source | Constant]:
    zone = moments.zone(whole, "time_zone", "UTC")
    read: dict[str, Source | Constant] = {}
    for name in ("external_id", "revision", *PEOPLE_SEE, "ends_at"):
        if whole.has(name):
            part = whole.part(name)
            cast = {"revision": "number", "ends_at": "date"}.get(name, "text")
            source = read[name] = read_source(part, cast=cast, time_zone=zone)
            if isinstance(source, Constant) and name in ("external_id", "revision"):
                part.note("", _("This must differ from item to item, so it cannot be a constant."))
            elif isinstance(source, Source) and source.cast.name != cast:
                part.note("cast", _("The cast of this is {cast}.", cast=cast))
            elif (
                isinstance(source, Source)
                and isinstance(source.cast, DateCast)
                and source.cast.gives != "moment"
            ):
                part.note("gives", _("This must be a moment."))
    return read


def _read_attributes(whole: Part) -> dict[str, Source | Constant]:
    if not whole.has("attributes"):
        return {}
    zone = moments.zone(whole, "time_zone", "UTC")
    part = whole.part("attributes")
    if EVENT_TYPE in part.raw:
        part.note(EVENT_TYPE, _("This has a section of its own, beside 'attributes'."))
    return {name: read_source(part.part(name), time_zone=zone) for name in part.raw if name != EVENT_TYPE}


def _plain(value: Any) -> Any:
    """A copy in which decimals are numbers that JSON can write."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
