"""Nights by themselves: what the scheduler missed, what was cut off, one at a time; what is told of them."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from django_celery_beat.models import PeriodicTask
from pytest_django import Settings
from structlog.testing import capture_logs

from lesubscribe import tasks
from lesubscribe.nightly import background, schedule
from matching.models import NightlyRun, SiteMapping
from matching.nightly import runs
from schema_registry.accounts.models import User
from tests.integration.following import NOW
from tests.integration.nightly.nights import a_night, site_mapping
from tests.running_system import wait_until

pytestmark = pytest.mark.django_db

DAY = date(2026, 11, 16)
PARIS = ZoneInfo("Europe/Paris")
MANAGE = """
import pathlib, sys, time
here = pathlib.Path(__file__).parent
(here / "told.unfinished").write_text("\\n".join(sys.argv[1:]))
(here / "told.unfinished").rename(here / "told")
while not (here / "may-end").exists():
    time.sleep(0.02)
"""


@pytest.fixture
def mapping(owner: User) -> SiteMapping:
    return site_mapping()


@pytest.fixture
def command(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """The folder of a `manage.py` that writes down what it is told, and ends when it may."""
    settings.BASE_DIR, settings.NIGHTLY = tmp_path, tmp_path / "nightly"
    settings.NIGHTLY.mkdir()
    (tmp_path / "manage.py").write_text(MANAGE)
    yield tmp_path
    (tmp_path / "may-end").touch()
    for process in background._under_way:
        process.wait()
    background._under_way.clear()


def told(folder: Path) -> list[str]:
    wait_until((folder / "told").exists, seconds=120)
    return (folder / "told").read_text().splitlines()


class TestMissed:
    def schedule_at_half_past_two(self, *, since: datetime) -> None:
        schedule.every_night("lots", at=time(2, 30), zone=PARIS)
        PeriodicTask.objects.update(start_time=since)

    def test_a_night_that_should_have_begun_and_has_no_run_is_missed(self, mapping: SiteMapping) -> None:
        self.schedule_at_half_past_two(since=NOW)  # on the 16th at noon
        first = datetime(2026, 11, 17, 1, 30, tzinfo=UTC)
        assert list(schedule.missed(first - timedelta(minutes=1))) == []
        assert list(schedule.missed(first)) == [("lots", DAY)]
        assert list(schedule.missed(first + timedelta(hours=23))) == [("lots", DAY)]
        a_night(DAY)
        assert list(schedule.missed(first)) == []
        assert list(schedule.missed(first + timedelta(days=1))) == [("lots", DAY + timedelta(days=1))]

    @pytest.mark.parametrize(
        "changes",
        [{"enabled": False}, {"kwargs": "{"}, {"kwargs": '{"site": "other"}'}, {"start_time": None}],
    )
    def test_not_one_that_is_switched_off_or_makes_no_sense(
        self, mapping: SiteMapping, changes: dict[str, object]
    ) -> None:
        self.schedule_at_half_past_two(since=NOW)
        PeriodicTask.objects.update(**changes)
        assert list(schedule.missed(NOW + timedelta(days=2))) == []

    def test_nor_one_of_several_times_a_day(self, mapping: SiteMapping) -> None:
        self.schedule_at_half_past_two(since=NOW)
        entry = PeriodicTask.objects.get()
        assert entry.crontab is not None
        entry.crontab.hour = "*/6"
        entry.crontab.save()
        assert list(schedule.missed(NOW + timedelta(days=2))) == []


def test_a_machine_has_one_in_the_background_at_a_time(command: Path) -> None:
    how = {"feeds": "/feeds", "master": "local[1]", "memory": "1g", "conf": {"spark.a": "b=c"}}
    assert background.begin("lots", DAY, how)
    assert told(command) == [
        *("nightly", "--scheduled", "--site", "lots", "--date", "2026-11-16"),
        *("--feeds=/feeds", "--master=local[1]", "--memory=1g", "--conf=spark.a=b=c"),
    ]
    assert not background.begin("other", DAY)
    (command / "may-end").touch()
    wait_until(lambda: background.begin("other", DAY), seconds=120)


def test_its_log_is_cut_before_it_fills_the_disk(
    command: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "MOST_OF_A_LOG", 10)
    (settings.NIGHTLY / "lots.log").write_text("of nights long ago")
    assert background.begin("lots", DAY)
    told(command)
    assert (settings.NIGHTLY / "lots.log.1").read_text() == "of nights long ago"
    assert (settings.NIGHTLY / "lots.log").read_text() == ""


def test_what_was_cut_off_is_gone_on_with_as_it_was_begun(
    command: Path, mapping: SiteMapping, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in (DAY, DAY - timedelta(days=1)):
        runs.begin(mapping, day, root=command, now=NOW, told={"master": "local[1]"})
        NightlyRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    with monkeypatch.context() as patched:
        patched.setattr(timezone, "now", lambda: NOW + timedelta(days=2))
        tasks.nightly("lots")  # of yesterday, which comes after
    assert background._under_way == []
    tasks.keep_nights()
    assert told(command)[3:] == ["lots", "--date", "2026-11-15", "--master=local[1]"]


def test_a_site_that_somebody_else_is_at_is_left_alone(command: Path, mapping: SiteMapping) -> None:
    for day in (DAY, DAY + timedelta(days=1)):
        NightlyRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
        runs.begin(mapping, day, root=command, now=NOW)
    tasks.keep_nights()
    assert [process for process in background._under_way if process.poll() is None] == []


def test_how_nights_ended_is_in_the_log_and_in_the_figures(command: Path, mapping: SiteMapping) -> None:
    a_night(DAY)
    a_night(DAY + timedelta(days=1))
    NightlyRun.objects.filter(date__gt=DAY).update(alerts=["There were 9 rows."])
    runs.not_begun(mapping, DAY + timedelta(days=2), "There is no Java.", now=NOW)
    outcomes = ("loaded", "unusual", "failed")
    before = [tasks.NIGHTS.labels(each)._value.get() for each in outcomes]
    with capture_logs() as said:
        tasks.keep_nights()
        tasks.keep_nights()
    assert [tasks.NIGHTS.labels(each)._value.get() for each in outcomes] == [each + 1 for each in before]
    assert [(entry["event"], entry["log_level"], entry["day"]) for entry in said if "day" in entry] == [
        ("night_failed", "error", "2026-11-18"),
        ("night_is_unusual", "warning", "2026-11-17"),
    ]
