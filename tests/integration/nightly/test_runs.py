"""A night of a site is one row: run by one process at a time, once, and again only if it was not finished."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from matching.models import KeptSnapshot, NightlyRun, SiteMapping
from matching.nightly import mappings, runs
from matching.nightly.keeping_alive import kept_alive
from matching.nightly.leasing import AlreadyRunning, SiteIsBusy
from matching.nightly.loading import Loaded
from matching.nightly.runs import AlreadyLoaded, Held, LostRun
from schema_registry.accounts.models import User
from schema_registry.core.errors import InputError
from tests.integration.following import NOW
from tests.integration.nightly.nights import MAPPING, computed, house, loaded, lot, site_mapping
from tests.limits.measuring import Measured
from tests.running_system import wait_until

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 16)


@pytest.fixture
def mapping(owner: User) -> SiteMapping:
    return site_mapping()


def begun(mapping: SiteMapping, root: Path, *, again: bool = False) -> Held:
    return runs.begin(mapping, DAY, root=root, now=NOW, again=again)


def killed() -> None:
    """Whoever held a run is gone, and some time is, too."""
    NightlyRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))


def run_whole(mapping: SiteMapping, root: Path, *, again: bool = False) -> NightlyRun:
    held = begun(mapping, root, again=again)
    if not held.is_computed:
        computed(held.directory, [lot("a", 5), lot("b", 7)])
        runs.computed(held)
    runs.loaded(held, loaded(held.directory), seconds=2.5, now=NOW + timedelta(minutes=1))
    return NightlyRun.objects.get()


class TestMappings:
    def test_a_changed_one_is_the_next_version_and_the_same_is_none(self, mapping: SiteMapping) -> None:
        assert mapping.version == 1
        assert site_mapping() == mapping
        other = site_mapping(title={"field": "title"})
        assert (other.version, mappings.newest("lots")) == (2, other)
        assert (mappings.is_newest(mapping), mappings.is_newest(other)) == (False, True)
        assert mappings.newest_numbers() == [other.pk]
        assert mappings.sites() == ["lots"]
        assert site_mapping().version == 3

    def test_one_that_cannot_be_is_refused_with_all_its_faults(self, owner: User) -> None:
        with pytest.raises(InputError, match="external_id"):
            mappings.save("lots", {"atributes": {}}, publisher=house(), now=NOW)
        with pytest.raises(InputError, match="colour"):
            site_mapping(attributes={"colour": {"field": "colour"}})
        assert not SiteMapping.objects.exists()
        with pytest.raises(SiteMapping.DoesNotExist):
            mappings.newest("lots")

    def test_items_of_two_sites_do_not_mix(self, mapping: SiteMapping) -> None:
        with pytest.raises(mappings.PublisherOfAnother, match="House is the publisher of the site lots"):
            mappings.save("other", MAPPING, publisher=house(), now=NOW)
        mappings.save("other", MAPPING, publisher=house("Another house"), now=NOW)
        with pytest.raises(mappings.PublisherOfAnother, match="of the site other"):
            mappings.save("lots", MAPPING, publisher=house("Another house"), now=NOW)


def test_a_whole_run_leaves_its_facts_and_nothing_that_is_held(mapping: SiteMapping, tmp_path: Path) -> None:
    run = run_whole(mapping, tmp_path)
    assert (run.state, run.problem, run.alerts) == ("loaded", "", [])
    assert (run.counts["rows"], run.counts["loaded"]["events"]) == (2, 2)
    assert [(stage["name"], stage["seconds"]) for stage in run.stages] == [("match", 1.5), ("load", 2.5)]
    assert run.ended_at == NOW + timedelta(minutes=1)
    assert (run.holder, run.leased_until) == ("", None)
    assert not KeptSnapshot.objects.exists()
    directory = Path(run.directory)
    assert directory.is_relative_to(tmp_path / "lots" / "2026-11-16")
    assert (directory / "matches").exists()
    assert not list(directory.glob("snapshot-*")) + list(directory.glob("expiries-*"))


def test_a_loaded_one_is_not_run_again_unless_asked(mapping: SiteMapping, tmp_path: Path) -> None:
    first = run_whole(mapping, tmp_path)
    with pytest.raises(AlreadyLoaded, match="lots on 2026-11-16 is loaded already"):
        begun(mapping, tmp_path)
    again = run_whole(mapping, tmp_path, again=True)
    assert again.pk == first.pk
    assert again.directory != first.directory
    assert (again.counts["loaded"]["events"], again.counts["loaded"]["repeats"]) == (0, 2)


def test_another_version_of_the_mapping_is_another_run(mapping: SiteMapping, tmp_path: Path) -> None:
    held = begun(mapping, tmp_path)
    runs.failed(held, "No.", now=NOW)
    other = begun(site_mapping(title={"field": "other"}), tmp_path)
    assert held.number != other.number


def test_of_a_site_one_night_is_run_at_a_time(mapping: SiteMapping, tmp_path: Path) -> None:
    held = begun(mapping, tmp_path)
    with pytest.raises(SiteIsBusy, match="Another process is running lots on 2026-11-16"):
        runs.begin(mapping, DAY + timedelta(days=1), root=tmp_path, now=NOW)
    assert NightlyRun.objects.count() == 1
    runs.failed(held, "No.", now=NOW)
    runs.begin(mapping, DAY + timedelta(days=1), root=tmp_path, now=NOW)
    with pytest.raises(SiteIsBusy):
        begun(mapping, tmp_path)
    assert NightlyRun.objects.count() == 2


def test_a_night_stands_after_the_others_of_its_site_or_is_overtaken(
    mapping: SiteMapping, tmp_path: Path
) -> None:
    days = [DAY + timedelta(days=each) for each in range(3)]
    assert [runs.order("lots", day) for day in days] == ["after"] * 3
    held = runs.begin(mapping, days[1], root=tmp_path, now=NOW)
    assert [runs.order("lots", day) for day in days] == ["after"] * 3
    computed(held.directory, [])
    runs.computed(held)
    assert [runs.order("lots", day) for day in days] == ["before", "same", "after"]
    assert runs.order("other", days[0]) == "after"
    assert runs.order("lots", days[1], held) == "after"
    runs.failed(held, "No.", now=NOW)  # some of it may be stored
    assert [runs.order("lots", day) for day in days] == ["before", "same", "after"]
    held = runs.begin(mapping, days[1], root=tmp_path, now=NOW)
    runs.loaded(held, Loaded(), seconds=1, now=NOW)
    again = runs.begin(mapping, days[1], root=tmp_path, now=NOW, again=True)
    assert runs.order("lots", days[1], again) == "same"


@pytest.mark.parametrize("times", [1, 2])
def test_one_that_was_done_again_and_cut_off_still_knows_what_it_said(
    mapping: SiteMapping, tmp_path: Path, times: int
) -> None:
    run_whole(mapping, tmp_path)
    held = begun(mapping, tmp_path, again=True)
    for _time in range(times):
        killed()
        held = begun(mapping, tmp_path)
        assert (held.is_computed, runs.order("lots", DAY, held)) == (False, "same")
    computed(held.directory, [lot("a", 5)])
    runs.computed(held)
    for _time in range(times):
        killed()
        held = begun(mapping, tmp_path)
        assert (held.is_computed, runs.order("lots", DAY, held)) == (True, "same")


def test_only_one_of_two_runs_it(mapping: SiteMapping, tmp_path: Path) -> None:
    held = begun(mapping, tmp_path)
    with pytest.raises(AlreadyRunning, match="Another process is running lots on 2026-11-16"):
        begun(mapping, tmp_path)
    runs.renew(held)


def test_whoever_was_taken_for_dead_hears_of_it(mapping: SiteMapping, tmp_path: Path) -> None:
    held = begun(mapping, tmp_path)
    killed()
    other = begun(mapping, tmp_path)
    assert other.directory != held.directory
    computed(held.directory, [])
    with pytest.raises(LostRun):
        runs.renew(held)
    with pytest.raises(LostRun):
        runs.computed(held)
    with pytest.raises(LostRun):
        runs.loaded(held, Loaded(), seconds=1, now=NOW)
    with pytest.raises(LostRun):
        runs.failed(held, "No.", now=NOW)
    runs.renew(other)


def test_one_killed_before_its_manifest_begins_anew_in_a_fresh_directory(
    mapping: SiteMapping, tmp_path: Path
) -> None:
    held = begun(mapping, tmp_path)
    computed(held.directory, [lot("a", 5)])
    (held.directory / "_MANIFEST.json").unlink()
    killed()
    again = begun(mapping, tmp_path)
    assert not again.is_computed
    assert again.directory.is_dir()
    assert not held.directory.exists()
    assert not KeptSnapshot.objects.exists()


@pytest.mark.parametrize("how", ["killed", "failed"])
def test_one_that_was_computed_is_only_loaded(mapping: SiteMapping, tmp_path: Path, how: str) -> None:
    held = begun(mapping, tmp_path)
    computed(held.directory, [lot("a", 5)])
    if how == "killed":
        killed()
    else:
        runs.failed(held, "The database was away.", now=NOW)
        failed = NightlyRun.objects.get()
        assert (failed.state, failed.problem, failed.ended_at) == ("failed", "The database was away.", NOW)
    again = begun(mapping, tmp_path)
    assert again.is_computed
    assert again.directory == held.directory
    run = NightlyRun.objects.get()
    assert (run.state, run.problem, run.counts["rows"]) == ("computed", "", 1)
    assert KeptSnapshot.objects.exists()


def test_one_without_a_manifest_is_not_computed(mapping: SiteMapping, tmp_path: Path) -> None:
    held = begun(mapping, tmp_path)
    with pytest.raises(InputError, match="Spark left no manifest"):
        runs.computed(held)
    computed(held.directory, [])
    (held.directory / "_MANIFEST.json").write_text('{"counts": {"ro')
    with pytest.raises(InputError, match="Spark left no manifest"):
        runs.computed(held)
    runs.failed(held, "Spark was killed.", now=NOW)
    assert not KeptSnapshot.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_leases")
def test_a_lease_is_renewed_beside_the_work(owner: User, tmp_path: Path, measured: Measured) -> None:
    held = begun(site_mapping(), tmp_path)
    until = NightlyRun.objects.get().leased_until
    assert until is not None
    measured("length of a lease", (until - timezone.now()).total_seconds(), "s", at_most=30)
    soon = timezone.now()
    NightlyRun.objects.update(leased_until=soon)
    with kept_alive(held, every_seconds=0.01):
        wait_until(lambda: NightlyRun.objects.filter(leased_until__gt=soon).exists(), seconds=120)
        NightlyRun.objects.update(holder="other", leased_until=soon)
    assert NightlyRun.objects.get().leased_until == soon
