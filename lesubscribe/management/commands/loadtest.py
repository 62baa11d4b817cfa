"""`manage.py loadtest`: drives the running system over HTTP, and tells how it bore up."""

import json
import secrets
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks import machine
from lesubscribe.loadtest import crowd, fanout, intake
from lesubscribe.loadtest.figures import Figures, Outcome, Percentiles, figures
from lesubscribe.loadtest.sending import Request, Sender
from lesubscribe.loadtest.setting import AnotherSchemaError, Setting, prepare
from lesubscribe.management.arguments import file_to_write
from matching.models import PublishedEvent
from schema_registry.accounts.models import Scope
from schema_registry.accounts.services import issue_key, revoke_key

SECONDS_TO_CATCH_UP = 120


class Command(BaseCommand):
    help = (
        "Publishes events of the `auction` workload to the running system at a given rate and prints rates "
        "and percentiles. It needs the same environment (VAR, PORT, DATABASE_URL ...) as that system, and "
        "should have it to itself: it stores subscriptions and events."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--subscriptions", type=int, default=1_000, help="that there shall be at least")
        parser.add_argument("--rate", type=float, default=100, help="events per second (%(default)s)")
        parser.add_argument("--seconds", type=float, default=30, help="how long (%(default)s)")
        parser.add_argument("--batch", type=int, default=1, help="events per request (%(default)s)")
        parser.add_argument("--connections", type=int, default=8, help="at once (%(default)s)")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--url", default=settings.BASE_URL, help="of the system (%(default)s)")
        parser.add_argument(
            "--intake",
            type=int,
            metavar="EVENTS",
            help="measure instead, on a scratch database, how quickly batches of so many are taken in",
        )
        parser.add_argument(
            "--fanout",
            type=int,
            metavar="PEOPLE",
            help="measure instead how soon an item is planned for so many people while others are published",
        )
        parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write the figures here too")

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console()
        for name in ("rate", "seconds", "batch", "connections"):
            if options[name] <= 0:
                raise CommandError(f"--{name} must be above 0.")
        if options["subscriptions"] < 0:
            raise CommandError("--subscriptions must be 0 or more.")
        if options["intake"] is not None:
            report = self._intake(console, options)
        elif options["fanout"] is not None:
            report = self._fanout(console, options)
        else:
            report = self._load(console, options)
        if options["json"]:
            document = {"seed": options["seed"], "machine": machine.description(), **report}
            options["json"].write_text(json.dumps(document, indent=2) + "\n")

    def _intake(self, console: Console, options: dict[str, Any]) -> dict[str, Any]:
        if options["intake"] < 1:
            raise CommandError("--intake must be at least 1.")
        found = intake.measure(events=options["intake"], seed=options["seed"])
        console.print(f"bare bulk_create    {found.bare:10,.0f} events/s")
        console.print(f"validate and store  {found.batch:10,.0f} events/s   {found.share:.0%} of it")
        return {
            "intake": {
                "events": options["intake"],
                "bare_per_second": found.bare,
                "batch_per_second": found.batch,
                "share": found.share,
            }
        }

    def _fanout(self, console: Console, options: dict[str, Any]) -> dict[str, Any]:
        people = options["fanout"]
        if people < 1:
            raise CommandError("--fanout must be at least 1.")
        with _progress(console) as progress:
            setting = self._prepared(progress, options)
            gathering = progress.add_task("people", total=people)
            crowd.gather(
                people,
                setting,
                now=timezone.now(),
                progress=lambda count: progress.advance(gathering, count),
            )
            progress.add_task("publishing", total=None)
            key, secret = issue_key(setting.publisher.user, [Scope.EVENTS], name="load test")
            try:
                with crowd.listening(setting):
                    found = fanout.measure(
                        setting, people=people, seconds=options["seconds"], url=options["url"], key=secret
                    )
            except fanout.NotPlannedError as error:
                raise CommandError(str(error)) from None
            finally:
                revoke_key(key, now=timezone.now())
        console.print(_fanout_table(found))
        return {**_chosen(options, "subscriptions", "seconds"), "fanout": found.as_dict()}

    def _load(self, console: Console, options: dict[str, Any]) -> dict[str, Any]:
        with _progress(console) as progress:
            setting = self._prepared(progress, options)
            key, secret = issue_key(setting.publisher.user, [Scope.EVENTS], name="load test")
            try:
                found = self._measured(progress, setting, secret, options)
            finally:
                revoke_key(key, now=timezone.now())
        console.print(_table(found))
        if found.unmatched:
            raise CommandError(f"{found.unmatched} accepted events were not matched within the time allowed.")
        if not found.accepted:
            raise CommandError(f"Nothing was accepted; is the system at {options['url']} running?")
        chosen = _chosen(options, "subscriptions", "rate", "seconds", "batch", "connections")
        return {**chosen, "figures": found.as_dict()}

    def _prepared(self, progress: Progress, options: dict[str, Any]) -> Setting:
        subscribing = progress.add_task("subscriptions", total=options["subscriptions"])
        try:
            return prepare(
                subscriptions=options["subscriptions"],
                seed=options["seed"],
                now=timezone.now(),
                progress=lambda count: progress.advance(subscribing, count),
            )
        except AnotherSchemaError as error:
            raise CommandError(str(error)) from None

    def _measured(
        self, progress: Progress, setting: Setting, secret: str, options: dict[str, Any]
    ) -> Figures:
        run = f"load-{secrets.token_hex(4)}-"
        requests = _requests(setting, run, options)
        sender = Sender(
            options["url"],
            "/api/v1/events" if options["batch"] == 1 else "/api/v1/events/batch",
            key=secret,
            content_type="application/json" if options["batch"] == 1 else "application/x-ndjson",
            connections=options["connections"],
        )
        total = sum(request.events for request in requests)
        sending = progress.add_task("sent", total=total)
        began = timezone.now()
        sent = sender.send(
            requests,
            per_second=options["rate"] / options["batch"],
            progress=lambda count: progress.advance(sending, count),
        )
        ended = timezone.now()
        outcomes = _outcomes_when_done(progress, setting, run)
        return figures(sent, outcomes, began=began, ended=ended)


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console)


def _requests(setting: Setting, run: str, options: dict[str, Any]) -> list[Request]:
    count = max(1, int(options["rate"] * options["seconds"] / options["batch"])) * options["batch"]
    lines = [
        json.dumps({"external_id": f"{run}{place}", "event": event.to_dict()}).encode()
        for place, event in enumerate(setting.workload.events(count))
    ]
    size = options["batch"]
    return [Request(b"\n".join(lines[first : first + size]), size) for first in range(0, len(lines), size)]


def _outcomes_when_done(progress: Progress, setting: Setting, run: str) -> list[Outcome]:
    """What became of the events, once all are matched or too much time has passed."""
    mine = PublishedEvent.objects.filter(publisher=setting.publisher, external_id__startswith=run)
    waiting = progress.add_task("matched", total=mine.count())
    deadline = time.monotonic() + SECONDS_TO_CATCH_UP
    while (left := mine.filter(matched_at=None).count()) and time.monotonic() < deadline:
        progress.update(waiting, completed=mine.count() - left)
        time.sleep(0.25)
    progress.update(waiting, completed=mine.count() - left)
    return [Outcome(*row) for row in mine.values_list("accepted_at", "matched_at", "match_count")]


def _table(found: Figures) -> Table:
    table = Table(show_header=False)
    table.add_row("sent in", f"{found.seconds:.1f} s")
    table.add_row("answers", ", ".join(f"{count:,} x {status}" for status, count in found.statuses.items()))
    table.add_row("accepted", f"{found.accepted:,}, {found.accepted_per_second:,.0f}/s")
    table.add_row("matched meanwhile", f"{found.matched_meanwhile:,}, {found.matched_per_second:,.0f}/s")
    table.add_row("left to match at the end", f"{found.left_at_the_end:,}")
    table.add_row("matches per event", f"{found.matches_per_event:.1f}")
    table.add_row("time to an answer", _words(found.answer))
    table.add_row("publish to match", _words(found.publish_to_match))
    return table


def _chosen(options: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: options[name] for name in names}


def _fanout_table(found: fanout.FanoutFigures) -> Table:
    table = Table(show_header=False)
    table.add_row("deliveries of one item", f"{found.deliveries:,}")
    table.add_row("from acceptance until planned", f"{found.seconds_from_acceptance:.2f} s")
    table.add_row("from its last match until planned", f"{found.seconds_from_match:.2f} s")
    table.add_row("others, publish to planned", _words(found.others))
    table.add_row(
        "sustained", f"{found.sustained_matches:,} matches, {found.sustained_matches_per_second:,.0f}/s"
    )
    return table


def _words(found: Percentiles | None) -> str:
    if found is None:
        return "-"
    shares = (("p50", found.p50), ("p95", found.p95), ("p99", found.p99), ("most", found.most))
    return ", ".join(f"{name} {1000 * seconds:,.0f} ms" for name, seconds in shares)
