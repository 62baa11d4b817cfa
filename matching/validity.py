"""Until when a subscription is valid. Pure decisions; the clock is passed in.

An event matches if it was accepted before the expiry, however late it is matched.
"""

from datetime import datetime, timedelta

from matching.models import Subscription

State = Subscription.State
DEFAULT_VALID_DAYS = 30
MOST_VALID_DAYS = 3_650
# An event may be stored a while after the moment that counts as its acceptance.
LONGEST_ACCEPTANCE = timedelta(minutes=10)


def expiry(now: datetime, valid_days: int | None) -> datetime | None:
    """`valid_days` None means never."""
    return None if valid_days is None else now + timedelta(days=valid_days)


def state_at(state: str, expires_at: datetime | None, *, now: datetime) -> Subscription.State:
    """What a stored state means at this moment: the rows are marked as expired only some time later."""
    is_over = expires_at is not None and expires_at <= now
    return State.EXPIRED if is_over and state != State.REMOVED else State(state)


def expiry_cutoff(*, now: datetime, oldest_waiting: datetime | None) -> datetime:
    """No event accepted before this moment can still be unmatched.

    `oldest_waiting` is the moment when the oldest event that waits was accepted. What expired before the
    cutoff will match nothing any more.
    """
    settled = now - LONGEST_ACCEPTANCE
    return settled if oldest_waiting is None else min(settled, oldest_waiting)
