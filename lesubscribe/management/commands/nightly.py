"""`manage.py nightly`: feed files become events and matches, by Spark, on this machine or on a cluster."""

from argparse import SUPPRESS, ArgumentTypeError
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console

from lesubscribe.nightly import night as nights
from lesubscribe.nightly import schedule
from lesubscribe.nightly.night import Night, Tell
from lesubscribe.nightly.showing import before_and_after, shown, summary
from lesubscribe.nightly.spark import SparkFailedError
from matching.nightly import mappings
from matching.nightly.leasing import AlreadyRunning
from matching.nightly.runs import AlreadyLoaded
from schema_registry.core.errors import InputError
from spark_jobs import places

MOST_DAYS = 366
_log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = (
        "Takes up the feed files under FEEDS/<site>/<YYYY-MM-DD>/: they are checked, mapped, validated and "
        "matched by Spark, and loaded. What was loaded before is not loaded again. See docs/nightly.md."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--feeds", default=settings.FEEDS, help="a directory or a URL (%(default)s)")
        parser.add_argument(
            "--snapshots",
            metavar="URL",
            default=settings.NIGHTLY_SNAPSHOTS,
            help="storage where executors fetch the searches; else they map those in the run's directory",
        )
        parser.add_argument("--date", type=_day, help="YYYY-MM-DD; the day before today if nothing is said")
        parser.add_argument("--since", type=_day, metavar="DATE", help="every day from this one to --date")
        parser.add_argument(
            "--site", action="append", default=[], help="only this one; may be repeated (all that have files)"
        )
        parser.add_argument("--master", default=settings.SPARK_MASTER, help="URL of a Spark (%(default)s)")
        parser.add_argument("--memory", default=settings.SPARK_MEMORY, help="of its Java (%(default)s)")
        parser.add_argument(
            "--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark"
        )
        parser.add_argument("--dry-run", action="store_true", help="read and judge only; nothing is stored")
        parser.add_argument("--again", action="store_true", help="also what is loaded; repeats stay repeats")
        parser.add_argument(
            "--at", type=_time, metavar="HH:MM", help="do it every night from now on, for --site"
        )
        parser.add_argument("--zone", type=_zone, default=ZoneInfo("UTC"), help="of --at (%(default)s)")
        parser.add_argument("--never", action="store_true", help="do it no longer every night, for --site")
        parser.add_argument("--scheduled", action="store_true", help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        # What rows and files say is shown as it is, also what looks like markup.
        console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
        if options["at"] or options["never"]:
            self._schedule(console, options)
            return
        waiting = list(_nights(options))
        if not waiting:
            raise CommandError(_nothing(options))
        failed = [night for night in waiting if not self._do(night, console, options)]
        if failed:
            names = ", ".join(f"{night.site} on {night.day}" for night in failed)
            raise CommandError(f"Not done: {names}.")

    def _do(self, night: Night, console: Console, options: dict[str, Any]) -> bool:
        console.print(f"{night.site}, {night.day}", style="bold")
        try:
            with shown(console) as tell:
                self._done(night, tell, console, options)
        except (AlreadyLoaded, AlreadyRunning) as nothing_to_do:
            console.print(f"  {nothing_to_do}", style="yellow")
        except (InputError, SparkFailedError) as error:
            console.print(f"  {error}", style="red")
            return False
        except Exception as error:  # the nights of other sites and days have nothing to do with it
            _log.exception("night_broke_off", site=night.site, day=night.day.isoformat())
            console.print(f"  It broke off: {nights.sentence(error)}", style="red")
            return False
        return True

    def _done(self, night: Night, tell: Tell, console: Console, options: dict[str, Any]) -> None:
        if options["dry_run"]:
            manifest = nights.try_out(night, tell=tell)
            for line in before_and_after(nights.first_rows(night)):
                console.print(f"  {line}")
            facts = {
                "counts": manifest["counts"],
                "rejects": manifest.get("rejects_by_reason", []),
                "quarantined": manifest.get("quarantined", []),
            }
        else:
            done = nights.run(night, tell=tell, again=options["again"])
            facts = {
                "counts": done.counts,
                "rejects": done.rejects,
                "quarantined": done.quarantined,
                "alerts": done.alerts,
                "stages": done.stages,
            }
        for line in summary(**facts):
            console.print(f"  {line}")

    def _schedule(self, console: Console, options: dict[str, Any]) -> None:
        if not options["site"]:
            raise CommandError("Say for which --site.")
        for site in options["site"]:
            if options["never"]:
                was = schedule.no_night(site)
                console.print(f"{site}: no longer every night." if was else f"{site}: was not scheduled.")
                continue
            try:
                nights.mapping_of(site)
            except InputError as error:
                raise CommandError(str(error)) from None
            schedule.every_night(site, at=options["at"], zone=options["zone"])
            console.print(f"{site}: every night at {options['at']:%H:%M}, {options['zone'].key}.")


def _nights(options: dict[str, Any]) -> Iterator[Night]:
    """In the order of days: what comes later is a later revision."""
    last = options["date"] or schedule.day_before(timezone.now(), options["zone"])
    first = options["since"] or last
    if not 0 <= (last - first).days < MOST_DAYS:
        raise CommandError(f"--since must be a day before --date, and not over {MOST_DAYS} days before.")
    known = mappings.sites()
    for day in (first + timedelta(days=number) for number in range((last - first).days + 1)):
        for site in options["site"] or known:
            night = Night(
                site=site,
                day=day,
                feeds=places.absolute(options["feeds"]),
                snapshots=places.absolute(options["snapshots"]) if options["snapshots"] else "",
                master=options["master"],
                memory=options["memory"],
                conf=_conf(options["conf"]),
                is_scheduled=options["scheduled"],
            )
            if options["site"] or _is_there(night):
                yield night


def _is_there(night: Night) -> bool:
    try:
        return places.is_directory(night.source)
    except (OSError, ValueError) as error:
        raise CommandError(f"{night.feeds} cannot be looked into: {error}") from None


def _nothing(options: dict[str, Any]) -> str:
    if not mappings.sites():
        return "There is no mapping of a site yet: add one in the administration, under Matching."
    return f"No site that has a mapping has files of that day under {options['feeds']}."


def _conf(words: list[str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    if wrong := [word for word, (name, equals, _) in zip(words, pairs, strict=True) if not (name and equals)]:
        raise CommandError(f"Write --conf NAME=VALUE, not {wrong[0]!r}.")
    return {name: value for name, _, value in pairs}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"a day is written as 2026-11-16, not {text!r}") from None


def _time(text: str) -> time:
    try:
        return datetime.strptime(text, "%H:%M").time()  # noqa: DTZ007 - --zone says of which zone
    except ValueError:
        raise ArgumentTypeError(f"a time is written as 02:30, not {text!r}") from None


def _zone(text: str) -> ZoneInfo:
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError):
        raise ArgumentTypeError(f"a time zone is one such as Europe/Paris, not {text!r}") from None
