"""What is wrong follows from the figures alone: each kind of trouble, their order, none when all is well."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lesubscribe.operations.figures import Count, Disk, Failing, Figures, Halt, Night, Queue, Worker
from lesubscribe.operations.trouble import Severity, Trouble, found

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
GB = 2**30


def ago(**span: float) -> datetime:
    return NOW - timedelta(**span)


WELL = Figures(
    waiting=Queue(Count(3), ago(seconds=2)),
    is_shedding=False,
    planning=Queue(Count(1), ago(seconds=1)),
    due=Queue(Count(4), ago(seconds=5)),
    deliveries=Count(40),
    workers=(Worker("match", ago(seconds=4)), Worker("deliver", ago(seconds=1))),
    parked=Queue(),
    failing=(),
    given_up=Queue(),
    halt=None,
    nights=(),
    redis_problem="",
    disk=Disk(40 * GB, 100 * GB),
    changes_behind=12,
    sampled_at=ago(seconds=50),
)


def troubles(**changes: Any) -> list[Trouble]:
    return found(replace(WELL, **changes), now=NOW)


def test_nothing_is_wrong_when_all_is_well() -> None:
    assert troubles() == []


def test_nothing_is_wrong_on_the_first_minute_of_a_new_system() -> None:
    assert troubles(sampled_at=None, waiting=Queue(), planning=Queue(), due=Queue()) == []


@pytest.mark.parametrize(
    ("changes", "severity", "place", "sentence"),
    [
        (
            {"redis_problem": "Connection refused.\nTwice."},
            Severity.BROKEN,
            "parts",
            "Redis does not answer: Connection refused. Twice.",
        ),
        (
            {"workers": (Worker("match", ago(minutes=3)), Worker("deliver", NOW))},
            Severity.BROKEN,
            "workers",
            "The queue “match” is silent: no worker, for 3 min.",
        ),
        (
            {"workers": (Worker("match", None), Worker("deliver", NOW))},
            Severity.BROKEN,
            "workers",
            "No worker of the queue “match” has answered yet.",
        ),
        (
            {"workers": (Worker("match", ago(minutes=3)), Worker("deliver", None))},
            Severity.BROKEN,
            "workers",
            "No worker answers, on any queue: they are stopped, or the scheduler is.",
        ),
        (
            {"halt": Halt(ago(hours=3), "the mails had no links", "staff@example.org")},
            Severity.BROKEN,
            "sending",
            (
                "All sending is halted: no notification goes out. staff@example.org halted it."
                " Why: the mails had no links"
            ),
        ),
        (
            {"parked": Queue(Count(1), ago(hours=1))},
            Severity.WATCH,
            "parked",
            "1 event is parked: no worker could match it.",
        ),
        (
            {"parked": Queue(Count(10_000, is_more=True), ago(hours=1))},
            Severity.WATCH,
            "parked",
            "10,000+ events are parked: no worker could match them.",
        ),
        (
            {"is_shedding": True},
            Severity.BROKEN,
            "backlog",
            "Too many events wait, so publishers are asked to come again later.",
        ),
        (
            {"waiting": Queue(Count(1_200), ago(minutes=2))},
            Severity.WATCH,
            "backlog",
            "Matching is late: 1,200 events wait, the first for 2 min.",
        ),
        (
            {"waiting": Queue(Count(1_200), ago(minutes=6))},
            Severity.BROKEN,
            "backlog",
            "Matching is late: 1,200 events wait, the first for 6 min.",
        ),
        (
            {"planning": Queue(Count(9), ago(minutes=1))},
            Severity.WATCH,
            "backlog",
            "Planning is late: of 9 events, the first matched 1 min ago, nobody has been told.",
        ),
        (
            {"due": Queue(Count(500, is_more=True), ago(minutes=10))},
            Severity.BROKEN,
            "backlog",
            "Sending is late: 500+ deliveries are due, the first for 10 min.",
        ),
        (
            {"changes_behind": 20_000},
            Severity.WATCH,
            "engine",
            "A matcher is 20,000 changes of searches behind; events wait while it catches up.",
        ),
        (
            {"failing": (Failing("webhook", False, Queue(Count(2), ago(hours=3))),)},
            Severity.WATCH,
            "failing",
            "2 webhooks failing, the first for 3 h.",
        ),
        (
            {"failing": (Failing("email", False, Queue(Count(1), ago(days=3))),)},
            Severity.WATCH,
            "failing",
            "1 mailbox failing for 3 days.",
        ),
        (
            {"failing": (Failing("telegram", False, Queue(Count(1), ago(hours=1))),)},
            Severity.WATCH,
            "failing",
            "1 channel failing for 1 h.",
        ),
        (
            {"failing": (Failing("", True, Queue(Count(1), ago(days=5))),)},
            Severity.WATCH,
            "failing",
            "1 channel was switched off because nothing arrived there.",
        ),
        (
            {"given_up": Queue(Count(5), ago(hours=20))},
            Severity.WATCH,
            "given-up",
            "5 deliveries were given up in the last 24 h.",
        ),
        (
            {"nights": (Night("lots on 2026-11-15", True, "Java was killed.", ago(hours=9)),)},
            Severity.BROKEN,
            "nights",
            "The night of lots on 2026-11-15 failed: Java was killed.",
        ),
        (
            {"nights": (Night("lots on 2026-11-15", False, "There were 9 rows.", ago(hours=9)),)},
            Severity.WATCH,
            "nights",
            "The night of lots on 2026-11-15 was out of the usual range: There were 9 rows.",
        ),
        (
            {"disk": Disk(3 * GB, 100 * GB)},
            Severity.WATCH,
            "parts",
            "The disk is filling up: 3.0 GB of 100.0 GB are free.",
        ),
        (
            {"disk": Disk(1 * GB, 100 * GB)},
            Severity.BROKEN,
            "parts",
            "The disk is all but full: 1.0 GB of 100.0 GB are free. Soon nothing is accepted.",
        ),
        (
            {"sampled_at": ago(minutes=9)},
            Severity.WATCH,
            "plots",
            "No figures were written down for 9 min.",
        ),
    ],
)
def test_each_kind_of_trouble_is_said(
    changes: dict[str, Any], severity: Severity, place: str, sentence: str
) -> None:
    (trouble,) = troubles(**changes)
    assert (trouble.sentence, trouble.severity, trouble.place) == (sentence, severity, place)
    assert trouble.since is None or not re.search(r"\d (min|h|days)\b", sentence)  # not said twice


def test_the_worst_stands_first_and_of_those_alike_what_stops_the_most() -> None:
    said = troubles(
        redis_problem="Connection refused.",
        given_up=Queue(Count(1), ago(hours=20)),
        parked=Queue(Count(1), ago(hours=1)),
        halt=Halt(ago(hours=3), "", ""),
    )
    assert [each.place for each in said] == ["parts", "sending", "parked", "given-up"]


def test_what_follows_from_another_trouble_is_not_said() -> None:
    silent = (Worker("match", ago(hours=1)), Worker("deliver", ago(hours=1)))
    late = Queue(Count(5), ago(hours=1))
    halt = Halt(ago(hours=2), "", "")
    places = [each.place for each in troubles(workers=silent, sampled_at=ago(hours=1), halt=halt, due=late)]
    assert places == ["workers", "sending"]  # of course nothing goes out, and nothing is written down


def test_a_large_disk_may_be_nearly_full_as_long_as_gigabytes_are_left() -> None:
    assert troubles(disk=Disk(50 * GB, 10_000 * GB)) == []
    assert troubles(disk=Disk(GB // 4, GB)) != []
