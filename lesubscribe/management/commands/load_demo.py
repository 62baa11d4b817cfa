"""`manage.py load_demo`: a month of three auction houses, to look round in."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lesubscribe.demo.account import DEMO_EMAIL
from lesubscribe.demo.load import load
from lesubscribe.demo.opening import DemoRefusedError, houses
from matching import feed_wakeups, wakeups
from matching.models import Match, PublishedEvent, Subscription
from matching.warming import warm


class Command(BaseCommand):
    help = "Loads a realistic auction schema, publishers, items and subscriptions, unless they are there."

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(highlight=False, soft_wrap=True)
        warm(settings.MATCHER, say=console.print)
        console.print("Loading the demo ...", style="bold")
        try:
            with _nobody_to_wake(), _progress(console) as progress:
                task = progress.add_task("Items", total=None)
                is_new = load(
                    now=timezone.now(),
                    report=lambda done, of: progress.update(task, completed=done, total=of),
                )
        except DemoRefusedError as refused:
            raise CommandError(str(refused)) from None
        console.print(_what_is_there() if is_new else "The demo is there already; nothing was changed.")


@contextmanager
def _nobody_to_wake() -> Iterator[None]:
    """Before a first start there is no Redis yet, and nobody who should hear of a match."""
    loggers = [logging.getLogger(module.__name__) for module in (feed_wakeups, wakeups)]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _what_is_there() -> str:
    items = PublishedEvent.objects.filter(publisher__in=houses(), revision=1)
    searches = Subscription.objects.filter(owner__email=DEMO_EMAIL)
    matches = Match.objects.filter(subscription__in=searches)
    return (
        f"The demo is there: {items.count():,} items of {houses().count()} auction houses, and"
        f" {searches.count()} searches of {DEMO_EMAIL} with {matches.count():,} matches."
    )
