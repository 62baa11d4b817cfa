"""`manage.py probe`: does work flow? Sends a task to every queue and waits until it was done."""

import secrets
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from kombu.exceptions import OperationalError

from lesubscribe import health
from lesubscribe.celery import app
from lesubscribe.tasks import probe


class Command(BaseCommand):
    help = "Sends a probe task to every queue and waits until a worker has done it."
    requires_system_checks = ()  # they would import all pages first, which takes longer than this

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seconds", type=float, default=15, help="how long to wait (%(default)s)")

    def handle(self, *args: Any, seconds: float, **options: Any) -> None:
        app.set_default()
        began = time.monotonic()
        waiting = {queue: secrets.token_hex(8) for queue in settings.CELERY_TASK_QUEUES}
        try:
            for queue, token in waiting.items():
                probe.apply_async([queue, token], queue=queue, expires=seconds)
        except OperationalError as error:
            raise CommandError(f"Redis does not answer; does the system run? {error}") from None
        while waiting:
            for queue, token in list(waiting.items()):
                if health.probe_was_answered(token):
                    self.stdout.write(f"{queue}: answered after {time.monotonic() - began:.2f} s")
                    del waiting[queue]
            if waiting and time.monotonic() - began > seconds:
                raise CommandError(f"No answer within {seconds:g} s from: {', '.join(waiting)}")
            time.sleep(0.05)
