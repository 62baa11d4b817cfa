"""Searches for lots that change at random, and what the oracle says they match."""

import random
from datetime import UTC, datetime

from matching import services
from matching.change_log import MATCHED_STATES
from matching.live import LiveMatcher
from matching.models import Subscription
from matching.validity import state_at
from schema_registry.accounts.models import User
from schema_registry.language import parse
from schema_registry.selectors import current_schema

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
TEXTS = [
    "price < 10",
    "price >= 10",
    "price in (3, 12)",
    "not price = 5",
    "price < 4 or price > 20",
    "price exists",
]


def expected(price: int, accepted_at: datetime) -> set[int]:
    """The oracle's answer, from the texts in the database."""
    event = current_schema().validate({"event_type": ["lot"], "price": price})
    alive = Subscription.objects.filter(state__in=MATCHED_STATES)
    return {
        row.pk
        for row in alive
        if (row.expires_at is None or accepted_at < row.expires_at)
        and parse(row.text, current_schema()).matches(event)
    }


def answer(live: LiveMatcher, price: int, accepted_at: datetime) -> set[int]:
    event = current_schema().validate({"event_type": ["lot"], "price": price})
    found = live.match(event, accepted_at=accepted_at)
    assert len(found) == len(set(found))
    return set(found)


def random_change(owner: User, rng: random.Random, now: datetime) -> None:
    rows = list(Subscription.objects.exclude(state=Subscription.State.REMOVED))
    if not rows or rng.random() < 0.4:
        services.subscribe(owner, rng.choice(TEXTS), now=now, valid_days=rng.choice([1, 5, None]))
        return
    row = rng.choice(rows)
    is_over = state_at(row.state, row.expires_at, now=now) == services.State.EXPIRED
    match rng.randrange(4):
        case 0:
            services.change(row, now=now, text=rng.choice(TEXTS))
        case 1 if not is_over:
            state = rng.choice([services.State.ACTIVE, services.State.PAUSED, services.State.MUTED])
            services.change(row, now=now, state=state)
        case 1 | 2:
            services.renew(row, now=now, valid_days=rng.choice([1, 5, None]))
        case 3:
            services.unsubscribe(row)
