from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from lesubscribe import health
from lesubscribe.operations import looking, trouble
from lesubscribe.operations.figures import Disk
from matching import services as matching_services
from matching.models import PublishedEvent, Subscription
from notifications import claims
from notifications.models import Channel
from schema_registry import services
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from tests.integration import cached
from tests.integration.admin.items import published
from tests.integration.admin.operating import QUEUES
from tests.integration.admin.pages import CONDITION, FURNITURE, MONEY, NOBODY
from tests.integration.made_once import made_once
from tests.integration.waiting import add_channel
from tests.sinks import HttpSink


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("staff@example.org")


@pytest.fixture
def page(client: Client, staff: User) -> Client:
    client.force_login(staff)
    return client


@pytest.fixture
def schema(db: None) -> None:
    _make_schema()


@made_once
def _make_schema() -> None:
    """Seven changes, so version 8."""
    for name, definition in {"money": MONEY, "furniture": FURNITURE, "condition": CONDITION}.items():
        services.create_domain(NOBODY, name, definition)
    for name, domain in {"price": "money", "category": "furniture", "state": "condition"}.items():
        services.create_attribute(NOBODY, name, domain)
    marks = {"price": ["mandatory", "unique"], "category": ["mandatory", "unique"]}
    services.create_event_type(NOBODY, "furniture", marks)


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("collector@example.org")


@pytest.fixture
def subscription(schema: None, owner: User) -> Subscription:
    said = "category <= table and price <= 200"
    return matching_services.subscribe(owner, said, now=timezone.now(), name="Kitchen").subscription


@pytest.fixture
def house(db: None) -> Publisher:
    return publisher_named("Drouot", state=Publisher.State.APPROVED)


@pytest.fixture
def event(schema: None, house: Publisher) -> PublishedEvent:
    return published(house, "lot 7", title="A dining table")


@pytest.fixture
def workers_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is wrong, as far as the operations page can tell."""
    cached.forget()
    for queue in QUEUES:
        health.record_probe(queue)
    monkeypatch.setattr(claims, "_hints", claims.Hints())
    monkeypatch.setattr(trouble, "SILENT_FOR", timedelta(hours=1))  # however long a test takes
    monkeypatch.setattr(trouble, "LATE_AFTER", timedelta(minutes=2))
    monkeypatch.setattr(looking, "_disk", lambda: Disk(2**40, 2**41))  # whatever this machine has


@pytest.fixture
def sink(tmp_path: Path, settings: Settings) -> Iterator[HttpSink]:
    settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


@pytest.fixture
def webhook(owner: User, sink: HttpSink) -> Channel:
    return add_channel(owner, sink.url("/hook"), verified_at=timezone.now())
