"""Searches that others may read by a link, and copy.

The link is signed and has a random part, which is stored with the search. So nobody guesses one, whoever
reads the database cannot make one, its owner can be shown it again, and deleting the row ends it at once.
What it leads to is the search as it is now; a copy of it is another's own, and nothing follows it.
"""

import secrets
from datetime import datetime

from matching.models import Subscription
from notifications import links
from notifications.models import SharedSearch


def share(search: Subscription, *, now: datetime) -> str:
    """The link of a search that is there; the same one as long as it is shared."""
    nonce = secrets.token_urlsafe(16)
    shared, _is_new = SharedSearch.objects.get_or_create(
        subscription=search, defaults={"nonce": nonce, "created_at": now}
    )
    return links.shared_address(search.pk, shared.nonce)


def stop(search: Subscription) -> bool:
    """End the link; whether there was one."""
    deleted, _rows = SharedSearch.objects.filter(subscription=search).delete()
    return bool(deleted)


def is_shared(search: Subscription) -> bool:
    return SharedSearch.objects.filter(subscription=search).exists()


def link_of(search: Subscription) -> str:
    """Empty where it is not shared."""
    nonce = SharedSearch.objects.filter(subscription=search).values_list("nonce", flat=True).first()
    return "" if nonce is None else links.shared_address(search.pk, nonce)


def shared_by(token: str) -> Subscription:
    """The search that this link is for.

    Raises BadLink for one that never was or is no more, be it that sharing was stopped, or that the search or
    its owner's account was deleted.
    """
    number, nonce = links.read_shared(token)
    there = Subscription.objects.exclude(state=Subscription.State.REMOVED).filter(owner__is_active=True)
    found = there.filter(pk=number, shared__nonce=nonce).defer("compiled").first()
    if found is None:
        raise links.BadLink
    return found
