"""What the frame of every page shows beside the page's own content."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from matching.seen import MOST_SAID, count_unseen_items
from schema_registry.accounts.memberships import is_member


@dataclass(frozen=True, slots=True)
class Unseen:
    count: int
    most = MOST_SAID

    @property
    def text(self) -> str:
        return str(self.count) if self.count <= self.most else f"{self.most}+"


def unseen(request: HttpRequest) -> dict[str, Any]:
    """`unseen`: how many finds the reader has not looked at. Counted when a template asks, and not far."""
    return {"unseen": SimpleLazyObject(lambda: _unseen(request))}


def publishes(request: HttpRequest) -> dict[str, Any]:
    """`publishes`: whether the reader looks after a publisher. Asked when a template does."""
    return {"publishes": SimpleLazyObject(lambda: is_member(getattr(request, "user", None)))}


def _unseen(request: HttpRequest) -> Unseen:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return Unseen(0)
    return Unseen(count_unseen_items(user, most=MOST_SAID + 1))
