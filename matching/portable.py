"""Subscriptions as a document that a person can keep and bring back, here or on another server.

An import takes what an export wrote, all or nothing: everything is checked before anything is stored, and all
that is wrong is told at once. What has expired, since or before, comes back as expired, to be renewed.

An app above us may add fields to a subscription. They are optional: a document without them is read as well.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import Any

from matching.drafts import Draft, drafted
from matching.models import Subscription
from matching.stored import predicates_of
from matching.validity import MOST_VALID_DAYS, State, expiry, state_at
from schema_registry.core.errors import InputError
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import printable, said_of, shown

FORMAT, VERSION = "lesubscribe-subscriptions", 1
MOST_SUBSCRIPTIONS = 10_000
# For checking: that many usual texts take 4 seconds, texts made to be slow would take minutes.
MOST_SECONDS = 20.0
MOST_PREDICATES = 200_000  # written out as alternatives; each takes about 250 bytes of memory
MOST_FAULTS = 100
_FAULTS_IN_WORDS = 3
_LONGEST_NAME = 200
_FIELDS = frozenset({"name", "text", "state", "expires_at"})
_STATES = (State.ACTIVE, State.PAUSED, State.MUTED, State.EXPIRED)

Readers = Mapping[str, Callable[[object], Any]]
More = Callable[[Subscription], Mapping[str, Any]]
NO_READERS: Readers = MappingProxyType({})


def nothing_more(subscription: Subscription) -> Mapping[str, Any]:
    return {}


class InvalidImport(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """`found` is what is wrong, by its place in the document."""

    code = "invalid_import"

    def __init__(self, found: Mapping[str, InputError]) -> None:
        told = [said_of(place, fault) for place, fault in islice(found.items(), _FAULTS_IN_WORDS)]
        more = [_("And {count} more.", count=len(found) - len(told))] if len(found) > len(told) else []
        super().__init__(" ".join([_("Nothing was imported."), *told, *more]))
        self.found = dict(found)


def exported(
    subscriptions: Iterable[Subscription], *, now: datetime, more: More = nothing_more
) -> dict[str, Any]:
    """The document, but for its moments, which are still datetimes. `more` adds to each subscription."""
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
                **more(row),
            }
            for row in subscriptions
        ],
    }


def read_document(
    document: object,
    schema: Schema,
    *,
    now: datetime,
    clock: Callable[[], float],
    more: Readers = NO_READERS,
) -> list[Draft]:
    """The subscriptions that the document describes, in its order. Raises InvalidImport.

    `clock` gives seconds. A text that occurs often is parsed once. What `more` reads may be missing; a draft
    has it as its own `more`.
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
            found[place] = InputError(_("We looked no further than this; import the rest apart."))
            break
        entry = _read(raw, readers, place, found, optional=more)
        if not found:
            drafts.append(_draft(entry, now))
        if "text" in entry:
            predicates += sum(len(predicates_of(each)) for each in entry["text"].compiled)
    if found:
        raise InvalidImport(found)
    return drafts


def _draft(entry: Mapping[str, Any], now: datetime) -> Draft:
    draft: Draft = entry["text"]
    expires_at = entry["expires_at"]
    state = state_at(entry["state"], expires_at, now=now)
    more = {name: value for name, value in entry.items() if name not in _FIELDS}
    return replace(draft, name=entry["name"], state=state, expires_at=expires_at, more=more)


def _read(
    raw: object,
    readers: Readers,
    place: str,
    found: dict[str, InputError],
    *,
    optional: Readers = NO_READERS,
) -> dict[str, Any]:
    """The fields of an object, each by its reader; what is wrong is added to `found`."""
    if not isinstance(raw, dict):
        refusal = _("This must be an object, not {value}.", value=shown(raw))
        found[place or "document"] = InputError(refusal)
        return {}
    read = {}
    prefix = f"{place}." if place else ""
    known_readers = {**readers, **optional}
    if unknown := raw.keys() - known_readers.keys():
        refusal = _("There is no such field; there are {fields}.", fields=", ".join(known_readers))
        found[prefix + printable(min(unknown))] = InputError(refusal)
    for name, reader in known_readers.items():
        if name in optional and name not in raw:
            continue
        try:
            if name not in raw:
                raise InputError(_("This field is required."))
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
        raise InputError(_("This must be a string."))
    return raw


def _name(raw: object) -> str:
    name = _string(raw)
    if len(name) > _LONGEST_NAME:
        most, count = _LONGEST_NAME, len(name)
        raise InputError(
            _("A name has at most {most} characters; this one has {count:,}.", most=most, count=count)
        )
    return name


def _state(raw: object) -> State:
    if not isinstance(raw, str) or raw not in _STATES:
        raise InputError(_("This must be one of {choices}.", choices=", ".join(_STATES)))
    return State(raw)


def _moment(raw: object) -> datetime:
    try:
        moment = datetime.fromisoformat(_string(raw))
        if moment.tzinfo is None:
            raise InputError(_("A moment needs its time zone, as in 2026-11-16T12:00:00Z."))
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(_("This must be a moment such as 2026-11-16T12:00:00Z.")) from None


def _expiry(raw: object, now: datetime) -> datetime | None:
    if raw is None:
        return None
    moment = _moment(raw)
    latest = expiry(now, MOST_VALID_DAYS)
    assert latest is not None
    if moment > latest:
        raise InputError(
            _("This is more than {most:,} days from now; null means never.", most=MOST_VALID_DAYS)
        )
    return moment


def _format(raw: object) -> str:
    if raw != FORMAT:
        raise InputError(_("This must be '{format}'.", format=FORMAT))
    return FORMAT


def _version(raw: object) -> int:
    if raw is True or raw != VERSION:
        raise InputError(_("This must be {version}, the only version there is.", version=VERSION))
    return VERSION


def _subscriptions(raw: object) -> list[Any]:
    if not isinstance(raw, list):
        raise InputError(_("This must be a list."))
    if len(raw) > MOST_SUBSCRIPTIONS:
        most, count = MOST_SUBSCRIPTIONS, len(raw)
        raise InputError(_("There are {count:,}; one import takes at most {most:,}.", count=count, most=most))
    return raw


_DOCUMENT: Readers = {
    "format": _format,
    "version": _version,
    "exported_at": _moment,
    "subscriptions": _subscriptions,
}
