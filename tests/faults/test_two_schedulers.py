"""Two schedulers beside each other send everything twice, and it is done once."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.limits.measuring import Measured
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.database

# As `celery beat`, which says nothing of what it sends.
BEAT = """
from celery.signals import after_task_publish
from lesubscribe.celery import app

@after_task_publish.connect(weak=False)
def say(sender, **more):
    print(sender, flush=True)

app.Beat(quiet=True).run()
"""
ENTRY, TASK = "tell of expiries", "notifications.tasks.tell_of_expiries"
SECONDS_TO_SEND = 300
ADDRESS = "two-schedulers@example.org"
SOMEBODY_WHOSE_SEARCH_ENDS = f"""
from datetime import timedelta
from django.utils import timezone
from matching import services
from notifications.models import Channel
from schema_registry.accounts.models import User
now = timezone.now()
owner = User.objects.create_user({ADDRESS!r})
services.subscribe(owner, "event_type exists", now=now - timedelta(days=10), valid_days=12)
Channel.objects.create(owner=owner, kind="email", address=owner.email, state="active", created_at=now)
"""
SET_INTERVAL = f"""
from django_celery_beat.models import IntervalSchedule, PeriodicTask
task = PeriodicTask.objects.get(name={ENTRY!r})
task.interval, _ = IntervalSchedule.objects.get_or_create(every=SECONDS, period="seconds")
task.save()
"""
NOTICES = f"""
from notifications.models import Delivery
print(Delivery.objects.filter(channel__address={ADDRESS!r}).count())
"""


def test_what_two_schedulers_send_in_the_same_slot_is_done_once(
    system: RunningSystem, tmp_path: Path, measured: Measured
) -> None:
    with ExitStack() as beating:
        logs = [beating.enter_context(one_more_scheduler(system, tmp_path / name)) for name in ("a", "b")]
        wait_until(lambda: all(log.stat().st_size for log in logs), seconds=SECONDS_TO_SEND)
        said(system, SOMEBODY_WHOSE_SEARCH_ENDS)
        beating.callback(send_every, system, seconds=600)
        send_every(system, seconds=1)
        wait_until(lambda: min(times_sent(log) for log in logs) >= 3, seconds=SECONDS_TO_SEND)
    wait_until(lambda: said(system, NOTICES) != "0", seconds=SECONDS_TO_SEND)
    assert system.probe(seconds=SECONDS_TO_SEND).returncode == 0  # behind all that was sent before
    measured("notices of a slot with three schedulers", int(said(system, NOTICES)), at_least=1, at_most=1)


@contextmanager
def one_more_scheduler(system: RunningSystem, log: Path) -> Iterator[Path]:
    """Beside that of the system. The file has a line for each task that it sent."""
    with open(log, "wb") as lines:
        beat = subprocess.Popen(
            [sys.executable, "-c", BEAT], cwd=system.root, env=system.environment, stdout=lines
        )
    try:
        yield log
    finally:
        beat.terminate()
        beat.wait(timeout=SECONDS_TO_SEND)


def send_every(system: RunningSystem, *, seconds: int) -> None:
    said(system, SET_INTERVAL.replace("SECONDS", str(seconds)))


def times_sent(log: Path) -> int:
    return log.read_text().split().count(TASK)


def said(system: RunningSystem, program: str) -> str:
    done = system.manage("shell", "--verbosity", "0", "-c", program)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
