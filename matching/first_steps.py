"""How far a publisher has come: a key made, something sent, accepted, matched. A few small queries.

Each is answered by an index, and looks at a bounded number of events, however many there are.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from matching.models import PublishedEvent
from schema_registry.accounts.models import ApiKey, Publisher, Scope

LOOKED_AT = 100  # of the newest events, and of the oldest, for one that is matched


@dataclass(frozen=True, slots=True)
class Progress:
    """`newest` is the newest event that was accepted, `matched` one that was matched."""

    publisher: Publisher
    key: ApiKey | None
    sent_at: datetime | None
    newest: PublishedEvent | None
    matched: PublishedEvent | None

    @property
    def steps(self) -> tuple[bool, bool, bool, bool]:
        return self.key is not None, self.sent_at is not None, self.newest is not None, bool(self.matched)

    @property
    def next_step(self) -> int:
        """The first that is not done, counted from 1; 5 when all are."""
        return next((place for place, done in enumerate(self.steps, 1) if not done), 5)

    @property
    def is_done(self) -> bool:
        return all(self.steps)

    @property
    def mark(self) -> str:
        """Differs when there is something else to show."""
        newest: Any = self.newest
        state = (newest.pk, newest.state) if newest is not None else ()
        sent = int(self.sent_at.timestamp()) if self.sent_at else 0
        done = "".join(str(int(step)) for step in self.steps)
        return "-".join(map(str, (done, self.publisher.state, sent, *state)))


def progress(publisher: Publisher) -> Progress:
    keys = [key for key in publisher.user.keys.order_by("-pk") if Scope.EVENTS in key.scopes]
    of_publisher = PublishedEvent.objects.filter(publisher=publisher).defer("document")
    newest = of_publisher.order_by("-pk").first()
    return Progress(
        publisher=publisher,
        key=next((key for key in keys if key.revoked_at is None), None),
        sent_at=last_sent(keys, newest),
        newest=newest,
        matched=None if newest is None else _one_matched(of_publisher),
    )


def last_sent(keys: list[ApiKey], newest: PublishedEvent | None) -> datetime | None:
    """When something last came from the publisher's programs, accepted or not.

    What was refused is counted some seconds later, and whoever looks here has just sent it: so the last use
    of a key stands for it, which is known at once.
    """
    moments = [key.last_used_at for key in keys if key.last_used_at is not None]
    return max([*moments, *([newest.accepted_at] if newest is not None else [])], default=None)


def _one_matched(events: QuerySet[PublishedEvent]) -> PublishedEvent | None:
    for order in ("-pk", "pk"):
        for event in events.order_by(order)[:LOOKED_AT]:
            if event.matched_at is not None:
                return event
    return None
