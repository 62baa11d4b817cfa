"""The portable document of `matching`, with how often each subscription tells, and what of new revisions.

Channels stay behind: they are addresses that were confirmed for an account of this server. What is brought
back tells on every channel that there is.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from matching import portable, selectors, services
from matching.drafts import Draft
from matching.models import Subscription
from matching.services import Also, Subscribed
from notifications.core.policy import Frequency, Revisions
from notifications.models import Terms
from notifications.selectors import terms_of
from schema_registry.accounts.models import User
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _
from schema_registry.selectors import current_schema


def exported(owner: User, *, now: datetime) -> dict[str, Any]:
    """All that an owner has, oldest first; moments are still datetimes. Two queries."""
    mine = selectors.subscriptions_of(owner).order_by("pk").prefetch_related("terms")
    return portable.exported(mine, now=now, more=_terms)


def imported(
    owner: User, document: object, *, now: datetime, clock: Callable[[], float]
) -> list[Subscribed | None]:
    """Store what the document describes and the owner does not have yet; None stands for the others.

    Raises InvalidImport and TooManySubscriptions, and then nothing was stored.
    """
    drafts = portable.read_document(document, current_schema(), now=now, clock=clock, more=READERS)
    return services.subscribe_missing(owner, drafts, now=now, also=_keep_terms(drafts))


def _terms(subscription: Subscription) -> Mapping[str, Any]:
    terms = terms_of(subscription)
    return {"frequency": str(terms.frequency), "revisions": str(terms.revisions)}


def _keep_terms(drafts: Sequence[Draft]) -> Also:
    """A draft that comes again is stored once, as it was the first time."""
    of_draft: dict[tuple[str, str], Mapping[str, Any]] = {}
    for draft in drafts:
        of_draft.setdefault(draft.identity, draft.more)

    def keep(row: Subscription) -> None:
        chosen = of_draft[row.canonical, row.name]
        if chosen and chosen != _USUAL:
            Terms.objects.create(subscription=row, **chosen)

    return keep


def _one_of(choices: type[StrEnum]) -> Callable[[object], str]:
    def read(raw: object) -> str:
        if not isinstance(raw, str) or raw not in set(choices):
            raise InputError(_("This must be one of {choices}.", choices=", ".join(choices)))
        return choices(raw)

    return read


READERS: portable.Readers = {"frequency": _one_of(Frequency), "revisions": _one_of(Revisions)}
_USUAL = {"frequency": Frequency.AT_ONCE, "revisions": Revisions.ONCE}  # what is not stored means these
