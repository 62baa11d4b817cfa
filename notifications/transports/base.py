"""What every transport does: send a message once, and tell what came of it.

A `DeliveryError` alone decides what happens next: a permanent one will not be tried again, and one that says
so switches the channel off.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from notifications.core.messages import Content


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A channel as a transport needs it. `secrets` are those that sign, the newest first."""

    channel: int
    owner: int
    address: str
    secrets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What went over the wire, for the delivery log."""

    status: int | None = None
    request: str = ""
    response: str = ""


class DeliveryError(Exception):
    """It did not arrive. The sentence is for the owner of the channel.

    `wait` is what the receiver asks for: not to be tried again before. `is_ours`: the fault lies with our own
    mail server or relay, not with the receiver; the channel's health is not touched.
    """

    def __init__(
        self,
        sentence: str,
        *,
        permanent: bool = False,
        disables: bool = False,
        is_ours: bool = False,
        wait: timedelta = timedelta(0),
        exchange: Exchange | None = None,
    ) -> None:
        super().__init__(sentence)
        self.permanent = permanent or disables
        self.disables = disables
        self.is_ours = is_ours
        self.wait = wait
        self.exchange = exchange or Exchange()


class Transport(Protocol):
    def send(self, target: Target, content: Content, *, uid: str, now: datetime) -> Exchange:
        """Send it; every attempt of a delivery carries the same `uid`. Raises DeliveryError."""
