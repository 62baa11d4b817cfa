"""Nights that nobody waits for: gone on with, given up, reported once, and their files deleted in time."""

import os
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from matching.models import KeptSnapshot, NightlyRun, SiteMapping
from matching.nightly import housekeeping, runs
from matching.nightly.loading import Loaded
from schema_registry.accounts.models import User
from tests.integration.following import NOW
from tests.integration.nightly.nights import computed, site_mapping

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 16)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def mapping(owner: User) -> SiteMapping:
    return site_mapping()


def begun(mapping: SiteMapping, root: Path, *, day: date = DAY) -> runs.Held:
    return runs.begin(mapping, day, root=root, now=NOW, told={"master": "local[1]"})


def killed() -> None:
    NightlyRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))


def test_those_that_were_killed_are_unfinished_the_oldest_first_unless_their_mapping_is_out_of_date(
    mapping: SiteMapping, tmp_path: Path
) -> None:
    for day in (DAY + timedelta(days=1), DAY):
        begun(mapping, tmp_path, day=day)
        killed()
    begun(mapping, tmp_path, day=DAY)
    assert [run.date for run in housekeeping.unfinished()] == [DAY + timedelta(days=1)]
    assert housekeeping.busy_sites() == {"lots"}
    killed()
    assert [run.date for run in housekeeping.unfinished()] == [DAY, DAY + timedelta(days=1)]
    assert housekeeping.unfinished()[0].told == {"master": "local[1]"}
    runs.failed(begun(mapping, tmp_path), "It was stopped.", now=NOW)
    assert [run.date for run in housekeeping.unfinished()] == [DAY + timedelta(days=1)]
    assert housekeeping.busy_sites() == set()
    site_mapping(title={"field": "other"})
    assert housekeeping.unfinished() == []


def test_one_that_is_cut_off_each_time_is_given_up_until_somebody_runs_it(
    mapping: SiteMapping, tmp_path: Path
) -> None:
    for _ in range(housekeeping.MOST_ATTEMPTS):
        housekeeping.give_up(now=NOW)
        assert not NightlyRun.objects.filter(state="failed").exists()
        begun(mapping, tmp_path)
        killed()
    housekeeping.give_up(now=NOW)
    run = NightlyRun.objects.get()
    assert (run.state, run.problem) == ("failed", "It was begun 5 times, and cut off each time.")
    begun(mapping, tmp_path)
    killed()
    housekeeping.give_up(now=NOW)
    run.refresh_from_db()
    assert (run.state, run.attempts) == ("prepared", 1)


def test_how_a_night_ended_is_told_once_each_time(mapping: SiteMapping, tmp_path: Path) -> None:
    held = begun(mapping, tmp_path)
    assert list(housekeeping.ended()) == []
    runs.failed(held, "No.", now=NOW)
    assert [run.problem for run in housekeeping.ended()] == ["No."]
    assert list(housekeeping.ended()) == []
    held = begun(mapping, tmp_path)
    computed(held.directory, [])
    runs.computed(held)
    runs.loaded(held, Loaded(), seconds=1, now=NOW)
    assert [run.state for run in housekeeping.ended()] == ["loaded"]


def test_one_that_could_not_be_begun_is_among_the_others(mapping: SiteMapping, tmp_path: Path) -> None:
    runs.not_begun(mapping, DAY, "There is no Java.", now=NOW)
    run = NightlyRun.objects.get()
    assert (run.state, run.problem, run.ended_at) == ("failed", "There is no Java.", NOW)
    held = begun(mapping, tmp_path)
    runs.not_begun(mapping, DAY, "Another process is at it.", now=NOW)
    runs.renew(held)
    run.refresh_from_db()
    assert (run.state, run.problem) == ("prepared", "")


def test_files_of_old_nights_are_forgotten_and_their_facts_stay(mapping: SiteMapping, tmp_path: Path) -> None:
    """A back-fill has the day of long ago, and ended just now."""
    held = begun(mapping, tmp_path, day=DAY - timedelta(days=365))
    computed(held.directory, [])
    runs.computed(held)
    runs.loaded(held, Loaded(), seconds=1, now=NOW)
    assert housekeeping.forget_files(before=NOW) == 0
    assert housekeeping.forget_files(before=NOW + MINUTE) == 1
    assert not held.directory.exists()
    assert housekeeping.forget_files(before=NOW + MINUTE) == 0
    run = NightlyRun.objects.get()
    assert (run.counts["rows"], run.directory, run.leased_until) == (0, "", None)
    runs.begin(mapping, run.date, root=tmp_path, now=NOW, again=True)


def test_also_those_that_were_never_ended_but_none_that_is_run_now(
    mapping: SiteMapping, tmp_path: Path
) -> None:
    held = begun(mapping, tmp_path)
    computed(held.directory, [])
    assert housekeeping.forget_files(before=NOW + MINUTE) == 0
    killed()
    assert housekeeping.forget_files(before=NOW + MINUTE) == 1
    assert not held.directory.exists()
    assert not KeptSnapshot.objects.exists()


def test_what_killed_processes_left_is_swept(mapping: SiteMapping, tmp_path: Path) -> None:
    held = begun(mapping, tmp_path)
    lost, emptied = held.directory.with_name("v1-0a1b2c3d"), tmp_path / "lots" / "2026-01-01"
    old, fresh = tmp_path / "trying-old", tmp_path / "trying-fresh"
    for folder in (lost, emptied, old, fresh):
        folder.mkdir()
    now = timezone.now()
    for folder, age in ((held.directory, 30), (lost, 30), (emptied, 30), (old, 2)):
        moment = (now - timedelta(days=age)).timestamp()
        os.utime(folder, (moment, moment))
    housekeeping.sweep(tmp_path, now=now, before=now - timedelta(days=14))
    there = [path for path in (held.directory, fresh, lost, emptied, old) if path.exists()]
    assert there == [held.directory, fresh]
