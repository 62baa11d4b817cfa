"""`manage.py nightly` from beginning to end, but for Spark: what it would compute is written for it."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from lesubscribe.nightly import spark
from matching.engine.engine import Engine
from matching.models import NightlyRun, PublishedEvent
from matching.nightly import runs
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import set_publisher_state
from schema_registry.selectors import current_schema
from spark_jobs.jobs.outcome import write_manifest
from tests.integration.following import NOW
from tests.integration.nightly.nights import house, lot, published_live, site_mapping, write_matches

pytestmark = pytest.mark.django_db(transaction=True)
DAY = date(2026, 11, 16)
Compute = Callable[[Path], None]


class Feeds:
    """The landing zone of the site of lots, and a Spark that finds each item at the price of the day."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.computed: list[dict[str, Any]] = []
        self.instead: Compute | None = None

    def lay_down(self, day: date, price: int | None = None, *, site: str = "lots") -> None:
        folder = self.root / site / day.isoformat()
        folder.mkdir(parents=True)
        (folder / "price").write_text(str(price))

    def compute(self, directory: Path, *, on_progress: object) -> None:
        job = json.loads((directory / "job.json").read_text())
        self.computed.append(job)
        if self.instead is not None:
            self.instead(directory)
        else:
            price = int((Path(job["source"].removeprefix("file://")) / "price").read_text())
            write_matches(directory, [lot("a", price)], revision=1 + PublishedEvent.objects.count())


@pytest.fixture
def feeds(owner: User, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Feeds:
    settings.FEEDS, settings.NIGHTLY = str(tmp_path / "feeds"), tmp_path / "nightly"
    settings.NIGHTLY.mkdir()
    site_mapping()
    feeds = Feeds(tmp_path / "feeds")
    monkeypatch.setattr(spark, "compute", feeds.compute)
    return feeds


def nightly(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    try:
        call_command("nightly", *arguments, stdout=StringIO())
    except CommandError as error:
        return f"{capsys.readouterr().out}{error}"
    return capsys.readouterr().out


def prices() -> list[int]:
    return list(PublishedEvent.objects.order_by("revision").values_list("document__price", flat=True))


def test_a_night_is_done_once_and_again_it_changes_nothing(
    feeds: Feeds, capsys: pytest.CaptureFixture[str]
) -> None:
    feeds.lay_down(DAY, 5)
    on = ("--date", str(DAY))
    assert "loaded: 1 events" in nightly(*on, capsys=capsys)
    assert "is loaded already" in nightly(*on, capsys=capsys)
    assert "loaded: 0 events, 1 repeats" in nightly(*on, "--again", capsys=capsys)
    assert [job["order"] for job in feeds.computed] == ["after", "same"]
    assert NightlyRun.objects.get().told["feeds"] == str(feeds.root)


def test_feeds_and_snapshots_may_lie_on_shared_storage(
    feeds: Feeds, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By URL; of the snapshots nothing is left there."""
    shared = tmp_path / "shared"
    seen: list[bool] = []

    def with_snapshots(directory: Path) -> None:
        (snapshot,) = json.loads((directory / "job.json").read_text())["snapshots"]
        assert snapshot.startswith(f"file://{shared}/")
        opened = Engine.open(Path(snapshot.removeprefix("file://")))
        seen.append(opened.schema.version == current_schema().version)
        write_matches(directory, [lot("a", 5)])

    feeds.lay_down(DAY)
    feeds.instead = with_snapshots
    places = (f"--feeds=file://{feeds.root}", f"--snapshots=file://{shared}")
    assert "loaded: 1 events" in nightly("--date", str(DAY), *places, capsys=capsys)
    assert seen == [True]
    assert list(shared.iterdir()) == []
    told = NightlyRun.objects.get().told
    assert (told["feeds"], told["snapshots"]) == (f"file://{feeds.root}", f"file://{shared}")


def test_storage_that_nobody_knows_is_told(feeds: Feeds, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be looked into" in nightly(f"--date={DAY}", "--feeds=nothing://like/it", capsys=capsys)
    assert not NightlyRun.objects.exists()


def test_an_older_night_does_not_bring_back_what_it_said(
    feeds: Feeds, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, price in enumerate((5, 7, 9)):
        feeds.lay_down(DAY + timedelta(days=number), price)
    days = [str(DAY + timedelta(days=number)) for number in range(3)]
    nightly("--date", days[0], capsys=capsys)
    nightly("--date", days[2], capsys=capsys)
    assert "loaded: 0 events, 1 repeats" in nightly("--date", days[0], "--again", capsys=capsys)
    assert "loaded: 0 events, 1 repeats" in nightly("--date", days[1], capsys=capsys)  # a back-fill
    assert prices() == [5, 9]
    assert [job["order"] for job in feeds.computed] == ["after", "after", "before", "before"]


def test_what_a_row_says_is_not_taken_for_markup(feeds: Feeds, capsys: pytest.CaptureFixture[str]) -> None:
    def with_rejects(directory: Path) -> None:
        write_matches(directory, [])
        manifest = json.loads((directory / "_MANIFEST.json").read_text())
        reason = {"rule": "mapping", "attribute": "", "message": "'[/b] :smile:' is no sum.", "count": 1}
        manifest["rejects_by_reason"] = [reason]
        (directory / "_MANIFEST.json").write_text(json.dumps(manifest))

    feeds.lay_down(DAY)
    feeds.instead = with_rejects
    assert "mapping: '[/b] :smile:' is no sum." in nightly("--date", str(DAY), capsys=capsys)


def test_one_that_breaks_off_does_not_keep_the_others_from_beginning(
    feeds: Feeds, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(2):
        feeds.lay_down(DAY + timedelta(days=number), 5)
    broken: list[Path] = []

    def stumble(directory: Path) -> None:
        if not broken:
            broken.append(directory)
            raise ZeroDivisionError("of [ours]")
        write_matches(directory, [lot("a", 5)])

    feeds.instead = stumble
    said = nightly("--since", str(DAY), "--date", str(DAY + timedelta(days=1)), capsys=capsys)
    assert "It broke off: ZeroDivisionError: of [ours]" in said
    assert "loaded: 1 events" in said
    assert said.endswith("Not done: lots on 2026-11-16.")
    assert list(NightlyRun.objects.order_by("date").values_list("state", flat=True)) == ["failed", "loaded"]


def test_what_spark_left_unusable_is_computed_anew(feeds: Feeds, capsys: pytest.CaptureFixture[str]) -> None:
    def without_matches(directory: Path) -> None:
        write_matches(directory, [lot("a", 5)])
        for part in (directory / "matches").iterdir():
            part.unlink()

    feeds.lay_down(DAY, 5)
    feeds.instead = without_matches
    assert "cannot be loaded" in nightly("--date", str(DAY), capsys=capsys)
    feeds.instead = None
    assert "loaded: 1 events" in nightly("--date", str(DAY), capsys=capsys)


class TestWhatKeepsItFromBeginning:
    @pytest.mark.parametrize("state", [Publisher.State.SUSPENDED, Publisher.State.PENDING])
    def test_a_publisher_that_may_not_publish(
        self, feeds: Feeds, capsys: pytest.CaptureFixture[str], state: Publisher.State
    ) -> None:
        feeds.lay_down(DAY, 5)
        set_publisher_state(house(), state)
        assert "nothing is published" in nightly("--date", str(DAY), capsys=capsys)
        assert not NightlyRun.objects.exists()

    def test_one_that_was_suspended_meanwhile(self, feeds: Feeds, capsys: pytest.CaptureFixture[str]) -> None:
        def suspend(directory: Path) -> None:
            write_matches(directory, [lot("a", 5)])
            set_publisher_state(house(), Publisher.State.SUSPENDED)

        feeds.lay_down(DAY, 5)
        feeds.instead = suspend
        assert "is suspended: nothing is published" in nightly("--date", str(DAY), capsys=capsys)
        assert not PublishedEvent.objects.exists()
        set_publisher_state(house(), Publisher.State.APPROVED)
        assert "loaded: 1 events" in nightly("--date", str(DAY), capsys=capsys)
        assert len(feeds.computed) == 1

    def test_no_java(
        self,
        feeds: Feeds,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        feeds.lay_down(DAY, 5)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        for more in ((), ("--dry-run",)):
            assert "which needs Java" in nightly("--date", str(DAY), *more, capsys=capsys)
        assert not NightlyRun.objects.exists()

    def test_a_day_without_files(self, feeds: Feeds, capsys: pytest.CaptureFixture[str]) -> None:
        on = ("--site", "lots", "--date", str(DAY))
        assert "There is no directory" in nightly(*on, capsys=capsys)
        assert not NightlyRun.objects.exists()
        nightly(*on, "--scheduled", capsys=capsys)  # nobody waits for it, so it is written down
        run = NightlyRun.objects.get()
        assert run.state == "failed"
        assert "nothing was laid down" in run.problem

    def test_another_night_of_the_site(self, feeds: Feeds, capsys: pytest.CaptureFixture[str]) -> None:
        feeds.lay_down(DAY, 5)
        runs.begin(site_mapping(), DAY + timedelta(days=1), root=feeds.root, now=NOW)
        said = nightly("--date", str(DAY), capsys=capsys)
        assert "one is done at a time" in said
        assert said.endswith("Not done: lots on 2026-11-16.")


def test_a_trial_knows_what_is_known_and_leaves_nothing_behind(
    feeds: Feeds, capsys: pytest.CaptureFixture[str], settings: Settings
) -> None:
    published_live(lot("a", 5))
    feeds.lay_down(DAY, 5)
    feeds.instead = lambda directory: write_manifest(directory, {"counts": {"rows": 17}})
    (feeds.root / "lots" / str(DAY) / "a.jsonl").write_text(
        '{"id": 1, "price": 5}\n{"id": 2, "price": "?"}\n'
    )
    said = nightly("--date", str(DAY), "--dry-run", capsys=capsys)
    assert "17 rows" in said
    assert """row 1: {"id": "1", "price": "5"}\n    becomes {"external_id": "1",""" in said
    assert "is rejected: mapping price: '?' is not a number." in said
    (job,) = feeds.computed
    assert job["dry_run"]
    assert Path(job["known"]).is_relative_to(settings.NIGHTLY)
    assert list(settings.NIGHTLY.iterdir()) == []
    assert not NightlyRun.objects.exists()


@pytest.mark.parametrize("at", ["02:30:15", "02:30+02:00", "2", "25:00"])
def test_a_time_is_one_of_the_clock_and_nothing_else(feeds: Feeds, at: str) -> None:
    with pytest.raises(CommandError, match="a time is written as 02:30"):
        call_command("nightly", "--site", "lots", "--at", at)
