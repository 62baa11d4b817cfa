"""A connection to one of the addresses of a host, before a deadline."""

import socket
from collections.abc import Iterable

from notifications.outbound.deadline import left_until
from schema_registry.core.sentences import gettext as _

_SECONDS_FOR_A_CONNECTION = 5.0  # then it is the next address's turn


def connected(addresses: Iterable[str], port: int, *, ends_at: float) -> socket.socket:
    """To the first address that takes it. Raises OSError, that of the last one."""
    failure: OSError = OSError(_("it has no address"))
    for address in addresses:
        try:
            seconds = min(_SECONDS_FOR_A_CONNECTION, left_until(ends_at))
            sock = socket.create_connection((address, port), timeout=seconds)
        except OSError as error:
            failure = error
        else:
            # What is left of the deadline is for each read; the watchdog is for all of them.
            sock.settimeout(left_until(ends_at))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # headers do not wait for the body
            return sock
    raise failure
