"""`manage.py backup DIRECTORY`: a copy of the database and the secret key, while the system runs."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from lesubscribe import backups


class Command(BaseCommand):
    help = "Copies the database, as it is at one moment, and the secret key into a new directory."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "directory", type=Path, help="new, or empty; nobody else should be able to read it"
        )

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        try:
            backups.make(directory, now=timezone.now())
        except backups.BackupError as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"The backup is in {directory}.")
