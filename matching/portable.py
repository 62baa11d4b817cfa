"""Subscriptions as a document that a person can keep and bring back, here or on another server.

An import takes what an export wrote, all or nothing: everything is checked before anything is stored, and all
that is wrong is told at once. What has expired, since or before, comes back as expired, to be renewed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from typing import Any

from matching.drafts import Draft, drafted
from matching.models import Subscription
from matching.validity import MOST_VALID_DAYS, State, expiry, state_at
from schema_registry.core.errors import InputError
from schema_registry.core.schema import Schema
from schema_registry.core.wording import printable, shown

FORMAT, VERSION = "lesubscribe-subscriptions", 1
MOST_SUBSCRIPTIONS = 10_000
# For checking: that many usual texts take 4 seconds, texts made to be slow would take minutes.
MOST_SECONDS = 20.0
MOST_PREDICATES = 200_000  # written out as alternatives; each takes about 250 bytes of memory
MOST_FAULTS = 100
_FAULTS_IN_WORDS = 3
_LONGEST_NAME = 200
_STATES = (State.ACTIVE, State.PAUSED, State.MUTED, State.EXPIRED)

Readers = Mapping[str, Callable[[object], Any]]


class InvalidImport(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """`found` is what is wrong, by its place in the document."""

    code = "invalid_import"

    def __init__(self, found: Mapping[str, InputError]) -> None:
        told = [f"{place}: {fault}" for place, fault in islice(found.items(), _FAULTS_IN_WORDS)]
        more = [f"And {len(found) - len(told)} more."] if len(found) > len(told) else []
        super().__init__(" ".join(["Nothing was imported.", *told, *more]))
        self.found = dict(found)


def exported(subscriptions: Iterable[Subscription], *, now: datetime) -> dict[str, Any]:
    """The document, but for its moments, which are still datetimes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": now,
        "subscriptions": [
            {
                "name": row.name,
                "text": row.text,
                "state": state_at(row.state, row.expires_at, now=now).value,
                "expires_at": row.expires_at,
            }
            for row in subscriptions
        ],
    }


def read_document(
    document: object, schema: Schema, *, now: datetime, clock: Callable[[], float]
) -> list[Draft]:
    """The subscriptions that the document describes, in its order. Raises InvalidImport.

    `clock` gives seconds. A text that occurs often is parsed once.
    """
    found: dict[str, InputError] = {}
    fields = _read(document, _DOCUMENT, "", found)
    if found:
        raise InvalidImport(found)
    deadline = clock() + MOST_SECONDS
    readers = _subscription_readers(schema, now)
    drafts: list[Draft] = []
    predicates = 0
    for index, raw in enumerate(fields["subscriptions"]):
        place = f"subscriptions[{index}]"
        if predicates > MOST_PREDICATES or len(found) >= MOST_FAULTS or clock() > deadline:
            found[place] = InputError("We looked no further than this; import the rest apart.")
            break
        entry = _read(raw, readers, place, found)
        if not found:
            drafts.append(_draft(entry, now))
        if "text" in entry:
            predicates += sum(map(len, entry["text"].compiled))
    if found:
        raise InvalidImport(found)
    return drafts


def _draft(entry: Mapping[str, Any], now: datetime) -> Draft:
    draft: Draft = entry["text"]
    expires_at = entry["expires_at"]
    state = state_at(entry["state"], expires_at, now=now)
    return replace(draft, name=entry["name"], state=state, expires_at=expires_at)


def _read(raw: object, readers: Readers, place: str, found: dict[str, InputError]) -> dict[str, Any]:
    """The fields of an object, each by its reader; what is wrong is added to `found`."""
    if not isinstance(raw, dict):
        found[place or "document"] = InputError(f"This must be an object, not {shown(raw)}.")
        return {}
    read = {}
    prefix = f"{place}." if place else ""
    if unknown := raw.keys() - readers.keys():
        known = ", ".join(readers)
        found[prefix + printable(min(unknown))] = InputError(f"There is no such field; there are {known}.")
    for name, reader in readers.items():
        try:
            if name not in raw:
                raise InputError("This field is required.")
            read[name] = reader(raw[name])
        except InputError as error:
            found[prefix + name] = error
    return read


def _subscription_readers(schema: Schema, now: datetime) -> Readers:
    parsed = cache(lambda text: drafted(text, schema))
    return {
        "name": _name,
        "text": lambda raw: parsed(_string(raw)),
        "state": _state,
        "expires_at": lambda raw: _expiry(raw, now),
    }


def _string(raw: object) -> str:
    if not isinstance(raw, str):
        raise InputError("This must be a string.")
    return raw


def _name(raw: object) -> str:
    name = _string(raw)
    if len(name) > _LONGEST_NAME:
        raise InputError(f"A name has at most {_LONGEST_NAME} characters; this one has {len(name):,}.")
    return name


def _state(raw: object) -> State:
    if not isinstance(raw, str) or raw not in _STATES:
        raise InputError(f"This must be one of {', '.join(_STATES)}.")
    return State(raw)


def _moment(raw: object) -> datetime:
    try:
        moment = datetime.fromisoformat(_string(raw))
        if moment.tzinfo is None:
            raise InputError("A moment needs its time zone, as in 2026-11-16T12:00:00Z.")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("This must be a moment such as 2026-11-16T12:00:00Z.") from None


def _expiry(raw: object, now: datetime) -> datetime | None:
    if raw is None:
        return None
    moment = _moment(raw)
    latest = expiry(now, MOST_VALID_DAYS)
    assert latest is not None
    if moment > latest:
        raise InputError(f"This is more than {MOST_VALID_DAYS:,} days from now; null means never.")
    return moment


def _format(raw: object) -> str:
    if raw != FORMAT:
        raise InputError(f"This must be '{FORMAT}'.")
    return FORMAT


def _version(raw: object) -> int:
    if raw is True or raw != VERSION:
        raise InputError(f"This must be {VERSION}, the only version there is.")
    return VERSION


def _subscriptions(raw: object) -> list[Any]:
    if not isinstance(raw, list):
        raise InputError("This must be a list.")
    if len(raw) > MOST_SUBSCRIPTIONS:
        raise InputError(f"There are {len(raw):,}; one import takes at most {MOST_SUBSCRIPTIONS:,}.")
    return raw


_DOCUMENT: Readers = {
    "format": _format,
    "version": _version,
    "exported_at": _moment,
    "subscriptions": _subscriptions,
}
