"""What backups and their restoring refuse; what they do is in tests/faults/test_backup.py."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from lesubscribe import backups

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def backup_of(name: str, directory: Path) -> Path:
    (directory / backups.DESCRIPTION).write_text(json.dumps({"database": name}))
    (directory / backups.SECRET_KEY).write_text("s" * 50)
    return directory


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    with pytest.raises(CommandError, match="is not empty"):
        call_command("backup", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_backup_that_was_cut_short_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / backups.SQLITE).touch()
    with pytest.raises(CommandError, match="is no backup, or one that is not whole"):
        call_command("restore", str(tmp_path))


def test_a_backup_of_the_other_database_is_not_taken(tmp_path: Path) -> None:
    other = backups.POSTGRESQL if connection.vendor == "sqlite" else backups.SQLITE
    with pytest.raises(CommandError, match="This backup is not of a"):
        call_command("restore", str(backup_of(other, tmp_path)))


def test_data_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    same = backups.SQLITE if connection.vendor == "sqlite" else backups.POSTGRESQL
    with pytest.raises(CommandError, match="There is data in the database already"):
        call_command("restore", str(backup_of(same, tmp_path)))
