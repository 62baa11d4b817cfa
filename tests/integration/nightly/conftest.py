from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from matching.nightly import leasing, runs
from schema_registry.accounts.models import User
from tests.integration.lots import make_lots


@pytest.fixture(autouse=True)
def long_leases_of_nights(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go by the database's clock. One that is to run out is made to by the test."""
    if "own_leases" not in request.fixturenames:
        for module in (leasing, runs):
            monkeypatch.setattr(module, "LEASE", timedelta(minutes=10))


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
