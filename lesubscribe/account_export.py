"""All that is stored about a person, as a ZIP of JSON files. Secrets, such as those of webhooks, stay out.

It is read a page at a time and written as it is read, so it takes the same memory for a million matches as
for ten.
"""

import json
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F, QuerySet

from matching.models import Match, Subscription
from notifications import preferences
from notifications.models import Attempt, Delivery, SharedSearch, Terms
from notifications.selectors import channels_of, chosen_channels, terms_of
from schema_registry.accounts.models import User

Row = dict[str, Any]
ROWS_PER_PAGE = 500
BYTES_AT_ONCE = 256 * 1024

_CHANNEL = ("id", "kind", "address", "state", "reason", "wants", "most_per_day", "created_at", "verified_at")
_SEARCH = ("id", "name", "text", "canonical", "state", "created_at", "expires_at")
_MATCH = {
    "id": "id",
    "search": "subscription_id",
    "matched_at": "matched_at",
    "seen": "seen",
    "hidden": "hidden",
    "site": "event__publisher__name",
    "item": "event__external_id",
    "title": "event__title",
    "url": "event__url",
}
_DELIVERY = {
    "id": "id",
    "uid": "uid",
    "channel": "channel_id",
    "kind": "kind",
    "item": "event__title",
    "about": "about",
    "state": "state",
    "reason": "reason",
    "planned_at": "planned_at",
    "finished_at": "finished_at",
    "attempts": "attempts",
}
_ATTEMPT = ("number", "began_at", "milliseconds", "is_success", "status", "request", "response", "error")
_KEY = ("name", "prefix", "scopes", "created_at", "last_used_at", "revoked_at")
_SESSION = ("created_at", "last_seen_at", "ip", "user_agent")
_PREFERENCES = ("time_zone", "quiet_from", "quiet_until", "digest_at", "digest_weekday")


class _Pipe:
    """What the archive is written to; what was written is taken out again."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        self.size += len(piece)
        return len(piece)

    def flush(self) -> None:
        """There is nothing behind it."""

    def taken(self) -> bytes:
        pieces, self._pieces, self.size = self._pieces, [], 0
        return b"".join(pieces)


def exported(owner: User, *, now: datetime) -> Iterator[bytes]:
    """The archive, in pieces. Costs O(what is stored) in time and O(1) in memory."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload] # it needs no more of a file
        for name, rows in _files(owner, now):
            with archive.open(name, "w", force_zip64=True) as file:
                for text in _as_json(rows):
                    file.write(text.encode())
                    if pipe.size >= BYTES_AT_ONCE:
                        yield pipe.taken()
    yield pipe.taken()


def _files(owner: User, now: datetime) -> Iterator[tuple[str, Iterable[Row]]]:
    yield "account.json", [_account(owner, now)]
    yield "channels.json", (_fields(channel, _CHANNEL) for channel in channels_of(owner))
    yield "searches.json", _searches(owner)
    yield "matches.json", _matches(owner)
    yield "deliveries.json", _deliveries(owner)


def _as_json(rows: Iterable[Row]) -> Iterator[str]:
    """A list, a row a line."""
    before = "[\n"
    for row in rows:
        yield before + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _account(owner: User, now: datetime) -> Row:
    addresses = EmailAddress.objects.filter(user=owner).order_by("pk").values("email", "verified", "primary")
    keys = owner.keys.order_by("pk")
    return {
        "exported_at": now,
        **_fields(owner, ("email", "name", "language", "date_joined", "last_login")),
        "addresses": list(addresses),
        "preferences": _fields(preferences.of(owner), _PREFERENCES),
        "keys": list(keys.values(*_KEY)[:ROWS_PER_PAGE]),
        "publishers": list(owner.memberships.order_by("pk").values("created_at", name=F("publisher__name"))),
        "sign_in": [_way_in(each) for each in Authenticator.objects.filter(user=owner).order_by("pk")],
        "sessions": list(UserSession.objects.filter(user=owner).order_by("pk").values(*_SESSION)),
    }


def _way_in(authenticator: Authenticator) -> Row:
    """What it is called, and never what opens."""
    return {**_fields(authenticator, ("type", "created_at", "last_used_at")), "name": str(authenticator)}


def _searches(owner: User) -> Iterator[Row]:
    """With how they tell; removed ones, too, as long as they are stored."""
    rows = Subscription.objects.filter(owner=owner).select_related("terms", "shared").defer("compiled")
    for search in _paged(rows.prefetch_related("terms__channels")):
        terms: Terms = terms_of(search)
        shared: SharedSearch | None = getattr(search, "shared", None)
        told: Row = {"frequency": terms.frequency, "revisions": terms.revisions}
        told["shared_at"] = shared and shared.created_at
        chosen = chosen_channels(terms)
        yield _fields(search, _SEARCH) | told | {"channels": chosen if chosen == "all" else list(chosen)}


def _matches(owner: User) -> Iterator[Row]:
    """With what they were told of."""
    return _read(Match.objects.filter(owner=owner), _MATCH)


def _deliveries(owner: User) -> Iterator[Row]:
    """Channel by channel, along the index of each."""
    for channel in channels_of(owner).values_list("pk", flat=True):
        yield from _read(Delivery.objects.filter(channel=channel), _DELIVERY, also=_with_attempts)


def _with_attempts(page: list[Row]) -> None:
    attempts = Attempt.objects.filter(delivery__in=[row["id"] for row in page]).order_by("pk")
    log: dict[int, list[Row]] = defaultdict(list)
    for attempt in attempts.values("delivery_id", *_ATTEMPT):
        log[attempt.pop("delivery_id")].append(attempt)
    for row in page:
        row["log"] = log[row["id"]]


def _read(
    rows: QuerySet[Any], names: Mapping[str, str], *, also: Callable[[list[Row]], None] = lambda page: None
) -> Iterator[Row]:
    """These columns under these names, the number first. As objects, they would take three times as long."""
    columns = rows.order_by("pk").values_list(*names.values())
    last = 0
    while found := list(columns.filter(pk__gt=last)[:ROWS_PER_PAGE]):
        last = found[-1][0]
        page = [dict(zip(names, row, strict=True)) for row in found]
        also(page)
        yield from page


def _paged(rows: QuerySet[Any]) -> Iterator[Any]:
    """By number, so that a page costs the same however far back it is."""
    last = 0
    while page := list(rows.filter(pk__gt=last).order_by("pk")[:ROWS_PER_PAGE]):
        last = page[-1].pk
        yield from page


def _fields(row: Any, names: Iterable[str]) -> Row:
    return {name: getattr(row, name) for name in names}
