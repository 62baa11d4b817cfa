"""Where a subscriber is told: channels, and what was sent to them."""

from collections.abc import Iterator
from typing import Literal, TypedDict, Unpack

from lesubscribe_client._api.api.channels import (
    channels_create,
    channels_destroy,
    channels_list,
    channels_partial_update,
    channels_retrieve,
    channels_rotate_secret,
    channels_test,
    channels_verify,
)
from lesubscribe_client._api.api.deliveries import deliveries_list, deliveries_replay, deliveries_retrieve
from lesubscribe_client._api.models import ChannelList, DeliveryPage, NewChannel, PatchedChangedChannel
from lesubscribe_client._api.types import UNSET
from lesubscribe_client.caller import Caller, expect, pages
from lesubscribe_client.documents import Channel, ChannelWithSecret, Delivery, DeliveryWithLog, Planned


class ChannelChanges(TypedDict, total=False):
    state: Literal["active", "disabled"]
    wants: Literal["everything", "notices", "nothing"]
    most_per_day: int | None


class Telling(Caller):
    def channels(self) -> list[Channel]:
        """Oldest first."""
        return expect(ChannelList, channels_list.sync(client=self._api)).results

    def channel(self, number: int) -> Channel:
        return expect(Channel, channels_retrieve.sync(number, client=self._api))

    def add_channel(self, kind: Literal["email", "webhook"], address: str) -> ChannelWithSecret:
        """It is used once its owner has confirmed it. The `secret`, which signs webhooks, is shown once."""
        body = NewChannel(kind=kind, address=address)
        return expect(ChannelWithSecret, channels_create.sync(client=self._api, body=body))

    def change_channel(self, number: int, **changes: Unpack[ChannelChanges]) -> Channel:
        body = PatchedChangedChannel(**changes)
        return expect(Channel, channels_partial_update.sync(number, client=self._api, body=body))

    def remove_channel(self, number: int) -> None:
        channels_destroy.sync_detailed(number, client=self._api)

    def test_channel(self, number: int) -> Planned:
        """Send a test message; `delivery` of its `id` says what became of it."""
        return expect(Planned, channels_test.sync(number, client=self._api))

    def verify_channel(self, number: int) -> Channel:
        """Send another message that proves it to be yours."""
        return expect(Channel, channels_verify.sync(number, client=self._api))

    def rotate_secret(self, number: int) -> ChannelWithSecret:
        """The old secret signs along for a day."""
        return expect(ChannelWithSecret, channels_rotate_secret.sync(number, client=self._api))

    def deliveries(
        self,
        *,
        state: Literal["waiting", "delivered", "dropped", "dead"] | None = None,
        channel: int | None = None,
    ) -> Iterator[Delivery]:
        """Newest first."""
        for page in pages(
            lambda cursor: expect(
                DeliveryPage,
                deliveries_list.sync(
                    client=self._api,
                    state=UNSET if state is None else state,
                    channel=UNSET if channel is None else channel,
                    cursor=cursor,
                ),
            )
        ):
            yield from page.results

    def delivery(self, number: int) -> DeliveryWithLog:
        """With the log of its attempts."""
        return expect(DeliveryWithLog, deliveries_retrieve.sync(number, client=self._api))

    def replay(self, number: int) -> DeliveryWithLog:
        """Send it again, under the same id."""
        return expect(DeliveryWithLog, deliveries_replay.sync(number, client=self._api))
