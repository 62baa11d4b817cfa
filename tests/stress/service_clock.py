"""Time that passes when it is told to, for all parts of the service and for its database."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

from django.db import connection

BEGIN = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)
# Who asks the database for the time does so by these.
BY_EXPRESSION = ("leases", "announcements", "services", "parked")
BY_TEXT = ("claims", "due")


class Clock:
    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        return self.now

    def database_time(self, *, seconds_ahead: int = 0) -> str:
        """For statements that are made of text."""
        moment = self.now + timedelta(seconds=seconds_ahead)
        if connection.vendor == "sqlite":
            return f"'{moment:%Y-%m-%d %H:%M:%S}.000'".replace("%", "%%")
        return f"TIMESTAMPTZ '{moment.isoformat()}'"


@contextmanager
def going_by(clock: Clock) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(patch("django.utils.timezone.now", clock))
        for module in BY_EXPRESSION:
            stack.enter_context(patch(f"matching.{module}.Now", clock))
        stack.enter_context(patch("notifications.claims.Now", clock))
        for module in BY_TEXT:
            stack.enter_context(patch(f"notifications.{module}.database_time", clock.database_time))
        yield
