"""What a publisher sends: an event, and how people will see the item. Read by hand, since batches have many.

All that is wrong is told at once, each with its field; of fields that do not exist, the first few.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_lazy
from schema_registry.core.wording import said_of

MOST_REVISIONS = 2**31 - 1
MOST_UNKNOWN_TOLD = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    external_id: str
    event: Mapping[str, Any]
    revision: int | None = None
    view: str | None = None
    title: str = ""
    url: str = ""
    image_url: str = ""
    ends_at: datetime | None = None


class InvalidEnvelope(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """`faults` are the fields and what is wrong with each."""

    code = "invalid_envelope"

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(" ".join(said_of(name, fault) if name else fault for name, fault in faults.items()))
        self.faults = dict(faults)


def read_envelope(document: object) -> Envelope:
    """The envelope that the JSON object describes. O(size); raises InvalidEnvelope."""
    if not isinstance(document, dict):
        raise InvalidEnvelope({"": _("Send one JSON object with all the rest in it.")})
    unknown = [name for name in document if name not in _READERS]
    faults = {name[:100]: str(_NO_SUCH_FIELD) for name in unknown[:MOST_UNKNOWN_TOLD]}
    read: dict[str, Any] = {}
    for name, reader in _READERS.items():
        if (raw := document.get(name)) is not None:
            try:
                read[name] = reader(raw)
            except _WrongError as wrong:
                faults[name] = str(wrong)
    for name in ("external_id", "event"):
        if name not in read and name not in faults:
            faults[name] = _("This field is required.")
    if faults:
        raise InvalidEnvelope(faults)
    return Envelope(**read)


class _WrongError(Exception):
    """What is wrong with a field."""


def _text(limit: int, *, blank: bool = True) -> Callable[[object], str]:
    def read(raw: object) -> str:
        if not isinstance(raw, str):
            raise _WrongError(_("This must be a string."))
        if len(raw) > limit:
            raise _WrongError(
                _("This has {count:,} characters; the limit is {limit:,}.", count=len(raw), limit=limit)
            )
        if "\0" in raw or (not blank and not raw.strip()):
            raise _WrongError(_("This must not be blank or contain the character NUL."))
        return raw

    return read


def _web_address(raw: object) -> str:
    address = _text(2_000)(raw)
    try:
        parts = urlsplit(address)
        usable = not address or (parts.scheme in ("http", "https") and bool(parts.hostname))
    except ValueError:
        usable = False
    if not usable:
        raise _WrongError(_("This must be an address that starts with http:// or https://."))
    return address


def _moment(raw: object) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(40)(raw))
        if moment.tzinfo is None:
            raise _WrongError(_("A moment needs its time zone, as in 2026-11-16T12:00:00Z."))
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise _WrongError(_("This must be a moment such as 2026-11-16T12:00:00Z.")) from None


def _revision(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or not 1 <= raw <= MOST_REVISIONS:
        raise _WrongError(_("This must be a whole number from 1 to {most:,}.", most=MOST_REVISIONS))
    return raw


def _event(raw: object) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise _WrongError(_("This must be an object: the event's attributes and their values."))
    return raw


_READERS: dict[str, Callable[[object], Any]] = {
    "external_id": _text(200, blank=False),
    "event": _event,
    "revision": _revision,
    "view": _text(100),
    "title": _text(500),
    "url": _web_address,
    "image_url": _web_address,
    "ends_at": _moment,
}
assert list(_READERS) == [field.name for field in fields(Envelope)]
_NO_SUCH_FIELD = gettext_lazy("There is no such field; there are {fields}.", fields=", ".join(_READERS))
