"""Can this worker match? A probe event goes through the matcher as any event does; nothing is recorded."""

from dataclasses import dataclass

from django.utils import timezone

from matching import metrics, operator_states
from matching.live import LiveMatcher
from matching.shards import WHOLE, Shard
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.events import Event
from schema_registry.selectors import current_schema


@dataclass(frozen=True, slots=True)
class MatcherState:
    """How many subscriptions a matcher holds, and the number of the last change that it knows."""

    subscriptions: int
    sequence: int
    shard: Shard = WHOLE


def probe_matcher(live: LiveMatcher) -> MatcherState:
    """Catch up and match an event without attributes. Raises what matching raises."""
    metrics.LAG.labels(live.shard.number).set(live.behind())
    live.catch_up()
    metrics.SUBSCRIPTIONS.labels(live.shard.number).set(len(live))
    operator_states.count(live.operator_states())
    event = Event({EVENT_TYPE: ()}, {}, current_schema())
    live.match(event, accepted_at=timezone.now())
    return MatcherState(len(live), live.sequence, live.shard)
