"""A subscriber: subscribes, edits, pauses, resumes, unsubscribes, each until it is acknowledged."""

import time
from dataclasses import dataclass
from random import Random

from tests.chaos import market
from tests.chaos.client import Answer, Client
from tests.chaos.growth import Growth
from tests.chaos.history import Change, Ledger


@dataclass(slots=True)
class Held:
    """A subscription as its owner knows it."""

    number: int
    text: str
    is_paused: bool = False


class Subscriber:
    """It looks for attributes that were added to the schema, once it knows that they are there."""

    def __init__(
        self,
        name: str,
        client: Client,
        ledger: Ledger,
        random: Random,
        growth: Growth | None = None,
        *,
        most: int = 20,
    ) -> None:
        self._name = name
        self._client = client
        self._ledger = ledger
        self._random = random
        self._growth = growth or Growth()
        self._most = most
        self._made = 0
        self._held: list[Held] = []

    def change_something(self) -> int:
        """A random change, the likelier a new one the fewer there are; how many events it published: none."""
        if self._random.random() > len(self._held) / self._most:
            self._held.append(self.subscribe(self._search()))
        else:
            change = self._random.choice((self.edit, self.pause_or_resume, self.unsubscribe))
            change(self._random.choice(self._held))
        return 0

    def join_the_crowd(self) -> None:
        """A subscription that stays as it is."""
        self.subscribe(market.CROWD_TEXT)

    def subscribe(self, text: str) -> Held:
        """Subscribing twice makes two, so after a lost answer we look whether it is there."""
        self._made += 1
        name = f"{self._name}-{self._made}"
        began = time.monotonic()
        number = None
        while number is None:
            answer = self._client.once(
                "POST",
                "subscriptions",
                {"name": name, "text": text, "valid_days": None},
                good={201},
                began=began,
            )
            number = self._find(name) if answer is None else answer.document["id"]
        self._ledger.note(Change(number, text, began, time.monotonic()))
        return Held(number, text)

    def edit(self, held: Held) -> None:
        text = self._search()
        answer = self._client.ask("PATCH", f"subscriptions/{held.number}", {"text": text}, good={200})
        held.text = text
        self._note(held, None if held.is_paused else text, answer)

    def pause_or_resume(self, held: Held) -> None:
        held.is_paused = not held.is_paused
        state = "paused" if held.is_paused else "active"
        answer = self._client.ask("PATCH", f"subscriptions/{held.number}", {"state": state}, good={200})
        self._note(held, None if held.is_paused else held.text, answer)

    def unsubscribe(self, held: Held) -> None:
        """Not found means that it went with a request whose answer was lost."""
        answer = self._client.ask("DELETE", f"subscriptions/{held.number}", good={204, 404})
        self._held.remove(held)
        self._note(held, None, answer)

    def _search(self) -> str:
        return market.search(self._random, self._growth.names)

    def _note(self, held: Held, text: str | None, answer: Answer) -> None:
        self._ledger.note(Change(held.number, text, answer.began, answer.ended))

    def _find(self, name: str) -> int | None:
        """Newest first, so it is on the first page."""
        answer = self._client.ask("GET", "subscriptions", good={200})
        return next((each["id"] for each in answer.document["results"] if each["name"] == name), None)
