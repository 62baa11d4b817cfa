"""A service killed while the system runs: a new one answers soon, and tasks sent after the kill are done."""

import time

import psutil
import pytest

from tests.running_system import RunningSystem, wait_until

SERVICES = {
    "redis": ("redis-server",),
    "web": ("uvicorn",),
    "match worker": ("celery", "worker", "-Q match"),
    "planner": ("celery", "worker", "-Q plan"),
    "deliver worker": ("celery", "worker", "-Q deliver"),
    "maintenance worker": ("celery", "worker", "-Q maintenance"),
    "scheduler": ("celery", "beat"),
}
SECONDS_TO_RECOVER = 15


@pytest.mark.parametrize("name", SERVICES)
def test_a_killed_service_is_back_and_tasks_flow_again(system: RunningSystem, name: str) -> None:
    victim = system.service(*SERVICES[name])
    assert victim is not None
    victim.kill()
    killed_at = time.monotonic()
    probes = system.probe(seconds=SECONDS_TO_RECOVER)

    assert probes.returncode == 0, probes.stderr
    back = wait_until(lambda: system.service(*SERVICES[name]), seconds=left(killed_at))
    assert back is not None
    assert back.pid != victim.pid
    wait_until(lambda: system.get("/healthz")[0] == 200, seconds=left(killed_at))
    assert "starting it again" in system.log


def test_the_process_that_runs_tasks_is_replaced_when_killed(system: RunningSystem) -> None:
    worker = system.service(*SERVICES["match worker"])
    assert worker is not None
    (child,) = pool_children(worker)
    child.kill()
    assert system.probe(seconds=SECONDS_TO_RECOVER).returncode == 0
    (successor,) = pool_children(worker)
    assert successor.pid != child.pid


def test_the_children_of_a_killed_worker_die_with_it(system: RunningSystem) -> None:
    worker = system.service(*SERVICES["match worker"])
    assert worker is not None
    orphans = pool_children(worker)
    worker.kill()
    _, alive = psutil.wait_procs(orphans, timeout=5)
    assert alive == []
    wait_until(lambda: system.service(*SERVICES["match worker"]), seconds=SECONDS_TO_RECOVER)


def pool_children(worker: psutil.Process) -> list[psutil.Process]:
    return [child for child in worker.children() if "celery" in " ".join(child.cmdline())]


def left(killed_at: float) -> float:
    return killed_at + SECONDS_TO_RECOVER - time.monotonic()
