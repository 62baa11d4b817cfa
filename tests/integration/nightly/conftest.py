from pathlib import Path

import pytest
from pytest_django import Settings

from schema_registry.accounts.models import User
from tests.integration.lots import make_lots


@pytest.fixture
def owner(db: None) -> User:
    make_lots()
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def failpoints(tmp_path: Path, settings: Settings) -> Path:
    folder = tmp_path / "failpoints"
    folder.mkdir()
    settings.FAILPOINTS = str(folder)
    return folder
