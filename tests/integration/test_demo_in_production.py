"""In production no start makes the demo account, and one that comes with the demo has no password."""

import shutil
from pathlib import Path

import pytest
from pytest_django import Settings

from lesubscribe.demo.account import demo_user
from tests.integration.test_settings import PRODUCTION, manage
from tests.running_system import tables_on_sqlite

# As `up` does before it starts anything.
A_START = """
from rich.console import Console
from lesubscribe.management.commands.up import prepare_database
from schema_registry.accounts.models import Publisher, User
login = prepare_database(Console(quiet=True))
print(login, User.objects.count(), Publisher.objects.count())
"""


@pytest.mark.any_database
def test_a_start_makes_neither_account_nor_demo(tmp_path: Path) -> None:
    shutil.copy(tables_on_sqlite(), tmp_path / "lesubscribe.sqlite3")
    answer = manage("shell", "-c", A_START, var=tmp_path, **PRODUCTION)
    assert answer.stdout.splitlines()[-1:] == ["None 0 0"], answer.stderr
    assert not (tmp_path / "demo_password").exists()


@pytest.mark.database
def test_the_account_of_a_demo_that_was_asked_for_has_no_password(db: None, settings: Settings) -> None:
    settings.PRODUCTION = True
    account = demo_user()
    assert not account.has_usable_password()
    assert not account.is_staff
    assert not account.is_superuser
