"""Random lives of events in random schemas: previews over columns and without them never differ."""

import random
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from matching import leases, parked, past, selectors, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.models import MatchWork, PublishedEvent
from matching.recent import reading, upkeep
from matching.recent.settling import Settling
from matching.revisions import ChangedBody
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.services import publisher_named
from schema_registry.core.errors import SchemaConflict, SubscriptionError
from schema_registry.selectors import current_schema
from tests.unit.schema_registry.strategies import random_document, random_schema, random_text

pytestmark = pytest.mark.django_db

USUAL_SEEDS = 2
STEPS, ITEMS = 80, 40
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
BY_STAFF = schema_services.Author(None)
State = PublishedEvent.State


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(upkeep, "EVENTS_AT_ONCE", 7)
    monkeypatch.setattr(upkeep, "SEGMENT_EVENTS", 20)
    monkeypatch.setattr(past, "EVENTS_PER_PAGE", 11)
    shutil.rmtree(reading.folder(), ignore_errors=True)
    yield
    shutil.rmtree(reading.folder(), ignore_errors=True)


def create_schema(rng: random.Random) -> None:
    wanted = random_schema(rng)
    for name, definition in wanted["domains"].items():
        schema_services.create_domain(BY_STAFF, name, definition)
    for name, domain in wanted["attributes"].items():
        schema_services.create_attribute(BY_STAFF, name, domain)
    for name, attributes in wanted["event_types"].items():
        schema_services.create_event_type(BY_STAFF, name, attributes)


def publish_one(rng: random.Random) -> None:
    house = publisher_named("House", state=Publisher.State.APPROVED)
    document = {
        "external_id": str(rng.randrange(ITEMS)),
        "event": random_document(rng, current_schema()),
        **rng.choice([{}, {}, {"revision": rng.randint(1, 5)}]),
    }
    at = NOW - timedelta(minutes=rng.randrange(60 * 24 * 6))
    try:
        publish(house, checked(house, read_envelope(document), current_schema()), now=at)
    except ChangedBody:
        return  # the revision was used


def live_a_step(rng: random.Random, number: int) -> None:
    events = list(PublishedEvent.objects.exclude(state=State.WITHDRAWN).order_by("pk"))
    action = rng.random()
    if action < 0.6 or not events:
        for _ in range(rng.randint(1, 4)):
            publish_one(rng)
    elif action < 0.7:
        services.withdraw(rng.choice(events))
    elif action < 0.8:
        some = MatchWork.objects.filter(event=rng.choice(events))
        some.update(attempts=leases.MOST_ATTEMPTS, leased_until=LONG_AGO)
        leases.park_hopeless()
    elif action < 0.85:
        for event in events:
            if event.state == State.PARKED:
                parked.retry(event)
    elif action < 0.9:
        name = rng.choice(sorted(current_schema().event_types))
        attribute = rng.choice(sorted(current_schema().attributes))
        try:
            schema_services.extend_event_type(BY_STAFF, name, attribute, multiple=rng.random() < 0.5)
        except SchemaConflict:
            return  # it has the attribute
    else:
        least, seconds = rng.choice([1, 1, 10]), rng.choice([0, 60])
        upkeep.keep(Settling(), now=NOW, clock=time.monotonic, least=least, seconds=seconds)


def test_previews_agree_after_every_step(pytestconfig: pytest.Config) -> None:
    for seed in range(8_000, 8_000 + (pytestconfig.getoption("deep") or USUAL_SEEDS)):
        rng = random.Random(seed)
        if not current_schema().attributes:
            create_schema(rng)
        matching = 0
        for number in range(STEPS):
            live_a_step(rng, number)
            text, days = random_text(rng, current_schema()), rng.choice([1, 3, 8])
            try:
                found = selectors.previewed(text, days=days, now=NOW, clock=lambda: 0)
            except SubscriptionError:
                continue  # it can never match
            reading.folder().mkdir(exist_ok=True)
            aside = reading.folder().rename(reading.folder().with_name("aside"))
            plain = selectors.previewed(text, days=days, now=NOW, clock=lambda: 0)
            aside.rename(reading.folder())
            assert found == plain, f"seed {seed}, step {number}: {text}"
            matching += found.count
        assert reading.opened(now=NOW) is not None, f"seed {seed}"
        assert matching > STEPS, f"seed {seed}"
