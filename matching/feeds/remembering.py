"""A function that remembers what it said, refusals too: a feed has few categories and many rows."""

from collections.abc import Callable
from typing import Any

from matching.feeds.amounts import UnreadableError

_MOST = 20_000
_LONGEST = 500


class Remembering:
    """Asks once for each text, as long as it knows fewer than 20,000; then it begins anew. O(1) if it knows.

    What it gives is shared by all who ask, so nobody may change it. Long texts, which hardly come again, are
    not kept.
    """

    __slots__ = ("_ask", "_said")

    def __init__(self, ask: Callable[[str], Any]) -> None:
        self._ask = ask
        self._said: dict[str, Any] = {}

    def __call__(self, text: str) -> Any:
        try:
            said = self._said[text]
        except KeyError:
            said = self._asked(text)
        if type(said) is UnreadableError:
            raise said.with_traceback(None)
        return said

    def _asked(self, text: str) -> Any:
        try:
            said = self._ask(text)
        except UnreadableError as refusal:
            said = refusal
        if len(self._said) >= _MOST:
            self._said.clear()
        if len(text) <= _LONGEST:
            self._said[text] = said
        return said
