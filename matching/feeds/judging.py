"""The verdict on a row of a feed: an event with all that storing it needs, or every reason against it.

The same core as live: the mapping makes an envelope, and from there it is read, validated and digested as if
a publisher had sent it. A row that cannot be mapped is told all that its fields lack, and nothing else; one
that can, all that its envelope and its event lack. An attribute that none of the row's event types has is
left out, since a mapping is for all the types of a site.

A judge is made once and costs O(mapping); judging costs O(size of the row), some 60 us for eight attributes.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from matching.envelopes import Envelope, InvalidEnvelope, read_envelope
from matching.feeds.amounts import UnreadableError
from matching.feeds.mapping import CORRUPT, FeedMapping
from matching.feeds.sources import FromRow, Row
from matching.readiness import made_ready
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.errors import InvalidEvent
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import printable

CORRUPT_RULE, MAPPING_RULE, ENVELOPE_RULE, UNJUDGED_RULE = "corrupt", "mapping", "envelope", "unjudged"


class Reject(NamedTuple):
    """One reason against a row. `rule` is corrupt, mapping, envelope, R1, R2, R3, changed or unjudged."""

    rule: str
    attribute: str
    message: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A row as an event: what the table of events needs, and the event itself for the matcher."""

    external_id: str
    revision: int | None
    digest: str
    schema_version: int
    document: str
    title: str
    url: str
    image_url: str
    ends_at: str | None
    event: Event


class Judge:
    """The mapping made into functions, for one schema."""

    def __init__(self, mapping: FeedMapping, schema: Schema) -> None:
        self._schema = schema
        self._types = mapping.event_types.compiled()
        self._envelope = [
            (name, source.compiled(None, mapping.money)) for name, source in mapping.envelope.items()
        ]
        self._attributes = [
            (name, source.compiled(schema.domain_of.get(name), mapping.money))
            for name, source in mapping.attributes.items()
        ]
        self._of_types: dict[tuple[str, ...], list[tuple[str, FromRow]]] = {}

    def judge(self, raw: Row) -> Judged | list[Reject]:
        """The verdict. `raw` has every field as a string; CORRUPT holds a line that could not be read."""
        if raw.get(CORRUPT) is not None:
            return [corrupt()]
        try:
            return self._verdict(raw)
        except MemoryError:
            raise
        except Exception as error:  # one row that we are not made for must not stop a million others
            return [unjudged(error)]

    def _verdict(self, raw: Row) -> Judged | list[Reject]:
        mapped = self.mapped(raw)
        if isinstance(mapped, list):
            return mapped
        try:
            envelope = read_envelope(mapped)
            event = self._schema.validate(envelope.event)
        except InvalidEnvelope as invalid:
            return [Reject(ENVELOPE_RULE, name, fault) for name, fault in invalid.faults.items()]
        except InvalidEvent as invalid:
            return [Reject(each.rule, each.attribute, each.message) for each in invalid.errors]
        return _judged(envelope, event)

    def mapped(self, raw: Row) -> dict[str, Any] | list[Reject]:
        """The envelope as a publisher would send it, or what cannot be mapped."""
        faults: list[Reject] = []
        types: tuple[str, ...] = ()
        try:
            types = self._types(raw)
        except UnreadableError as error:
            faults.append(Reject(MAPPING_RULE, EVENT_TYPE, str(error)))
        event: dict[str, Any] = {EVENT_TYPE: list(types)}
        envelope: dict[str, Any] = {}
        for readers, values in ((self._envelope, envelope), (self._readers_of(types), event)):
            for name, read in readers:
                try:
                    value = read(raw)
                except UnreadableError as error:
                    faults.append(Reject(MAPPING_RULE, name, str(error)))
                else:
                    if value is not None:
                        values[name] = value
                    elif name == "revision":
                        faults.append(Reject(MAPPING_RULE, name, _("The revision is missing.")))
        envelope["event"] = event
        return list(dict.fromkeys(faults)) or envelope  # a title may be an attribute too: told once

    def _readers_of(self, types: tuple[str, ...]) -> list[tuple[str, FromRow]]:
        """Those of the attributes that these types have, and of names that the schema lacks."""
        if (readers := self._of_types.get(types)) is None:
            kinds = [kind for name in types if (kind := self._schema.event_types.get(name)) is not None]
            readers = self._of_types[types] = [
                (name, read)
                for name, read in self._attributes
                if name not in self._schema.attributes
                or not kinds
                or any(name in kind.attributes for kind in kinds)
            ]
        return readers


def corrupt() -> Reject:
    """Of a line that no reader could take apart."""
    return Reject(CORRUPT_RULE, "", _("This line is broken: it is not a whole row of the file's format."))


def unjudged(error: Exception) -> Reject:
    """Of a row that stumbled over a fault of ours; it is told, so that we hear of it."""
    fault = printable(f"{type(error).__name__}: {error}")
    return Reject(UNJUDGED_RULE, "", _("This row cannot be judged ({fault}).", fault=fault))


def _judged(envelope: Envelope, event: Event) -> Judged:
    ready = made_ready(envelope, event)
    return Judged(
        envelope.external_id,
        envelope.revision,
        ready.digest,
        ready.schema_version,
        ready.document,
        envelope.title,
        envelope.url,
        envelope.image_url,
        None if envelope.ends_at is None else envelope.ends_at.isoformat(),
        event,
    )
