"""compose.yaml runs in containers what `make up` runs as processes."""

import shlex

import pytest

from lesubscribe.management.commands.up import application_services
from tests.containers import STORES, filled_in, services

# What must differ: a container is reached from outside of it, and only by a proxy.
IN_A_CONTAINER = {"127.0.0.1": "0.0.0.0", "--no-proxy-headers": "--proxy-headers"}
NAMES = {"match": "worker-match", "plan": "worker-plan", "deliver": "worker-deliver"}


def test_each_service_has_the_command_it_has_elsewhere() -> None:
    there = services()
    for service in application_services():
        name = {**NAMES, "maintain": "worker-maintenance"}.get(service.name, service.name)
        wanted = ["python", *(IN_A_CONTAINER.get(word, word) for word in service.command[1:])]
        found = shlex.split(there.pop(name)["command"])
        assert [word for word in found if word != "--forwarded-allow-ips=*"] == wanted
    assert there.keys() == {"migrate", *STORES}


def test_what_must_be_set_is_asked_for() -> None:
    environment = services()["web"]["environment"]
    needed = {name for name, text in environment.items() if ":?" in str(text)}
    assert needed == {"SECRET_KEY", "ALLOWED_HOSTS", "BASE_URL", "DATABASE_URL"}
    assert filled_in(environment["EMAIL_URL"], {}) == ""
    with pytest.raises(KeyError):
        filled_in(environment["SECRET_KEY"], {})
