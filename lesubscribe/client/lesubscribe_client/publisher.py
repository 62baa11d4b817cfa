"""For auction sites: publish items, one or many, and ask what became of them."""

import gzip
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from lesubscribe_client._api.api.events import (
    events_create,
    events_destroy,
    events_list,
    events_retrieve,
)
from lesubscribe_client._api.models import EnvelopeBody, EnvelopeBodyEvent, EventList
from lesubscribe_client._api.types import UNSET
from lesubscribe_client.caller import expect
from lesubscribe_client.documents import DryRun, Event, Published
from lesubscribe_client.envelopes import Batch, Details, Envelope, batches
from lesubscribe_client.errors import Refused, Violation
from lesubscribe_client.vocabulary import Vocabulary

BATCH = "/api/v1/events/batch"
LINES_OF_A_BATCH = 5_000
_TAKEN, _OVERLOADED = 202, 503
_UNREADABLE = frozenset({400, 413})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one of many. Either it was taken and has an `id`, or it was `refused`."""

    external_id: str
    id: int | None = None
    is_repeat: bool = False
    refused: Refused | None = None


class Publisher(Vocabulary):
    """Needs a key of a publisher, with the scope `events`, and `schema` for extending the vocabulary."""

    def publish(
        self,
        external_id: str,
        event: Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        **details: Unpack[Details],
    ) -> Published:
        """When this returns the item is stored. The same content again is the same event."""
        if idempotency_key is None and "revision" not in details:
            idempotency_key = uuid.uuid4().hex  # else a late repeat could look like a change back
        answer = events_create.sync(
            client=self._api,
            body=_body(external_id, event, details),
            idempotency_key=UNSET if idempotency_key is None else idempotency_key,
        )
        return expect(Published, answer)

    def dry_run(self, external_id: str, event: Mapping[str, Any], **details: Unpack[Details]) -> DryRun:
        """Whether it would be taken, and how many searches would find it now. Stores nothing."""
        body = _body(external_id, event, details)
        return expect(DryRun, events_create.sync(client=self._api, body=body, dry_run=True))

    def publish_many(
        self, envelopes: Iterable[Envelope], *, batch_size: int = LINES_OF_A_BATCH
    ) -> Iterator[Outcome]:
        """One outcome for each, in order. A batch is sent when its outcomes are asked for: ask for all."""
        for batch in batches(envelopes, most=batch_size):
            try:
                yield from self._send(batch)
            except Refused as refused:
                if refused.status not in _UNREADABLE or len(batch.lines) > 1:
                    raise
                yield Outcome(batch.names[0], refused=refused)  # a line that is too long comes alone

    def status(self, number: int) -> Event:
        return expect(Event, events_retrieve.sync(number, client=self._api))

    def revisions(self, external_id: str) -> list[Event]:
        """Of one item, newest first, at most 100."""
        return expect(EventList, events_list.sync(client=self._api, external_id=external_id)).results

    def withdraw(self, number: int) -> None:
        events_destroy.sync_detailed(number, client=self._api)

    def _send(self, batch: Batch) -> Iterator[Outcome]:
        done = 0
        while done < len(batch.lines):
            for result in self._results(batch.lines[done:]):
                if result["status"] == _OVERLOADED:  # on the way: the rest was not read
                    time.sleep(result["retry_after"])
                    break
                yield _outcome(batch.names[done], result)
                done += 1

    def _results(self, lines: list[bytes]) -> list[dict[str, Any]]:
        """At most one for each line. The last one may say why no more was read."""
        headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
        answer = self._http.post(BATCH, content=gzip.compress(b"\n".join(lines), 6), headers=headers)
        results: list[dict[str, Any]] = answer.json()["results"]
        return results


def _body(external_id: str, event: Mapping[str, Any], details: Details) -> EnvelopeBody:
    return EnvelopeBody(external_id=external_id, event=EnvelopeBodyEvent.from_dict(event), **details)


def _outcome(name: str, result: Mapping[str, Any]) -> Outcome:
    if result["status"] == _TAKEN:
        return Outcome(name, id=result["id"], is_repeat=result["repeated"])
    violations = tuple(map(Violation.read, result.get("errors") or ()))
    kind = result["code"].replace("_", "-")
    return Outcome(name, refused=Refused(result["status"], kind, result["detail"], errors=violations))
