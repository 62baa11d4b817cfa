"""What is told to people, counted; /metrics adds it up over all processes."""

from dataclasses import dataclass

from prometheus_client import Counter, Gauge, Histogram

# `kind` is match or digest.
PLANNED = Counter("lesubscribe_deliveries_planned_total", "Deliveries that were planned.", ["kind"])
PLAN_LATENCY = Histogram(
    "lesubscribe_publish_to_planned_seconds",
    "From an event's acceptance until its last delivery was planned.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
# `outcome` is delivered, failed (to be tried again), dead or dropped.
DELIVERED = Counter(
    "lesubscribe_deliveries_total", "What came of attempts to deliver.", ["channel", "outcome"]
)
ATTEMPT_SECONDS = Histogram(
    "lesubscribe_delivery_attempt_seconds",
    "How long an attempt took.",
    ["channel"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30),
)
DUE = Gauge(
    "lesubscribe_deliveries_due",
    "Deliveries that are due and not yet sent, to channels that are on; at most 10,000 are counted.",
    multiprocess_mode="mostrecent",
)
FAILING = Gauge(
    "lesubscribe_channels_failing",
    "Active channels whose last attempt failed.",
    multiprocess_mode="mostrecent",
)
HALTED = Gauge(
    "lesubscribe_sending_halted", "1 while staff have halted all sending.", multiprocess_mode="mostrecent"
)
PLANNER_BACKLOG = Gauge(
    "lesubscribe_announcements_waiting", "Matched events still to be told of.", multiprocess_mode="mostrecent"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How things stand at a moment."""

    due: int
    failing: int
    announcements: int
    is_halted: bool


def measure(figures: Figures) -> None:
    DUE.set(figures.due)
    FAILING.set(figures.failing)
    PLANNER_BACKLOG.set(figures.announcements)
    HALTED.set(figures.is_halted)
