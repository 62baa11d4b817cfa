"""The sections of the page, one function each: what it means, a picture, a table, and how it was measured."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.batches import SIZES as BATCH_SIZES
from benchmarks.cell import BASELINES, ENGINE, LIMIT
from benchmarks.performance import pictures, tables
from benchmarks.performance.drawing import Drawing
from benchmarks.performance.matrix import ALL_MATCHERS, SIZES
from benchmarks.performance.pictures import Panel
from benchmarks.performance.results import Results
from benchmarks.performance.tables import number, table
from benchmarks.performance.targets import lead, targets
from benchmarks.start import STEPS
from matching import registry, workloads

PICTURES = Path("pictures", "performance")
WORKLOADS = workloads.names()
AT_1M = tuple(f"{workload}-1M" for workload in WORKLOADS)
ALGORITHMS = (ENGINE, *(name for name in registry.algorithms() if name != ENGINE), *BASELINES)
CHANGED, BATCHED, STARTED = (
    ("auction", "lesubscribe"),
    ("auction", "lesubscribe", "peers-range"),
    ("auction", "lesubscribe"),
)


@dataclass(slots=True)
class Page:
    results: Results
    parts: list[str] = field(default_factory=list)
    drawings: dict[str, Drawing] = field(default_factory=dict)

    def say(self, *paragraphs: str) -> None:
        self.parts += paragraphs

    def show(self, name: str, drawing: Drawing) -> None:
        self.drawings[name] = drawing
        self.parts.append(f"![{drawing.title}]({(PICTURES / name).as_posix()}.svg)")

    def measured(self, names: Iterable[str]) -> None:
        """Say when, where and at which commit these groups were measured."""
        groups = [self.results.groups[name] for name in names if name in self.results.groups]
        said = dict.fromkeys(
            f"{there['date']} at `{there['commit']}`, seed {group['seed']}: {there['processor']},"
            f" {there['cores']} cores, {there['memory_gb']} GB, Python {there['python']},"
            f" NumPy {there['numpy']}"
            for group in groups
            for there in _machines(group)
        )
        load = max((there["load_before"] for group in groups for there in _machines(group)), default=0.0)
        busy = (
            f" The machine was busy with other things too (load {load:.1f})." if load > machine.BUSY else ""
        )
        self.say(f"*Measured on {'; on '.join(said)}.{busy}*" if said else "*Not measured.*")

    def text(self) -> str:
        return "\n\n".join(part.strip("\n") for part in self.parts) + "\n"


def _machines(group: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a group was measured on, and those of its rows that came later."""
    return [group["machine"], *(row["measured"] for row in group["rows"] if "measured" in row)]


def _in_short(page: Page) -> None:
    page.say(
        "How fast is a match, and what does it cost to keep a million searches? Here is what the production"
        " matcher, `engine`, does on the [workloads](workloads.md), beside the other"
        " [matchers](algorithms.md) and beside what the machine allows.",
        "\n".join(f"- {said}" for said in _summary(page.results)),
    )


def _summary(results: Results) -> Iterator[str]:
    if time := results.figure("auction-1M", "us_per_event", algorithm=ENGINE):
        yield (
            f"Among a million searches, all that want an auction item are found in {number(time)} us:"
            f" {number(1e6 / time)} items a second on one core, one by one."
        )
    leads = {name: ahead for name in WORKLOADS if (ahead := lead(results, f"{name}-1M"))}
    if leads:
        first = sum(ahead >= 1 for ahead in leads.values())
        least, most = min(leads, key=leads.__getitem__), max(leads, key=leads.__getitem__)
        yield (
            f"At a million subscriptions the engine is the fastest on {first} of {len(leads)} workloads."
            f" The next fastest matcher takes from {number(leads[least])} times its time (`{least}`)"
            f" to {number(leads[most])} times (`{most}`)."
        )
    if add := results.figure("changes-auction", "add_us"):
        yield f"A search is added to three million in {number(add)} us, and counts for the next event."
    if start := results.figure("start-auction", "seconds"):
        yield f"A new worker answers its first event, from a snapshot of a million, after {number(start)} s."
    verdicts = [target.verdict for target in targets(results)]
    yield (
        f"Of the {len(verdicts)} figures that we set out to reach, {verdicts.count('holds')} hold,"
        f" {verdicts.count('missed')} are missed, and {verdicts.count('not measured')} are not measured."
    )


def _figures_to_reach(page: Page) -> None:
    page.say(
        "## Figures to reach",
        "At a million subscriptions, one thread, one event at a time and all ids written out, unless a line"
        " says otherwise. Machines differ, so most figures are ratios of times of the same run.",
        tables.figures_to_reach(page.results),
        "What must hold beside figures is held up by tests:",
        tables.held_by_tests(),
    )


def _against_others(page: Page) -> None:
    page.say("## Against every matcher", "The further to the left, the faster. The scale is logarithmic.")
    if shown := _by_workload(page.results, "us_per_event"):
        page.show("matchers", pictures.strips("Time of a match, a million subscriptions", "us", shown))
    page.say(
        "`limit` is no matcher but what the machine needs to read one bitmap of all subscriptions for each"
        " attribute and to write out as many ids as match: who reads dense bitmaps can hardly be faster."
        " `pyroaring` counts with compressed bitmaps and knows equalities only.",
        tables.by_algorithm(page.results, WORKLOADS, ALGORITHMS, "1M", "us_per_event"),
        "In us per event. *cannot*: it does not know these predicates, or would need too much memory;"
        " *failed*: it took too long, or broke down; -: not measured (`naive` and matching in a database are"
        " asked at small sizes only).",
        *_too_large(page.results),
    )
    page.measured(AT_1M)


def _too_large(results: Results) -> Iterator[str]:
    """The sentences of those that refused to take as much memory as they would need, with its size."""
    said = [
        f"- `{algorithm}` on `{workload}`: {error['error']}"
        for workload in WORKLOADS
        for algorithm in registry.algorithms()
        if (error := results.error(f"{workload}-1M", algorithm)) and " GB" in error["error"]
    ]
    if said:
        yield "\n".join(said)


def _scaling(page: Page) -> None:
    page.say(
        "## From ten thousand to five million",
        "The more subscriptions, the more there is to find, so time grows with matches. The grey line is the"
        " matcher that is the next fastest at a million.",
    )
    every = [_scaling_panel(page.results, workload) for workload in WORKLOADS]
    if any(line for panel in every for line in panel.lines.values()):
        axes = "microseconds per event, over subscriptions; both logarithmic"
        page.show("scaling", pictures.panels("Time of a match as subscriptions grow", axes, every))
    page.say(
        tables.scaling(page.results, WORKLOADS),
        "In us per event; in brackets our time over that of `limit`, and that of the next fastest matcher"
        " over ours.",
    )
    page.measured(f"{workload}-{size}" for workload in WORKLOADS for size in SIZES)


def _scaling_panel(results: Results, workload: str) -> Panel:
    found = (results.next_fastest(f"{workload}-{size}") for size in ALL_MATCHERS)
    other = next(filter(None, found), None)
    return Panel(
        workload,
        {
            algorithm: [
                (float(count), time)
                for size, count in SIZES.items()
                if (time := results.figure(f"{workload}-{size}", "us_per_event", algorithm=algorithm))
            ]
            for algorithm in (ENGINE, LIMIT, *([other] if other else []))
        },
    )


def _adding_and_removing(page: Page) -> None:
    page.say(
        "## Adding and removing",
        "A subscription counts from the moment it is added, and is gone from the moment it is removed. What"
        " that costs beside three million others, and what it costs those who match meanwhile:",
        tables.changes(page.results, CHANGED),
    )
    page.measured(f"changes-{workload}" for workload in CHANGED)
    for key, what in (("add_us", "Adding"), ("remove_us", "Removing")):
        if shown := _by_workload(page.results, key):
            page.show(key, pictures.strips(f"{what} one subscription, beside a million", "us", shown))
    page.measured(AT_1M)


def _memory(page: Page) -> None:
    page.say(
        "## Memory",
        "By how much a process grows when it loads a million subscriptions, ids included, for each of them.",
    )
    if shown := _by_workload(page.results, "bytes_per_subscription"):
        page.show("memory", pictures.strips("Memory per subscription", "bytes", shown))
    matchers = [name for name in ALGORITHMS if name != LIMIT]
    page.say(tables.by_algorithm(page.results, WORKLOADS, matchers, "1M", "bytes_per_subscription"))
    page.measured(AT_1M)


def _batches(page: Page) -> None:
    page.say(
        "## Batches",
        "Who has many events at hand matches them together, and pays for a call only once.",
    )
    times = {workload: page.results.parts(f"batches-{workload}", "us_per_event") for workload in BATCHED}
    lines = {name: [(float(size), time) for size, time in each.items()] for name, each in times.items()}
    if any(lines.values()):
        axes = "microseconds per event, over events in a batch; both logarithmic"
        panel = Panel("", lines)
        page.show("batches", pictures.panels("Time of an event in a batch", axes, [panel], to_a_row=1))
    head = ("us per event in batches of", *(f"{size:,}" for size in BATCH_SIZES))
    rows = ((name, *(number(each.get(str(size))) for size in BATCH_SIZES)) for name, each in times.items())
    page.say(table(head, rows))
    page.measured(f"batches-{workload}" for workload in BATCHED)


def _threads(page: Page) -> None:
    page.say(
        "## Threads",
        "Readers wait neither for one another nor for a writer, and kernels hold no lock of the interpreter.",
    )
    rates = {workload: page.results.parts(f"batches-{workload}", "events_per_second") for workload in BATCHED}
    gains = {name: each["2"] / each["1"] for name, each in rates.items() if each}
    if gains:
        shown = {name: {"": gain} for name, gain in gains.items()}
        mark = (1.7, "to reach")
        page.show("threads", pictures.bars("Rate of two threads over that of one", "x", shown, mark=mark))
    head = ("events per second", "one thread", "two threads", "gain")
    rows = (
        (name, number(each.get("1")), number(each.get("2")), number(gains.get(name)))
        for name, each in rates.items()
    )
    page.say(table(head, rows))
    page.measured(f"batches-{workload}" for workload in BATCHED)


def _start(page: Page) -> None:
    page.say(
        "## Starting",
        "A worker maps a snapshot of a million subscriptions instead of loading them. The snapshot's files"
        " were in the system's memory already.",
    )
    parts = {workload: page.results.parts(f"start-{workload}", "parts") for workload in STARTED}
    if shown := {name: each for name, each in parts.items() if each}:
        mark = (2.0, "to reach")
        page.show("start", pictures.bars("From a new process to its first answer", "s", shown, mark=mark))
    head = ("seconds", *STEPS, "in all", "all kernels compiled")
    rows = (
        (
            name,
            *(number(each.get(step)) for step in STEPS),
            number(page.results.figure(f"start-{name}", "seconds")),
            number(page.results.figure(f"start-{name}", "seconds_without_cache")),
        )
        for name, each in parts.items()
    )
    page.say(table(head, rows))
    page.measured(f"start-{workload}" for workload in STARTED)


def _how(page: Page) -> None:
    page.say(
        "## Measure it yourself",
        "<!-- not run: it takes an hour; tests/unit/benchmarks makes the page of saved figures"
        " -->\n"
        "```bash\n"
        ".venv/bin/python -m benchmarks.performance measure  # about an hour; goes on where it was stopped\n"
        ".venv/bin/python -m benchmarks.performance measure --missing  # only matchers that tables lack\n"
        ".venv/bin/python -m benchmarks.performance page  # this page, of what is saved\n"
        ".venv/bin/python manage.py bench --workload auction --subscriptions 1000000  # one table\n"
        "```",
        "Each algorithm runs in a process of its own. Events are validated before they are timed, coding them"
        " is part of a match, and frequencies are learnt on other events. A time is the median of up to five"
        " passes over the same events; what is slow is timed on fewer. The results are in"
        " [benchmarks/results/performance](../benchmarks/results/performance).",
    )


def _by_workload(results: Results, key: str) -> dict[str, dict[str, float]]:
    """The figures of all algorithms at a million, on those workloads that were measured."""
    rows = {
        workload: {
            name: figure
            for name in ALGORITHMS
            if (figure := results.figure(f"{workload}-1M", key, algorithm=name)) and figure > 0
        }
        for workload in WORKLOADS
    }
    return {workload: row for workload, row in rows.items() if row}


SECTIONS: tuple[Callable[[Page], None], ...] = (
    _in_short,
    _figures_to_reach,
    _against_others,
    _scaling,
    _adding_and_removing,
    _memory,
    _batches,
    _threads,
    _start,
    _how,
)
