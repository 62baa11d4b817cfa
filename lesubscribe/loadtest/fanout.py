"""One item that very many people look for, while others are published: how soon is all of it planned?

What counts is when the deliveries are committed, as another process sees it; it looks every few hundredths
of a second.
"""

import json
import math
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils import timezone

from lesubscribe.loadtest.crowd import CRAZE, few, some
from lesubscribe.loadtest.figures import Percentiles
from lesubscribe.loadtest.sending import Request, Sender
from lesubscribe.loadtest.setting import Setting
from matching.models import PublishedEvent
from notifications.models import Delivery

OTHERS_PER_SECOND = 20
SUSTAINED_MATCHES_PER_PERSON = 2.5
_PAUSE_SECONDS = 0.03
_SECONDS_TO_CATCH_UP = 120


class NotPlannedError(Exception):
    """Something was not planned in time, or not as it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FanoutFigures:
    deliveries: int
    seconds_from_acceptance: float
    seconds_from_match: float
    others: Percentiles
    others_per_second: int = OTHERS_PER_SECOND
    sustained_matches: int
    sustained_matches_per_second: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Planned:
    """An event whose deliveries are planned, and when this was seen."""

    event: int
    accepted_at: datetime
    matched_at: datetime
    matches: int
    planned_at: datetime

    @property
    def seconds(self) -> float:
        return (self.planned_at - self.accepted_at).total_seconds()


def measure(setting: Setting, *, people: int, seconds: float, url: str, key: str) -> FanoutFigures:
    """Others are published for so many seconds. Needs a crowd that is listening. Raises NotPlannedError."""
    publishing = _Publishing(setting, url, key)
    publishing.one_by_one([few(0, of=people)])  # the matcher gets to know everybody
    titles = [few(number, of=people) for number in range(max(4, int(OTHERS_PER_SECOND * seconds)))]
    place = len(titles) // 4
    planned = publishing.one_by_one([*titles[:place], CRAZE, *titles[place:]])
    craze = planned.pop(place)
    deliveries = Delivery.objects.filter(event=craze.event).count()
    if deliveries != people:
        raise NotPlannedError(f"{deliveries:,} deliveries were planned for {people:,} people.")
    others = Percentiles.of(each.seconds for each in planned)
    assert others is not None
    lasting = _sustained(publishing, people)
    matches = sum(each.matches for each in lasting)
    lasted = max(each.planned_at for each in lasting) - min(each.matched_at for each in lasting)
    return FanoutFigures(
        deliveries=deliveries,
        seconds_from_acceptance=craze.seconds,
        seconds_from_match=(craze.planned_at - craze.matched_at).total_seconds(),
        others=others,
        sustained_matches=matches,
        sustained_matches_per_second=matches / lasted.total_seconds(),
    )


def _sustained(publishing: "_Publishing", people: int) -> list[Planned]:
    """So many events together that the planner is the last to be done."""
    (first,) = publishing.at_once([some(0, of=people)])
    count = math.ceil(SUSTAINED_MATCHES_PER_PERSON * people / first.matches)
    return publishing.at_once([some(number, of=people) for number in range(count)])


class _Publishing:
    """Publishes items by title, and waits until all their deliveries are planned."""

    def __init__(self, setting: Setting, url: str, key: str) -> None:
        self._document = next(iter(setting.workload.events(1))).to_dict()
        self._url, self._key = url, key

    def one_by_one(self, titles: Sequence[str]) -> list[Planned]:
        return self._planned(titles, "/api/v1/events", "application/json", size=1)

    def at_once(self, titles: Sequence[str]) -> list[Planned]:
        return self._planned(titles, "/api/v1/events/batch", "application/x-ndjson", size=len(titles))

    def _planned(self, titles: Sequence[str], path: str, content_type: str, *, size: int) -> list[Planned]:
        """In the order of the titles."""
        run = f"fanout-{secrets.token_hex(4)}-"
        lines = [self._line(f"{run}{place:06}", title) for place, title in enumerate(titles)]
        requests = [
            Request(b"\n".join(lines[first : first + size]), size) for first in range(0, len(lines), size)
        ]
        sender = Sender(self._url, path, key=self._key, content_type=content_type, connections=8)
        rate = {"per_second": OTHERS_PER_SECOND, "progress": lambda _: None}
        sending = threading.Thread(target=sender.send, args=(requests,), kwargs=rate)
        before = PublishedEvent.objects.aggregate(last=Max("pk"))["last"] or 0
        sending.start()
        try:
            return _watched(before, len(titles))
        finally:
            sending.join()

    def _line(self, name: str, title: str) -> bytes:
        return json.dumps({"external_id": name, "event": {**self._document, "title": title}}).encode()


def _watched(before: int, count: int) -> list[Planned]:
    """So many events that come after this one, when all are planned. Raises NotPlannedError."""
    mine = PublishedEvent.objects.filter(pk__gt=before, state=PublishedEvent.State.MATCHED, announcement=None)
    fields = ("external_id", "pk", "accepted_at", "matched_at", "match_count")
    known: dict[str, Planned] = {}
    deadline = time.monotonic() + count / OTHERS_PER_SECOND + _SECONDS_TO_CATCH_UP
    while len(known) < count:
        if time.monotonic() > deadline:
            raise NotPlannedError(f"{count - len(known):,} of {count:,} events were not planned in time.")
        time.sleep(_PAUSE_SECONDS)
        rows = list(mine.values_list(*fields))
        now = timezone.now()
        for name, event, accepted_at, matched_at, matches in rows:
            if name not in known:
                known[name] = Planned(event, accepted_at, matched_at, matches, now)
    return [known[name] for name in sorted(known)]
