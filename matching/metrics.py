"""What the live service counts; /metrics adds it up over all processes."""

from prometheus_client import Counter, Gauge, Histogram

from schema_registry.core.errors import InputError, InvalidEvent
from schema_registry.problems import status_and_code

ACCEPTED = Counter("lesubscribe_events_accepted_total", "Events taken in, repeats left out.")
REJECTED = Counter("lesubscribe_events_rejected_total", "Events refused, by rule or kind of error.", ["rule"])
UNNOTED = Counter(
    "lesubscribe_refusals_unnoted_total", "Requests whose refusals could not be kept for the console."
)
SHED = Counter("lesubscribe_requests_shed_total", "Requests refused because too much work waits.")
MATCHED = Counter("lesubscribe_events_matched_total", "Events that were matched.")
PARKED = Counter("lesubscribe_events_parked_total", "Events set aside because they could not be matched.")
MATCHES = Counter("lesubscribe_matches_total", "Matches written.")
LATENCY = Histogram(
    "lesubscribe_publish_to_match_seconds",
    "From acceptance to the last match.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
BACKLOG = Gauge("lesubscribe_backlog_events", "Events that wait.", multiprocess_mode="mostrecent")
SUBSCRIPTIONS = Gauge(
    "lesubscribe_matcher_subscriptions", "In the matcher.", ["shard"], multiprocess_mode="mostrecent"
)
LAG = Gauge(
    "lesubscribe_matcher_lag_changes", "Log entries it was behind.", ["shard"], multiprocess_mode="mostrecent"
)
STARTS = Counter("lesubscribe_matcher_starts_total", "Starts of a matcher, by what from.", ["source"])
SNAPSHOTS = Counter("lesubscribe_matcher_snapshots_total", "Snapshots saved.")
MERGES = Counter("lesubscribe_matcher_merges_total", "Merges of the whole matcher.")
OPERATORS = Counter(
    "lesubscribe_operator_evaluations_total",
    "Evaluations of operators: succeeded, failed, or skipped while it is left alone.",
    ["operator", "outcome"],
)
OPERATOR_SECONDS = Counter(
    "lesubscribe_operator_seconds_total", "What the evaluations that succeeded took.", ["operator"]
)
OPERATORS_DISABLED = Gauge(
    "lesubscribe_operator_disabled", "1 while it is left alone.", ["operator"], multiprocess_mode="livemax"
)


def count_rejection(error: InputError) -> None:
    """One for each rule that was broken."""
    if isinstance(error, InvalidEvent):
        for rule in {violation.rule for violation in error.errors}:
            REJECTED.labels(rule).inc()
    else:
        REJECTED.labels(status_and_code(error)[1]).inc()
