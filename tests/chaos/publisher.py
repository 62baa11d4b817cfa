"""A publisher: sends items one by one or in batches, some twice, each until it is acknowledged."""

from random import Random
from typing import Any

from tests.chaos import market
from tests.chaos.client import Answer, Client, WrongAnswerError
from tests.chaos.growth import Growth
from tests.chaos.history import Ledger, Publication

BATCH_SHARE, REPEAT_SHARE = 0.03, 0.03
LONGEST_BATCH = 25


class Publisher:
    """Its items have the attributes that were added to the schema, once it knows that they are there."""

    def __init__(
        self, name: str, client: Client, ledger: Ledger, random: Random, growth: Growth | None = None
    ) -> None:
        self.name = name
        self._growth = growth or Growth()
        self._client = client
        self._ledger = ledger
        self._random = random
        self._sent = 0
        self._last: Publication | None = None

    def publish(self) -> int:
        """Send something; how many new events were acknowledged."""
        chance = self._random.random()
        if chance < BATCH_SHARE:
            return self.publish_batch(self._random.randint(2, LONGEST_BATCH))
        if chance < BATCH_SHARE + REPEAT_SHARE and self._last is not None:
            self._repeat(self._last)
            return 0
        self.publish_one()
        return 1

    def publish_one(self) -> Publication:
        envelope = self._envelope()
        publication = _publication(envelope, self._send(envelope))
        self._ledger.note(publication)
        self._last = publication
        return publication

    def publish_batch(self, size: int) -> int:
        envelopes = [self._envelope() for _ in range(size)]
        answer = self._client.ask("POST", "events/batch", envelopes, good={200})
        results = answer.document["results"]
        if refused := [result for result in results if result["status"] != 202]:
            raise WrongAnswerError(f"A batch of valid events was answered {refused}.")
        self._ledger.note(
            *(
                Publication(
                    result["id"], envelope["external_id"], envelope["event"], answer.began, answer.ended
                )
                for envelope, result in zip(envelopes, results, strict=True)
            )
        )
        return size

    def _repeat(self, publication: Publication) -> None:
        """What was acknowledged and is sent again is the same event."""
        answer = self._send({"external_id": publication.external_id, "event": publication.document})
        if answer.document["id"] != publication.event:
            raise WrongAnswerError(
                f"{publication.external_id} was event {publication.event}, then {answer.document['id']}."
            )

    def _send(self, envelope: dict[str, Any]) -> Answer:
        return self._client.ask("POST", "events", envelope, good={202})

    def _envelope(self) -> dict[str, Any]:
        self._sent += 1
        item = market.item(self._random, self._growth.names)
        return {"external_id": f"{self.name}-{self._sent}", "event": item}


def _publication(envelope: dict[str, Any], answer: Answer) -> Publication:
    return Publication(
        answer.document["id"], envelope["external_id"], envelope["event"], answer.began, answer.ended
    )
