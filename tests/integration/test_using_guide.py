"""docs/using.md does what it says: its program runs against a system with the vocabulary of the demo."""

import shutil
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from lesubscribe.demo.catalogue import CONTRIBUTIONS
from lesubscribe_client import Publisher
from tests.guides import Shell, blocks, check_shown, run_python
from tests.integration.test_live_service import key
from tests.running_system import ROOT, RunningSystem

pytestmark = pytest.mark.any_database

GUIDE = (ROOT / "docs" / "using.md").read_text()
TABLE = {
    "event_type": ["furniture"],
    "category": "dining-table",
    "price": 140,
    "title": "Oak dining table",
}


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on PATH")
def test_every_command_works_and_answers_as_shown(
    own_system: RunningSystem, shell: Shell, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {}
    printed = ""
    for block in blocks(GUIDE, own_system.url):
        if block.kind == "bash":
            printed = shell.run(block.text)
        elif block.kind == "python":
            monkeypatch.setenv("KEY", shell.run("printenv KEY").strip())
            if ".listen(" in block.text:
                publisher.publish("lot-7", TABLE, title="Oak dining table")
            printed = run_python(block, names)
        else:
            check_shown(block, printed)
    names["subscriber"].close()


@pytest.fixture
def publisher(own_system: RunningSystem) -> Iterator[Publisher]:
    """One that has brought in the vocabulary."""
    with Publisher(own_system.url, key(own_system, "publisher", "Maison Belleroche")) as publisher:
        first = CONTRIBUTIONS[0]
        for name, definition in first.domains.items():
            publisher.create_domain(name, definition)
        for name, domain in first.attributes.items():
            publisher.create_attribute(name, domain)
        for name, marks in first.event_types.items():
            publisher.create_event_type(name, marks)
        yield publisher


@pytest.fixture
def shell(own_system: RunningSystem) -> Iterator[Shell]:
    started = Shell(psutil.Process(own_system.process.pid).environ())
    yield started
    started.close()
