"""`make bench`: the figures of schema and language, and the quick table of matchers. Under five minutes."""

from rich.console import Console

from benchmarks import core_figures, machine
from benchmarks.cell import BASELINES, Cell
from benchmarks.run import rows_of, table
from matching import registry

SUBSCRIPTIONS, EVENTS, SECONDS = 100_000, 300, 5
WORKLOADS = ("lesubscribe", "peers-eq", "auction")


def main() -> None:
    console = Console()
    if not console.is_terminal:
        console.width = 140
    console.print("  ".join(f"{name} {value}" for name, value in machine.description().items()))
    for name, value in core_figures.figures().items():
        console.print(f"{name:35} {value:12,.3f}")
    for workload in WORKLOADS:
        cells = [
            Cell(
                workload=workload,
                algorithm=algorithm,
                subscriptions=SUBSCRIPTIONS,
                events=EVENTS,
                seconds=SECONDS,
            )
            for algorithm in (*registry.algorithms(), *BASELINES)
        ]
        console.print(table(f"{workload}, {SUBSCRIPTIONS:,} subscriptions", rows_of(cells, console)))


if __name__ == "__main__":
    main()
