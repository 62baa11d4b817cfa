"""Whoever is asked to stop lets go of its work before it would be killed."""

from lesubscribe.celery import app
from lesubscribe.management.commands.up import application_services
from lesubscribe.supervisor import SECONDS_TO_STOP_A_STAGE
from tests.containers import STORES, services


def test_a_worker_gives_its_task_back_after_four_seconds() -> None:
    assert app.conf.worker_soft_shutdown_timeout == 4 < SECONDS_TO_STOP_A_STAGE


def test_the_web_lets_go_of_open_feeds_after_three_seconds() -> None:
    (web,) = (service.command for service in application_services() if service.name == "web")
    assert int(web[web.index("--timeout-graceful-shutdown") + 1]) == 3 < SECONDS_TO_STOP_A_STAGE


def test_a_container_has_at_least_as_long() -> None:
    ours = {name: service for name, service in services().items() if name not in STORES}
    seconds = {name: int(service["stop_grace_period"].removesuffix("s")) for name, service in ours.items()}
    assert {name for name in seconds if seconds[name] < SECONDS_TO_STOP_A_STAGE} == set()
