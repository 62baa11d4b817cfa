"""An end to everything that goes over a socket, however slowly it drips.

A timeout of a socket is for one read, and begins anew with each byte. So a thread looks after all sockets and
shuts down those whose time is over; whoever reads from one then finds its end.
"""

import contextlib
import socket
import time
from collections.abc import Iterator
from threading import Condition, Thread

SECONDS_BETWEEN_LOOKS = 0.1


class Watch:
    """A socket that is watched. `has_struck` tells that its end was our doing."""

    def __init__(self, sock: socket.socket, ends_at: float) -> None:
        # A second handle on the same connection: the first may be wrapped for TLS meanwhile, or be closed.
        self._handle = sock.dup()
        self._ends_at = ends_at
        self.has_struck = False

    def strike_if_over(self, now: float) -> None:
        if now >= self._ends_at and not self.has_struck:
            self.has_struck = True
            with contextlib.suppress(OSError):  # the other side may have closed it first
                self._handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._handle.close()


class Watchdog:
    """One thread for all sockets of the process. It starts with the first."""

    def __init__(self) -> None:
        self._watches: set[Watch] = set()
        self._changed = Condition()
        self._thread: Thread | None = None

    @contextlib.contextmanager
    def watching(self, sock: socket.socket, *, ends_at: float) -> Iterator[Watch]:
        """Shut the connection down at this time of the monotonic clock, if it is still in use then."""
        watch = Watch(sock, ends_at)
        with self._changed:
            self._watches.add(watch)
            if self._thread is None:
                self._thread = Thread(target=self._look, name="watchdog", daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield watch
        finally:
            with self._changed:
                self._watches.remove(watch)
            watch.close()

    def _look(self) -> None:
        while True:
            with self._changed:
                while not self._watches:
                    self._changed.wait()
                now = time.monotonic()
                for watch in self._watches:
                    watch.strike_if_over(now)
            time.sleep(SECONDS_BETWEEN_LOOKS)


WATCHDOG = Watchdog()


def left_until(ends_at: float) -> float:
    """Seconds, as a timeout of a socket; zero would mean: do not wait at all."""
    return max(ends_at - time.monotonic(), 0.001)
