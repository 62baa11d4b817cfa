"""`manage.py demo_feed`: the houses of the demo go on listing items, so that there is something to watch."""

import time
from contextlib import suppress
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from lesubscribe.demo.items import newly_listed
from lesubscribe.demo.opening import houses
from matching import wakeups
from matching.intake import checked, publish
from schema_registry.accounts.models import Publisher
from schema_registry.selectors import current_schema


class Command(BaseCommand):
    help = "Publishes an invented item of the demo every few seconds, until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--every", type=float, default=5, help="seconds between two (%(default)s)")
        parser.add_argument("--items", type=int, help="stop after so many")

    def handle(self, *args: Any, every: float, items: int | None, **options: Any) -> None:
        if every < 0 or (items is not None and items < 1):
            raise CommandError("--every is 0 seconds or more, and --items is 1 or more.")
        publishers = {publisher.name: publisher for publisher in houses()}
        if not publishers:
            raise CommandError("There is no demo here; `manage.py load_demo` brings it.")
        with suppress(KeyboardInterrupt):
            self._list_items(publishers, every, items)

    def _list_items(self, publishers: dict[str, Publisher], every: float, items: int | None) -> None:
        random = Random()  # noqa: S311 - nothing here is secret
        done = 0
        while items is None or done < items:
            now = timezone.now()
            listed = newly_listed(random, lot=int(now.timestamp() * 1_000), now=now)
            publisher = publishers[listed.house.name]
            publish(publisher, checked(publisher, listed.envelope, current_schema()), now=now)
            wakeups.wake_matchers()
            done += 1
            self.stdout.write(f"{listed.house.name}: {listed.envelope.title}")
            if done != items:
                time.sleep(every)
