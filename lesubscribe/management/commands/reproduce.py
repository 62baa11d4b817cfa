"""`manage.py reproduce`: the papers' figures and tables with our implementations."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from benchmarks.own_process import ROOT
from benchmarks.performance.results import Results as Performance
from benchmarks.reproduce import claims_page, page, registry, running
from benchmarks.reproduce.claims import Evidence
from benchmarks.reproduce.results import Results

RESULTS = ROOT / "benchmarks" / "results" / "reproduce"
PERFORMANCE = ROOT / "benchmarks" / "results" / "performance"
PAGES = ROOT / "docs" / "reproduction"


class Command(BaseCommand):
    help = "Measures the papers' figures again, and writes a page, a picture and a CSV file of each."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME", help="e.g. 001-fig4")
        parser.add_argument("--all", action="store_true", help="every figure there is")
        parser.add_argument("--list", action="store_true", help="say which there are")
        parser.add_argument(
            "--paper", action="store_true", help="repeat as often as the paper did, not only as far as needed"
        )
        parser.add_argument("--again", action="store_true", help="also what is measured already")
        parser.add_argument("--page", action="store_true", help="only make the pages of what is measured")
        parser.add_argument(
            "--claims", action="store_true", help="only make the pages of all claims and of all figures"
        )
        parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIRECTORY")
        parser.add_argument("--into", type=Path, default=PAGES, metavar="DIRECTORY", help="for the pages")

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(highlight=False)
        if options["list"]:
            for figure in registry.figures().values():
                console.print(
                    f"{figure.name:12} {len(figure.cells):>3} cells  {figure.title}", soft_wrap=True
                )
            return
        results = Results(options["results"])
        if options["claims"]:
            console.print(f"Written: {_write_overviews(results, options['into'])}", soft_wrap=True)
            return
        if bool(options["names"]) == options["all"]:
            raise CommandError("Name the figures, or ask for --all of them; --list says which there are.")
        try:
            figures = [registry.figure(name) for name in options["names"] or registry.figures()]
        except registry.UnknownFigureError as error:
            raise CommandError(str(error)) from None
        failures = []
        if not options["page"]:
            failures = running.run(figures, results, console, paper=options["paper"], again=options["again"])
        for figure in figures:
            try:
                console.print(f"Written: {page.write(figure, results, options['into'])}", soft_wrap=True)
            except LookupError as error:
                raise CommandError(str(error)) from None
        _write_overviews(results, options["into"])
        if failures:
            raise CommandError(f"{len(failures)} cells ended without a result.")


def _write_overviews(results: Results, into: Path) -> Path:
    """README.md with all figures, and claims.md, whose path is given."""
    evidence = Evidence(registry.figures(), results, Performance.read(PERFORMANCE))
    written = claims_page.write(evidence, into)
    page.write_index(registry.figures().values(), results, into)
    return written
