"""A service killed while the system runs: a new one answers soon, and tasks sent after the kill are done."""

import subprocess

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
SECONDS_TO_RECOVER = 300


@pytest.mark.parametrize("name", SERVICES)
def test_a_killed_service_is_back_and_tasks_flow_again(system: RunningSystem, name: str) -> None:
    victim = running(system, name)
    kill(victim)
    probes = wait_until(lambda: sent_and_done(system), seconds=SECONDS_TO_RECOVER)

    assert probes is not None
    assert probes.returncode == 0, probes.stderr
    wait_until(lambda: running(system, name) != victim, seconds=SECONDS_TO_RECOVER)
    wait_until(lambda: system.get("/healthz")[0] == 200, seconds=SECONDS_TO_RECOVER)
    assert "starting it again" in system.log


def test_the_process_that_runs_tasks_is_replaced_when_killed(system: RunningSystem) -> None:
    worker = running(system, "match worker")
    (child,) = wait_until(lambda: pool_children(worker), seconds=SECONDS_TO_RECOVER)
    child.kill()
    assert system.probe(seconds=SECONDS_TO_RECOVER).returncode == 0
    (successor,) = pool_children(worker)
    assert successor.pid != child.pid


def test_the_children_of_a_killed_worker_die_with_it(system: RunningSystem) -> None:
    worker = running(system, "match worker")
    orphans = wait_until(lambda: pool_children(worker), seconds=SECONDS_TO_RECOVER)
    worker.kill()
    _, alive = psutil.wait_procs(orphans, timeout=SECONDS_TO_RECOVER)
    assert alive == []
    wait_until(lambda: running(system, "match worker") != worker, seconds=SECONDS_TO_RECOVER)


def kill(victim: psutil.Process) -> None:
    """And wait until its sockets are closed: Redis would still hand a message to them, which is lost then.

    Events stand in the database, so that a sweeper sends for them again; nobody does so for a probe.
    """
    dying = [victim, *victim.children(recursive=True)]  # which have the same sockets
    victim.kill()
    _, alive = psutil.wait_procs(dying, timeout=SECONDS_TO_RECOVER)
    assert alive == []


def pool_children(worker: psutil.Process) -> list[psutil.Process]:
    return [child for child in worker.children() if "celery" in " ".join(child.cmdline())]


def running(system: RunningSystem, name: str) -> psutil.Process:
    """One that was killed may be about to come back."""
    service = wait_until(lambda: system.service(*SERVICES[name]), seconds=SECONDS_TO_RECOVER)
    assert service is not None
    return service


def sent_and_done(system: RunningSystem) -> "subprocess.CompletedProcess[str] | None":
    """How probes ended that could be sent; as long as Redis is away none can."""
    probes = system.probe(seconds=SECONDS_TO_RECOVER)
    return None if "Redis does not answer" in probes.stderr else probes
