"""For whoever looks for something: subscribe, look through what was found, or hear of it as it comes."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, TypedDict, Unpack

from lesubscribe_client._api.api.matches import matches_list, matches_seen
from lesubscribe_client._api.api.subscriptions import (
    subscriptions_create,
    subscriptions_destroy,
    subscriptions_list,
    subscriptions_partial_update,
    subscriptions_preview,
    subscriptions_renew,
    subscriptions_retrieve,
)
from lesubscribe_client._api.models import (
    MatchPage,
    NewSubscription,
    PatchedChangedSubscription,
    PreviewBody,
    Renewal,
    SeenAnswer,
    SeenBody,
    SubscriptionPage,
)
from lesubscribe_client._api.types import UNSET, Unset
from lesubscribe_client.caller import expect, pages
from lesubscribe_client.documents import ChangedSubscription, Match, Preview, Subscribed, Subscription
from lesubscribe_client.stream import PATIENCE, Heard, listen
from lesubscribe_client.telling import Telling

State = Literal["active", "paused", "muted"]
MOST_ON_A_PAGE = 500


class Terms(TypedDict, total=False):
    """What a subscription is called, and how it tells of what it finds."""

    name: str
    frequency: Literal["at_once", "hourly", "daily", "weekly"]
    revisions: Literal["once", "price_drop", "always"]
    channels: list[int] | Literal["all"]


class NewTerms(Terms, total=False):
    valid_days: int | None  # None: it never ends


class Changes(Terms, total=False):
    text: str
    state: State


class Subscriber(Telling):
    """Needs a key of a person."""

    def subscribe(self, text: str, **terms: Unpack[NewTerms]) -> Subscribed:
        """Not repeated when no answer comes (NoAnswer): look among `subscriptions` whether it is there."""
        body = NewSubscription(text=text, **terms)
        return expect(Subscribed, subscriptions_create.sync(client=self._api, body=body))

    def preview(self, text: str, *, days: int = 30) -> Preview:
        """What this text would have found in the last days."""
        body = PreviewBody(text=text, days=days)
        return expect(Preview, subscriptions_preview.sync(client=self._api, body=body))

    def subscriptions(self, *, state: State | Literal["expired"] | None = None) -> Iterator[Subscription]:
        """Newest first."""
        only = UNSET if state is None else state
        for page in pages(
            lambda cursor: expect(
                SubscriptionPage,
                subscriptions_list.sync(
                    client=self._api, state=only, cursor=cursor, page_size=MOST_ON_A_PAGE
                ),
            )
        ):
            yield from page.results

    def subscription(self, number: int) -> Subscription:
        return expect(Subscription, subscriptions_retrieve.sync(number, client=self._api))

    def change(self, number: int, **changes: Unpack[Changes]) -> ChangedSubscription:
        body = PatchedChangedSubscription(**changes)
        answer = subscriptions_partial_update.sync(number, client=self._api, body=body)
        return expect(ChangedSubscription, answer)

    def pause(self, number: int) -> ChangedSubscription:
        """It finds nothing until it is resumed."""
        return self.change(number, state="paused")

    def mute(self, number: int) -> ChangedSubscription:
        """It goes on finding, and tells nobody."""
        return self.change(number, state="muted")

    def resume(self, number: int) -> ChangedSubscription:
        return self.change(number, state="active")

    def renew(self, number: int, *, valid_days: int | Unset | None = UNSET) -> Subscription:
        """From now on for so many days, or as long as usual; None is for ever."""
        answer = subscriptions_renew.sync(number, client=self._api, body=Renewal(valid_days=valid_days))
        return expect(Subscription, answer)

    def remove(self, number: int) -> None:
        subscriptions_destroy.sync_detailed(number, client=self._api)

    def matches(
        self,
        *,
        since: datetime | None = None,
        subscription: int | None = None,
        seen: bool | None = None,
    ) -> Iterator[Match]:
        """Newest first; those found before `since` are left out. For every one, once, use `listen`."""
        for page in pages(
            lambda cursor: expect(
                MatchPage,
                matches_list.sync(
                    client=self._api,
                    subscription=UNSET if subscription is None else subscription,
                    seen=UNSET if seen is None else seen,
                    cursor=cursor,
                ),
            )
        ):
            wanted = [match for match in page.results if since is None or match.matched_at >= since]
            yield from wanted
            if not wanted:  # a single older one may stand among newer ones, a page of them does not
                return

    def mark_seen(self, matches: Iterable[int], *, seen: bool = True) -> int:
        """By their ids, at most 500; how many are left unseen."""
        body = SeenBody(ids=list(matches), seen=seen)
        return expect(SeenAnswer, matches_seen.sync(client=self._api, body=body)).unseen

    def listen(self, *, after: int | None = None, patience: float = PATIENCE) -> Iterator[Heard]:
        """Matches as they come, without end: all after this number of your feed (0: from its beginning), or
        those from now on. Keep the last `number` you have dealt with, and begin after it next time.

        A lost connection is made again, and goes on where it was. Raises Refused, and NoAnswer after so many
        seconds without any connection.
        """
        return listen(self._http, after=after, patience=patience)
