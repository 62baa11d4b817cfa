"""What a load test needs in the database: schema and subscriptions of `auction`, and a publisher."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from matching import workloads
from matching.algorithms.columns import SubscriptionColumns
from matching.change_log import CHANGES_AT_ONCE, MATCHED_STATES
from matching.drafts import Draft
from matching.models import Subscription
from matching.services import subscribe_many
from matching.stored import compiled
from matching.workloads import Workload
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.core.schema import Schema
from schema_registry.selectors import current_schema

MATCHES_PER_EVENT = 20
SUBSCRIPTIONS_PER_OWNER = CHANGES_AT_ONCE
# Measured with the workload: how likely an event matches a subscription with title words, and one without.
CHANCE_WITH_WORDS, CHANCE_WITHOUT = 13.0e-6, 28_000e-6


class AnotherSchemaError(Exception):
    """The database is used for something else."""


@dataclass(frozen=True, slots=True)
class Setting:
    workload: Workload
    schema: Schema
    publisher: Publisher


def prepare(
    *, subscriptions: int, seed: int, now: datetime, progress: Callable[[int], None] = lambda _: None
) -> Setting:
    """Put there what is missing. Raises AnotherSchemaError."""
    workload = auction(subscriptions, seed)
    schema = _schema(workload)
    publisher = publisher_named("Load test", state=Publisher.State.APPROVED)
    there = Subscription.objects.filter(state__in=MATCHED_STATES).count()
    progress(there)
    if there < subscriptions:
        _subscribe(workload.subscriptions(subscriptions), schema, first=there, now=now, progress=progress)
    return Setting(workload, schema, publisher)


def auction(subscriptions: int, seed: int) -> Workload:
    """The workload, with the share of subscriptions with words that makes about 20 matches an event."""
    wanted = MATCHES_PER_EVENT / max(subscriptions, 1)
    without = (wanted - CHANCE_WITH_WORDS) / (CHANCE_WITHOUT - CHANCE_WITH_WORDS)
    return workloads.create("auction", seed=seed, words=1 - min(max(without, 0.0), 1.0))


def _schema(workload: Workload) -> Schema:
    """The registry's schema, which gets the names of the workload if it has none."""
    wanted = workload.schema.to_dict()
    schema = current_schema()
    if not schema.attributes:
        by = schema_services.Author(None, why="load test")
        for name, definition in wanted["domains"].items():
            schema_services.create_domain(by, name, definition)
        for name, domain in wanted["attributes"].items():
            schema_services.create_attribute(by, name, domain)
        for name, attributes in wanted["event_types"].items():
            schema_services.create_event_type(by, name, attributes)
        schema = current_schema()
    found = schema.to_dict()
    if any(found[section] != wanted[section] for section in ("domains", "attributes", "event_types")):
        raise AnotherSchemaError(
            "This database has another schema than the load test's. Start a system for it, such as "
            "`VAR=/tmp/load DEMO_DATA=no PORT=8001 make up`, and give the load test the same variables."
        )
    return schema


def _subscribe(
    columns: SubscriptionColumns,
    schema: Schema,
    *,
    first: int,
    now: datetime,
    progress: Callable[[int], None],
) -> None:
    rows = iter(range(first, len(columns)))
    while portion := list(islice(rows, SUBSCRIPTIONS_PER_OWNER)):
        owner, _ = User.objects.get_or_create(email=f"load-{portion[0]}@example.org")
        subscribe_many(owner, [_draft(columns, row, schema) for row in portion], now=now, has_limit=False)
        progress(len(portion))


def _draft(columns: SubscriptionColumns, row: int, schema: Schema) -> Draft:
    """The columns are in normal form, so there is nothing to parse."""
    text = columns.text(row, schema)
    return Draft(
        text=text,
        canonical=text,
        compiled=compiled(columns.conjunctions_of(row)),
        schema_version=schema.version,
    )
