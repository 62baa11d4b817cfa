"""A night and the live path agree: on the same dirty rows, reason for reason and match for match.

The rows are read by Python and sent to the API as a publisher would send them; with `--deep` 50,000 of them.
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pyspark.sql import SparkSession

from lesubscribe.loadtest.setting import Setting, prepare
from matching.draining import drain
from matching.feeds.judging import Judge, Reject, corrupt
from matching.feeds.mapping import CORRUPT, FeedMapping
from matching.feeds.reading import rows_of
from matching.live import LiveMatcher
from matching.models import Match, PublishedEvent
from matching.nightly import computed, snapshot_for_run
from matching.services import subscribe
from schema_registry.accounts.models import Scope
from schema_registry.accounts.services import issue_key
from spark_jobs.feeds import generator
from spark_jobs.feeds.landing import landed
from spark_jobs.jobs.job import Job
from spark_jobs.jobs.nightly import Nightly
from tests.spark.conftest import SPLIT
from tests.spark.small_site import rows

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database]

FEW, MANY = 2_000, 50_000
SUBSCRIPTIONS = 500
LINES_PER_REQUEST = 5_000
CALLING_OPERATORS = (
    "similar(seller, 'seller-001414', ?score) and ?score >= 90",
    "price < 100 and similar(title, title, ?score) and ?score > 50 or condition = worn and price > 1000",
)
Where = tuple[str, int]
Reasons = dict[Where, set[Reject]]


def test_a_night_finds_what_the_live_path_finds(
    spark: SparkSession, client: Client, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    seed = secrets.randbelow(1_000_000)
    print(f"seed {seed}")
    count = MANY if request.config.getoption("--deep") else FEW
    setting = prepare(subscriptions=SUBSCRIPTIONS, seed=seed, now=timezone.now())
    calling = [
        subscribe(setting.publisher.user, text, now=timezone.now()).subscription.pk
        for text in CALLING_OPERATORS
    ]
    feed = generator.Feed(rows=count, seed=seed, world=seed, files=4, format="both")
    for _ in feed.write(tmp_path / "feed"):
        pass
    by_night = reasons_of_a_night(spark, setting, tmp_path)
    by_live = Live(client, setting).reasons(tmp_path / "feed")
    assert len(by_live) > count / 100
    assert by_night == by_live
    drain(LiveMatcher("engine"))
    of_live = matches_by_digest()
    of_night = {
        (event.external_id, event.digest): set(event.subscriptions.tolist())
        for portion in computed.events(tmp_path / "run", at_once=100, most_matches=10_000)
        for event in portion
    }
    assert len(of_night) > count / 2
    assert of_night == {key: of_live[key] for key in of_night}
    assert {name for name, _ in of_night} == {name for name, _ in of_live}
    assert all(any(number in each for each in of_night.values()) for number in calling)


@contextmanager
def few_tasks(spark: SparkSession) -> Iterator[None]:
    """The session of these tests splits files into many; here that only takes long."""
    before = {name: str(spark.conf.get(name)) for name in SPLIT}
    for name in SPLIT:
        spark.conf.set(name, "32m")
    yield
    for name, value in before.items():
        spark.conf.set(name, value)


def reasons_of_a_night(spark: SparkSession, setting: Setting, directory: Path) -> Reasons:
    run = directory / "run"
    run.mkdir()
    snapshot = snapshot_for_run.write(run, memory=2**30, now=timezone.now())
    job = Job(
        site="market",
        date="2026-11-16",
        source=str(directory / "feed"),
        run=run,
        mapping=generator.mapping(),
        schema=setting.schema.to_dict(),
        snapshots=[str(folder) for folder in snapshot.folders(run)],
    )
    with few_tasks(spark):
        Nightly(job, say=lambda _: None).run_on(spark, landed(job.source))
    found: Reasons = {}
    for file, row, *reason in rows(run / "rejects", "file", "row", "rule", "attribute", "message"):
        found.setdefault((file, row), set()).add(Reject(*reason))
    return found


class Live:
    """A publisher who sends what the mapping makes of the rows; it is told what is wrong with each."""

    def __init__(self, client: Client, setting: Setting) -> None:
        self._client = client
        self._mapping = FeedMapping.from_dict(generator.mapping())
        self._judge = Judge(self._mapping, setting.schema)
        _key, self._secret = issue_key(setting.publisher.user, [Scope.EVENTS])

    def reasons(self, feed: Path) -> Reasons:
        found: Reasons = {}
        waiting: list[tuple[Where, dict[str, Any]]] = []
        for where, row in self._rows(feed):
            mapped = [corrupt()] if CORRUPT in row else self._judge.mapped(row)
            if isinstance(mapped, list):
                found[where] = set(mapped)
            else:
                waiting.append((where, mapped))
        for first in range(0, len(waiting), LINES_PER_REQUEST):
            found |= self._sent(waiting[first : first + LINES_PER_REQUEST])
        return found

    def _rows(self, feed: Path) -> Iterator[tuple[Where, Any]]:
        for path in sorted(feed.iterdir()):
            for number, row in enumerate(rows_of(path, self._mapping.format), start=1):
                yield (path.name, number), row

    def _sent(self, envelopes: list[tuple[Where, dict[str, Any]]]) -> Reasons:
        answer = self._client.post(
            "/api/v1/events/batch",
            "\n".join(json.dumps(envelope, default=float) for _, envelope in envelopes).encode(),
            content_type="application/x-ndjson",
            headers={"Authorization": f"Bearer {self._secret}"},
        ).json()
        told = zip(envelopes, answer["results"], strict=True)
        return {
            where: {_as_reject(each) for each in result["errors"]}
            for (where, _), result in told
            if result["status"] >= 300
        }


def _as_reject(entry: dict[str, Any]) -> Reject:
    rule = "envelope" if entry["code"] == "invalid" else entry["code"]
    return Reject(rule, entry["field"], entry["detail"])


def matches_by_digest() -> dict[tuple[str, str], set[int]]:
    found: dict[int, set[int]] = {}
    for event, subscription in Match.objects.values_list("event_id", "subscription_id"):
        found.setdefault(event, set()).add(subscription)
    events = PublishedEvent.objects.values_list("pk", "external_id", "digest")
    return {(name, digest): found.get(number, set()) for number, name, digest in events}
