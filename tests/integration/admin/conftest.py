import pytest
from django.test import Client

from schema_registry import services
from schema_registry.accounts.models import User
from tests.integration.admin.pages import CONDITION, FURNITURE, MONEY, NOBODY


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("staff@example.org")


@pytest.fixture
def page(client: Client, staff: User) -> Client:
    client.force_login(staff)
    return client


@pytest.fixture
def schema(db: None) -> None:
    """Seven changes, so version 8."""
    for name, definition in {"money": MONEY, "furniture": FURNITURE, "condition": CONDITION}.items():
        services.create_domain(NOBODY, name, definition)
    for name, domain in {"price": "money", "category": "furniture", "state": "condition"}.items():
        services.create_attribute(NOBODY, name, domain)
    marks = {"price": ["mandatory", "unique"], "category": ["mandatory", "unique"]}
    services.create_event_type(NOBODY, "furniture", marks)
