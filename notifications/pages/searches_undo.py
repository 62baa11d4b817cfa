"""What a person has just deleted, kept in their session so that it can be taken back.

One deletion at a time: the next one takes its place. The searches themselves stay in the database as removed,
so this is only a list of numbers.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.http import HttpRequest

KEPT = "deleted_searches"
SHOWN_FOR = timedelta(minutes=2)
KEPT_FOR = timedelta(hours=1)  # for a page that stays open; then the list is only a weight


def keep(request: HttpRequest, numbers: Sequence[int], *, now: datetime, goes_on: bool = False) -> None:
    """Remember these as deleted; together with those before when the deletion goes on."""
    before = _kept(request) if goes_on else []
    request.session[KEPT] = {"numbers": [*before, *numbers], "at": now.timestamp()}


def recently_deleted(request: HttpRequest, *, now: datetime) -> int:
    """How many were deleted a short while ago; 0 once nobody would look for a way back here."""
    kept = request.session.get(KEPT)
    if kept is None:
        return 0
    age = timedelta(seconds=now.timestamp() - kept["at"])
    if age > KEPT_FOR:
        del request.session[KEPT]
    return len(kept["numbers"]) if age <= SHOWN_FOR else 0


def next_ones(request: HttpRequest, most: int) -> list[int]:
    """Those to bring back first. They stay kept until `drop`, since there may be no room for them yet."""
    return _kept(request)[:most]


def left(request: HttpRequest) -> int:
    return len(_kept(request))


def drop(request: HttpRequest, numbers: Sequence[int]) -> None:
    """These were brought back."""
    if not (kept := _kept(request)):
        return
    back = set(numbers)
    if rest := [each for each in kept if each not in back]:
        request.session[KEPT] = {**request.session[KEPT], "numbers": rest}
    else:
        del request.session[KEPT]


def _kept(request: HttpRequest) -> list[int]:
    return list(request.session.get(KEPT, {}).get("numbers", []))
