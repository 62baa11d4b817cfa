"""Rules of the task queue that no single test would notice broken."""

import subprocess

from lesubscribe.celery import app
from tests.running_system import ROOT


def test_only_json_is_accepted() -> None:
    assert set(app.conf.accept_content) == {"json"}
    assert app.conf.task_serializer == app.conf.result_serializer == "json"


def test_a_task_is_acknowledged_only_when_done_and_taken_one_at_a_time() -> None:
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1


def test_every_task_has_a_time_limit_below_the_moment_its_message_is_given_to_another() -> None:
    visibility = app.conf.broker_transport_options["visibility_timeout"]
    assert app.conf.task_soft_time_limit < app.conf.task_time_limit < visibility


def test_there_are_the_four_queues_and_no_other_can_arise() -> None:
    assert set(app.amqp.queues) == {"match", "plan", "deliver", "maintenance"}
    assert not app.conf.task_create_missing_queues


def test_nothing_runs_tasks_eagerly() -> None:
    assert not app.conf.task_always_eager
    own = "tests/architecture/test_celery.py"
    found = subprocess.run(
        ["git", "grep", "-il", "always_eager", "--", "*.py", f":!{own}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert found.stdout == ""
