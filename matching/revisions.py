"""Which revision of its item a publication is.

Without a number of its own, the same content as the newest revision is that revision, and other content the
next one. A number that was used for other content is refused.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

from matching import event_rows
from matching.envelopes import MOST_REVISIONS, Envelope
from matching.readiness import Ready as Ready  # those who ask for revisions find it here too
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _


class ChangedBody(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """A revision or an idempotency key that was used for another body."""

    code = "changed_body"


@dataclass(frozen=True, slots=True)
class Decision:
    """A revision of an item. `number` is that of the stored event; None if it is not stored yet."""

    revision: int
    number: int | None
    is_repeat: bool
    is_first: bool


class Revisions:
    """The revisions of a publisher's items: those that are stored, and those decided on."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._known: dict[str, dict[int, tuple[str, int | None]]] = {}  # digest and number of each

    def decide(self, batch: Sequence[Ready]) -> list[Decision | ChangedBody]:
        """Which revision each of these is, one after the other. One query for some hundreds."""
        self._look_up([ready.envelope for ready in batch])
        return [self._decision(ready) for ready in batch]

    def _look_up(self, envelopes: Collection[Envelope]) -> None:
        """What decides: the newest revision of each item, and those that are named."""
        publisher = self._publisher.pk
        unknown = {envelope.external_id for envelope in envelopes} - self._known.keys()
        self._known.update({name: {} for name in unknown})
        named = {(each.external_id, each.revision) for each in envelopes if each.revision is not None}
        stored = chain(event_rows.newest(publisher, unknown), event_rows.named(publisher, named))
        for name, revision, digest, number in stored:
            self._known[name].setdefault(revision, (digest, number))

    def _decision(self, ready: Ready) -> Decision | ChangedBody:
        envelope = ready.envelope
        known = self._known[envelope.external_id]
        revision = envelope.revision
        if revision is None:
            newest = max(known, default=0)
            revision = newest if newest and known[newest][0] == ready.digest else newest + 1
        if revision > MOST_REVISIONS:
            return ChangedBody(
                _("{item!r} has the highest revision there can be.", item=envelope.external_id)
            )
        if revision not in known:
            is_first = not known
            known[revision] = ready.digest, None
            return Decision(revision, None, is_repeat=False, is_first=is_first)
        digest, number = known[revision]
        if digest != ready.digest:
            message = _(
                "Revision {revision} of {item!r} was used for another body.",
                revision=revision,
                item=envelope.external_id,
            )
            return ChangedBody(message)
        return Decision(revision, number, is_repeat=True, is_first=False)
