"""A process killed at any commit boundary there is, and whoever comes next: the end is the same.

Which boundaries there are is read from the sources, so a new failpoint is tested or fails here.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from notifications import claims
from tests.faults.boundaries import (  # noqa: F401 - they say what steps there are
    counting_steps,
    matching_steps,
    nightly_steps,
    telling_steps,
)
from tests.faults.boundaries.places import named
from tests.faults.boundaries.world import STEPS, Step, World
from tests.integration.nightly.nights import killed_at
from tests.sinks import HttpSink

PLACES = sorted(set(named()))


def step_of(place: str) -> str:
    return place.partition(".")[0]


@pytest.fixture
def sink(tmp_path: Path, settings: Settings) -> Iterator[HttpSink]:
    settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


def test_every_failpoint_has_a_step_and_every_step_one() -> None:
    assert {step_of(place) for place in PLACES} == STEPS.keys()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("place", "step"),
    [
        pytest.param(place, step, id=f"{place}-{step.__name__}")
        for place in PLACES
        for step in STEPS.get(step_of(place), ())
    ],
)
def test_who_is_killed_there_and_who_comes_next_end_as_one_who_lived(
    place: str,
    step: Step,
    sink: HttpSink,
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claims, "_hints", claims.Hints())
    world = World(place, folder=tmp_path, settings=settings, patch=monkeypatch, sink=sink)
    failpoints = tmp_path / "failpoints"
    failpoints.mkdir()
    settings.FAILPOINTS = str(failpoints)
    scenario = step(world)
    do = next(scenario)
    killed_at(place, do, failpoints=failpoints)
    world.let_leases_run_out()
    do()
    assert next(scenario, None) is None
