"""What we would say to an event that somebody pastes: everything that is wrong with it, or how we read it.

It is read as the API reads a body, with the same limits but for its size, and checked by the same code.
Unlike the API it goes on to the event when its envelope is wrong, so that all faults are told at once.
Nothing is stored.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from matching.dry_run import NoCount, match_count
from matching.envelopes import Envelope, InvalidEnvelope, read_envelope
from matching.events_in_words import attributes_in_words
from matching.intake import foreseen
from matching.readiness import Ready, made_ready
from matching.revisions import ChangedBody
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InvalidEvent, InvalidJson, SchemaError
from schema_registry.core.event_views import View
from schema_registry.core.events import Event
from schema_registry.core.json_input import read_json
from schema_registry.core.schema import Schema
from schema_registry.event_examples import as_json
from schema_registry.selectors import current_schema, view_of

MOST_BYTES = 200_000
_BARE = "playground"  # the name of an item that came without one
_BESIDE = 30  # characters that are shown on each side of a mistake


@dataclass(frozen=True, slots=True)
class Fault:
    """`rule` is R1, R2 or R3; empty for what is around the event."""

    rule: str
    attribute: str
    message: str
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the text stops being JSON: the character, and what stands beside it on its line."""

    line: int
    column: int
    before: str
    at: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`unreadable` or `faults`, or else how it is understood.

    `would_be` is what it is to its item, `matches` how many searches find it, `no_count` why that is not
    known.
    """

    unreadable: str = ""
    place: Place | None = None
    faults: tuple[Fault, ...] = ()
    is_bare: bool = False
    understood: tuple[tuple[str, str], ...] = ()
    canonical: str = ""
    would_be: str = ""
    matches: int | None = None
    no_count: str = ""

    @property
    def is_valid(self) -> bool:
        return not self.unreadable and not self.faults


def judged(publisher: Publisher, text: str, *, now: datetime) -> Verdict:
    """For a publisher that is approved, the matches are counted, too, which may take seconds."""
    try:
        document = read_json(text.encode(errors="surrogatepass"), max_bytes=MOST_BYTES)
    except InvalidJson as error:
        return Verdict(unreadable=str(error), place=_place(text, error))
    schema, is_bare = current_schema(), _is_bare(document)
    faults: list[Fault] = []
    envelope = _envelope(document, is_bare, faults)
    view = _view(publisher, envelope, schema, faults)
    event = _event(document if is_bare else _inside(document), schema, view, faults)
    if faults or envelope is None or event is None:
        return Verdict(faults=tuple(faults), is_bare=is_bare)
    ready = made_ready(envelope, event)
    try:
        would_be = "" if is_bare else _would_be(publisher, ready)
    except ChangedBody as refused:
        return Verdict(faults=(Fault("", "revision", str(refused)),))
    matches, no_count = _count(publisher, ready, now)
    return Verdict(
        is_bare=is_bare,
        understood=tuple(attributes_in_words(event.to_dict(), schema)),
        canonical=as_json(event.to_dict()),
        would_be=would_be,
        matches=matches,
        no_count=no_count,
    )


def _is_bare(document: Any) -> bool:
    """Whether it is the event alone."""
    return isinstance(document, dict) and not {"event", "external_id"} & document.keys()


def _envelope(document: Any, is_bare: bool, faults: list[Fault]) -> Envelope | None:
    if is_bare:
        return Envelope(external_id=_BARE, event=document)
    try:
        return read_envelope(document)
    except InvalidEnvelope as error:
        faults += [Fault("", field, fault) for field, fault in error.faults.items()]
        return None


def _view(
    publisher: Publisher, envelope: Envelope | None, schema: Schema, faults: list[Fault]
) -> View | None:
    if envelope is None or envelope.view is None:
        return None
    try:
        return view_of(publisher, envelope.view, schema)
    except SchemaError as error:
        faults.append(Fault("", "view", str(error)))
        return None


def _inside(document: Any) -> Any:
    """The event of an envelope, also of one that cannot be taken."""
    return document.get("event") if isinstance(document, dict) else None


def _event(given: Any, schema: Schema, view: View | None, faults: list[Fault]) -> Event | None:
    if not isinstance(given, dict):
        return None  # that it is none, the envelope's faults say
    try:
        return schema.validate(given, view=view)
    except InvalidEvent as error:
        faults += [Fault(each.rule, each.attribute, each.message, each.suggestion) for each in error.errors]
        return None


def _would_be(publisher: Publisher, ready: Ready) -> str:
    """Raises ChangedBody."""
    decision = foreseen(publisher, ready)
    return "repeat" if decision.is_repeat else "new" if decision.is_first else "revision"


def _count(publisher: Publisher, ready: Ready, now: datetime) -> tuple[int | None, str]:
    """As a dry run of the API does, and for those who may have one: strangers do not sound people out."""
    if publisher.state != Publisher.State.APPROVED:
        return None, ""
    try:
        return match_count(ready, now=now), ""
    except NoCount as error:
        return None, str(error.detail)


def _place(text: str, error: InvalidJson) -> Place | None:
    if error.line is None or error.column is None:
        return None
    lines = text.split("\n")
    line = lines[error.line - 1] if error.line <= len(lines) else ""
    at = error.column - 1
    return Place(
        line=error.line,
        column=error.column,
        before=line[max(0, at - _BESIDE) : at],
        at=line[at : at + 1],
        after=line[at + 1 : at + 1 + _BESIDE],
    )
