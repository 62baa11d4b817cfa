"""`manage.py restore DIRECTORY`: puts a backup into the empty database of VAR or DATABASE_URL."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from lesubscribe import backups


class Command(BaseCommand):
    help = "Puts a backup into the empty database of VAR or DATABASE_URL, and brings it up to this version."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path, help="what `manage.py backup` has made")

    def handle(self, *args: Any, directory: Path, **options: Any) -> None:
        try:
            backups.put_back(directory)
        except backups.BackupError as refused:
            raise CommandError(str(refused)) from None
        call_command("migrate", interactive=False, verbosity=0)
        self.stdout.write(f"What was in {directory} is in the database. `make up` goes on from there.")
