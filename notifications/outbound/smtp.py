"""Django's SMTP backend with one deadline for the whole dialogue, from the lookup to the last reply.

Its own timeout is one for each read. A server that answers slowly, or byte by byte, could hold a mail for
longer than we hold its delivery, and then another worker would send it again.
"""

import smtplib
import socket
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from django.core.mail.backends import smtp

from notifications.outbound.connecting import connected
from notifications.outbound.deadline import WATCHDOG, left_until
from notifications.outbound.resolving import addresses

_Connect = Callable[[str, int], socket.socket]


class EmailBackend(smtp.EmailBackend):
    """For one dialogue, which ends at this time of the monotonic clock. To be closed in any case."""

    def __init__(self, *, ends_at: float, **options: Any) -> None:
        super().__init__(**options)
        self._ends_at = ends_at
        self._watches = ExitStack()

    @property
    def connection_class(self) -> Callable[..., smtplib.SMTP]:  # type: ignore[override] # it is only called
        kind = _SecureConnection if self.use_ssl else _Connection
        return partial(kind, connect_to=self._watched_socket)

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._watches.close()

    def _watched_socket(self, host: str, port: int) -> socket.socket:
        left = left_until(self._ends_at)
        found = addresses(host, port, resolver=socket.getaddrinfo, seconds=left)
        sock = connected(found, port, ends_at=self._ends_at)
        if self.timeout:
            sock.settimeout(min(self.timeout, left_until(self._ends_at)))
        self._watches.enter_context(WATCHDOG.watching(sock, ends_at=self._ends_at))
        return sock


class _OnOurSocket(smtplib.SMTP):
    """smtplib made `_get_socket` for those who connect in another way, TLS among them."""

    _connect_to: _Connect

    def _get_socket(self, host: str, port: int, timeout: object) -> socket.socket:
        return self._connect_to(host, port)


class _Connection(_OnOurSocket):
    def __init__(self, *args: Any, connect_to: _Connect, **options: Any) -> None:
        self._connect_to = connect_to  # the parent connects at once
        super().__init__(*args, **options)


class _SecureConnection(smtplib.SMTP_SSL, _OnOurSocket):
    """In this order the socket is ours, and watched, before the handshake begins on it."""

    def __init__(self, *args: Any, connect_to: _Connect, **options: Any) -> None:
        self._connect_to = connect_to
        super().__init__(*args, **options)
