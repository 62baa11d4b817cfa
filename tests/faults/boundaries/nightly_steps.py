"""A night from its row to what it loaded. Instead of Spark somebody leaves the files that it leaves."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path

from lesubscribe.nightly import night, spark
from matching.models import KeptSnapshot, NightlyRun
from matching.nightly.runs import AlreadyLoaded
from tests.faults.boundaries.world import Action, World, step
from tests.integration.nightly.nights import computed, loaded, site_mapping, stored, write_matches

DAY = date(2026, 11, 16)


@step("load")
def a_run_is_loaded(world: World) -> Iterator[Action]:
    wanted = world.subscribe("price < 10")
    run = computed(world.folder / "run", [world.lot() for _ in range(3)])
    later = world.subscribe("price = 5")
    yield lambda: loaded(run)
    _assert_stored_once(world, [wanted.pk, later.pk])


@step("nightly")
def a_whole_night(world: World) -> Iterator[Action]:
    world.settings.NIGHTLY = world.folder / "nightly"
    world.settings.MATCHER = "quarantining"
    world.settings.SNAPSHOTS = world.folder / "snapshots"
    wanted = world.subscribe("price < 10")
    lots = [world.lot() for _ in range(3)]
    site_mapping()
    world.patch.setattr(night, "check_means", lambda source: None)
    world.patch.setattr(spark, "compute", lambda run, **options: write_matches(Path(run), lots))
    tonight = night.Night(site="lots", day=DAY, feeds=str(world.folder), master="local[1]", memory="1g")

    def run() -> None:
        with suppress(AlreadyLoaded):
            night.run(tonight, tell=lambda progress: None)

    yield run
    row = NightlyRun.objects.get()
    assert (row.state, row.problem, row.leased_until) == ("loaded", "", None)
    _assert_stored_once(world, [wanted.pk])
    once = stored()
    night.run(tonight, tell=lambda progress: None, again=True)
    assert stored() == once
    if world.place not in ("nightly.snapshot-announced", "nightly.before-let-go", "nightly.after-loaded"):
        assert not KeptSnapshot.objects.exists()  # of the dead it is forgotten after some days


def _assert_stored_once(world: World, wanted: list[int]) -> None:
    world.let_leases_run_out()
    for _ in range(4):  # what was tried before is matched one by one
        world.drain()
    everything = stored()
    assert [event[1:2] + event[3:] for event in everything["events"]] == [(1, "matched", len(wanted))] * 3
    assert [number for _name, _revision, number in everything["matches"]] == sorted(wanted) * 3
    assert (everything["work"], len(everything["announced"])) == (0, 3)
