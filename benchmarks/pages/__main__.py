"""`python -m benchmarks.pages fill --var DIR`, then `... measure --var DIR [--json FILE]`.

Filling takes some minutes and goes on where it was stopped. It is for a directory of its own.
"""

import argparse
import json
import os
from pathlib import Path

import django
from rich.console import Console


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fill = commands.add_parser("fill", help="put there what the pages are measured with")
    fill.add_argument("--subscriptions", type=int, default=100_000, help="of many people (%(default)s)")
    fill.add_argument("--searches", type=int, default=10_000, help="of one person (%(default)s)")
    fill.add_argument("--events", type=int, default=1_000_000, help="over 30 days (%(default)s)")
    measure = commands.add_parser("measure", help="ask for every page and tell how long it took")
    measure.add_argument("--rounds", type=int, default=20, help="how often (%(default)s)")
    measure.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    measure.add_argument("--only", default="", help="pages with this in their name")
    for each in (fill, measure):
        each.add_argument("--var", type=Path, required=True, help="the directory of the data")
    options = parser.parse_args()
    options.var.mkdir(parents=True, exist_ok=True)
    os.environ |= {"VAR": str(options.var.resolve()), "DEMO_DATA": "no", "LOG_LEVEL": "WARNING"}
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")
    django.setup()
    from benchmarks.pages import filling, measuring  # they need the settings

    console = Console()
    if not console.is_terminal:
        console.width = 160
    if options.command == "fill":
        filling.fill(
            subscriptions=options.subscriptions,
            searches=options.searches,
            events=options.events,
            tell=console.print,
        )
        return
    report = measuring.measure(rounds=options.rounds, only=options.only)
    console.print(measuring.table(report))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
