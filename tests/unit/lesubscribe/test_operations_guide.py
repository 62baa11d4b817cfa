"""docs/operations.md names the settings, metrics and figures that there are."""

import json
import re
from typing import Any

import yaml
from prometheus_client import REGISTRY

from tests.documented import blocks_of
from tests.running_system import ROOT

GUIDE = (ROOT / "docs" / "operations.md").read_text()
RESULTS = ROOT / "benchmarks" / "results"


def figures(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return found


def test_all_settings_are_in_its_table() -> None:
    described = set(re.findall(r"^# ?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert {name for name in described if f"`{name}`" not in GUIDE} == set()


def test_the_metrics_of_its_alerts_are_counted() -> None:
    import matching.metrics
    import notifications.metrics

    assert matching.metrics
    assert notifications.metrics
    known = {f"{metric.name}{end}" for metric in REGISTRY.collect() for end in ("", "_total")}
    named = set(re.findall(r"\blesubscribe_[a-z_]+\b", GUIDE))
    assert len(named) >= 7
    assert named - known == set()


def test_its_alerts_can_be_read() -> None:
    (rules,) = (block.text for block in blocks_of("operations.md", GUIDE) if block.kind == "yaml")
    (group,) = yaml.safe_load(rules)["groups"]
    assert all({"alert", "expr", "labels"} <= rule.keys() for rule in group["rules"])


def test_the_figures_for_sizing_are_those_that_were_measured() -> None:
    million, hundred, batch = (figures(f"live-{name}") for name in ("1M-single", "100k-single", "100k-batch"))
    for run, items in ((million, "one by one"), (hundred, "one by one"), (batch, "in batches of 100")):
        median, most = (1000 * run["figures"]["publish_to_match"][name] for name in ("p50", "p99"))
        assert (
            f"| {run['subscriptions']:,} searches, {run['rate']:.0f} items a second, {items} "
            f"| from publishing to the match: {median:.0f} ms, 99%: {most:.0f} ms |"
        ) in GUIDE
    fanout, nightly = figures("fanout-20000")["fanout"], figures("nightly-1M")
    (engine,) = (row for row in figures("performance/auction-1M")["rows"] if row["algorithm"] == "engine")
    (start,) = figures("performance/start-auction")["rows"]
    night = nightly["rows"][-1]
    for sentence in (
        f"{engine['bytes_per_subscription']:.0f} bytes a search",
        f"{start['snapshot_bytes'] / 1e6:.0f} MB on disk",
        f"{start['seconds']:.1f} s after a start",
        f"{fanout['deliveries']:,} people | all messages are planned {fanout['seconds_from_match']:.1f} s",
        f"{night['rows']:,} rows among {nightly['subscriptions']:,} searches | {night['seconds']:.0f} s",
        f"{night['memory_gb']:.1f} GB |",
    ):
        assert sentence in GUIDE, sentence


def test_rates_of_both_databases_and_the_room_they_need_are_those_that_were_measured() -> None:
    runs = {run["database"]: run for run in figures("overload")["runs"]}
    told = {row["database"]: row for row in figures("telling")["rows"]}
    messages = {run["database"]: run["room"]["message"] for run in figures("deliveries-5000")["runs"]}
    rates = [f"{runs[each]['sustainable']:.0f}" for each in ("sqlite", "postgresql")]
    seconds = [f"{told[each]['last_seconds']:.0f} s" for each in ("sqlite", "postgresql")]
    per_second = [f"{told[each]['per_second']:.0f}" for each in ("sqlite", "postgresql")]
    rooms = [
        (runs[each]["room"]["event"], runs[each]["room"]["match"], messages[each])
        for each in ("sqlite", "postgresql")
    ]
    assert {row["people"] for row in told.values()} == {2_000}
    sentences = [
        "{} items a second on SQLite, {} on PostgreSQL; three times".format(*rates),
        "after {} on SQLite, {} on PostgreSQL: {} and {} in a second".format(*seconds, *per_second),
        "{:,}, {:,} and {:,} bytes on SQLite; {:,}, {:,} and {:,} on PostgreSQL".format(*rooms[0], *rooms[1]),
    ]
    gigabytes = [10_000 * 90 * (event + 20 * match + 2 * message) / 1e9 for event, match, message in rooms]
    sentences.append(f"{gigabytes[0]:.1f} GB in 90 days on SQLite")
    sentences.append(f"{gigabytes[1]:.1f} GB on PostgreSQL")
    assert [sentence for sentence in sentences if sentence not in " ".join(GUIDE.split())] == []
