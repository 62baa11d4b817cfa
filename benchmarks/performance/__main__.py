"""`python -m benchmarks.performance measure [--only NAME ...] [--missing] [--quick]`, then `... page`.

Measuring takes about two hours, goes on where it was stopped, and wants the machine for itself; `--missing`
measures only the matchers that saved tables lack. `page` makes docs/performance.md and its pictures of what
is saved, and the measured part of the guide in docs/algorithms.md, in a second.
"""

import argparse
from pathlib import Path

from rich.console import Console

from benchmarks.own_process import ROOT
from benchmarks.performance import filling, measuring, page
from benchmarks.performance.matrix import groups

RESULTS = ROOT / "benchmarks" / "results" / "performance"
QUICK_RESULTS = ROOT / "benchmarks" / "output" / "performance"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser("measure", help="measure what is not yet, and save it")
    measure.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        help="groups with this in their name, e.g. auction-1M, changes; measured also if they were",
    )
    measure.add_argument(
        "--quick", action="store_true", help="a hundredth of the size, to try it out; saved elsewhere"
    )
    measure.add_argument(
        "--missing",
        action="store_true",
        help="only matchers that saved tables have no row of, cell by cell, at whatever commit",
    )
    measure.add_argument(
        "--minutes", type=float, metavar="N", help="with --missing: begin no further cell after so long"
    )
    make = commands.add_parser("page", help="make the page of what is saved")
    make.add_argument("--into", type=Path, default=ROOT / "docs", metavar="DIRECTORY")
    for each in (measure, make):
        each.add_argument(
            "--results", type=Path, metavar="DIRECTORY", help=f"default {RESULTS.relative_to(ROOT)}"
        )
    options = parser.parse_args()
    console = Console(highlight=False)
    if options.command == "page":
        page.write(options.results or RESULTS, into=options.into)
        console.print(f"Written: {options.into / 'performance.md'}")
        return
    results = options.results or (QUICK_RESULTS if options.quick else RESULTS)
    try:
        if options.missing:
            filling.fill(
                groups(quick=options.quick),
                only=options.only,
                into=results,
                console=console,
                most_minutes=options.minutes,
            )
            return
        measuring.measure(
            groups(quick=options.quick),
            only=options.only,
            into=results,
            console=console,
            quick=options.quick,
        )
    except measuring.UnknownGroupError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
