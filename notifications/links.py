"""Addresses that work without signing in: whoever has the link may do what it is for, and nothing else.

They are signed, each purpose with a salt of its own. Looking at one changes nothing; a button does.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.urls import reverse

from notifications.models import Preferences

# How long a link works; one of another purpose works for ever.
_AGING = {
    "confirm-channel": timedelta(days=7),
    "change-search": timedelta(days=180),
    "mute-search": timedelta(days=180),
    "renew-search": timedelta(days=180),
    "undo": timedelta(hours=1),
}
# An address must fit on a header's line. Who has more searches in one mail leaves them all at once.
MOST_SEARCHES = 20


class BadLink(Exception):  # noqa: N818 - named for what it is
    """Forged, cut, or too old."""


@dataclass(frozen=True, slots=True)
class Unsubscribing:
    """From these searches on this channel; none means from all of them."""

    channel: int
    searches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OfSearch:
    """About this search, sent to this channel."""

    channel: int
    search: int


def confirm_address(channel: int, challenge: str) -> str:
    return _address("confirm-channel", [channel, challenge])


def read_confirm(token: str) -> tuple[int, str]:
    channel, challenge = _read("confirm-channel", token)
    return channel, challenge


def unsubscribe_address(channel: int, searches: Sequence[int] = ()) -> str:
    return _address("unsubscribe", [channel, list(searches) if len(searches) <= MOST_SEARCHES else []])


def read_unsubscribe(token: str) -> Unsubscribing:
    channel, searches = _read("unsubscribe", token)
    return Unsubscribing(channel, tuple(searches))


def change_address(channel: int, search: int) -> str:
    return _address("change-search", [channel, search])


def mute_address(channel: int, search: int) -> str:
    return _address("mute-search", [channel, search])


def renew_address(channel: int, search: int) -> str:
    return _address("renew-search", [channel, search])


def read_search(purpose: str, token: str) -> OfSearch:
    """What a link to change, mute or renew is about."""
    channel, search = _read(purpose, token)
    return OfSearch(channel, search)


def undo_address(facts: Any) -> str:
    return _address("undo", facts)


def read_undo(token: str) -> Any:
    return _read("undo", token)


def atom_address(owner: int, search: int | None = None) -> str:
    """The secret address of a person's feed, or of one search's; the same until `revoke_atom_addresses`."""
    return _address("atom", [owner, _feed_nonce(owner), search])


def atom_addresses(owner: int, searches: Sequence[int]) -> dict[int, str]:
    """Those of several searches, with one query for all."""
    nonce = _feed_nonce(owner)
    return {search: _address("atom", [owner, nonce, search]) for search in searches}


def read_atom(token: str) -> tuple[int, int | None]:
    """Whose feed, and of which search if not of all."""
    owner, nonce, search = _read("atom", token)
    if nonce != _feed_nonce(owner):
        raise BadLink
    return owner, search


def revoke_atom_addresses(owner: int) -> None:
    """From now on the owner's feeds have other addresses."""
    Preferences.objects.update_or_create(owner_id=owner, defaults={"feed_nonce": secrets.token_urlsafe(12)})


def shared_address(search: int, nonce: str) -> str:
    """Where others read a search, see `sharing`. The row there keeps the nonce."""
    return _address("shared-search", [search, nonce])


def read_shared(token: str) -> tuple[int, str]:
    search, nonce = _read("shared-search", token)
    return search, nonce


def _feed_nonce(owner: int) -> str:
    return Preferences.objects.filter(owner=owner).values_list("feed_nonce", flat=True).first() or ""


def _address(purpose: str, facts: Any) -> str:
    signer = _aging(purpose) if purpose in _AGING else _ageless(purpose)
    return settings.BASE_URL + reverse(purpose, args=[signer.sign_object(facts)])


def _read(purpose: str, token: str) -> Any:
    try:
        if purpose in _AGING:
            return _aging(purpose).unsign_object(token, max_age=_AGING[purpose])
        return _ageless(purpose).unsign_object(token)
    except (signing.BadSignature, ValueError):
        raise BadLink from None


# The usual separator, a colon, is where some mail programs end a link.


def _aging(purpose: str) -> signing.TimestampSigner:
    return signing.TimestampSigner(salt=f"notifications.{purpose}", sep=".")


def _ageless(purpose: str) -> signing.Signer:
    return signing.Signer(salt=f"notifications.{purpose}", sep=".")
