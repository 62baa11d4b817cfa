"""`manage.py bench`: algorithms on a workload, measured one after the other."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from benchmarks import machine
from benchmarks.cell import BASELINES, Cell
from benchmarks.run import rows_of, table
from lesubscribe.management.arguments import file_to_write
from matching import registry, workloads


class Command(BaseCommand):
    help = "Measures algorithms on a workload: time per event, memory, cost of adding and removing."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workload", required=True, choices=workloads.names())
        parser.add_argument(
            "--algorithm", action="append", choices=[*registry.names(), *BASELINES], help="may be repeated"
        )
        parser.add_argument("--subscriptions", type=int, default=100_000)
        parser.add_argument("--events", type=int, default=1_000)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--seconds", type=float, default=60, help="per algorithm, when to stop repeating")
        parser.add_argument(
            "--parameter",
            action="append",
            default=[],
            metavar="NAME=JSON",
            help="of the workload, e.g. p=0.3",
        )
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="NAME=JSON",
            help='of the matcher, e.g. clusters="hash"',
        )
        parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write the figures here too")

    def handle(self, *args: Any, **options: Any) -> None:
        for name in ("subscriptions", "events"):
            if options[name] < 1:
                raise CommandError(f"--{name} must be at least 1.")
        shared = {name: options[name] for name in ("workload", "subscriptions", "events", "seed", "seconds")}
        parameters, matcher_options = _settings(options["parameter"]), _settings(options["option"])
        algorithms = options["algorithm"] or [*registry.algorithms(), *BASELINES]
        cells = [
            Cell(
                **shared,
                algorithm=algorithm,
                parameters=parameters,
                options={} if algorithm in BASELINES else matcher_options,
            )
            for algorithm in algorithms
        ]
        console = Console()
        if not console.is_terminal:
            console.width = 140  # a file or a pipe has no width of its own
        rows = rows_of(cells, console)
        report = {
            **{name: options[name] for name in ("workload", "subscriptions", "events", "seed")},
            "parameters": parameters,
            "machine": machine.description(),
            "rows": rows,
        }
        title = (
            f"{options['workload']}, {options['subscriptions']:,} subscriptions, {options['events']:,} events"
        )
        console.print(table(title, rows))
        if options["json"]:
            options["json"].write_text(json.dumps(report, indent=2) + "\n")
        if failed := [row["algorithm"] for row in rows if row.get("failed")]:
            raise CommandError(f"These ended without a result: {', '.join(failed)}.")
        if all("error" in row for row in rows):
            raise CommandError("Nothing could be measured.")


def _settings(words: list[str]) -> dict[str, Any]:
    settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        try:
            settings[name] = json.loads(value)
        except json.JSONDecodeError:
            settings[name] = value
        if not equals or not name:
            raise CommandError(f"Write NAME=VALUE, not {word!r}.")
    return settings
