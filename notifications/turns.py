"""How many threads share a database.

SQLite lets one write at a time, and who finds it busy sleeps, in ever longer steps. So the threads of a
process take turns by a lock, which wakes the next one at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock

from django.db import close_old_connections, connection, transaction

_lock = Lock()


@contextmanager
def short_transaction() -> Iterator[None]:
    """Not to be nested, and to be left soon: on SQLite all other threads wait for it."""
    with _lock if connection.vendor == "sqlite" else nullcontext(), transaction.atomic():
        yield


def give_connection_back() -> None:
    """Before a long wait: a pool has far fewer connections than we have threads. Without one it is kept."""
    if not connection.in_atomic_block:  # as in a test that rolls back in the end
        close_old_connections()


def database_time(*, seconds_ahead: int = 0) -> str:
    """For a statement with parameters: clocks of machines differ, and that of the database is one."""
    if connection.vendor == "sqlite":
        return f"STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', '+{seconds_ahead} seconds')"
    return f"(STATEMENT_TIMESTAMP() + INTERVAL '{seconds_ahead} seconds')"
