"""docs/publishing.md does what it says: its commands run in order against a running system.

An error that the guide does not show is a failure.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import zip_longest
from typing import Any

import psutil
import pytest
from django.conf import settings
from django.test import Client, override_settings

from lesubscribe.demo.catalogue import CONTRIBUTIONS
from matching import batch_api, envelopes, ndjson
from matching.models import PublishedEvent
from schema_registry import services as schema_services
from schema_registry.accounts import limits
from schema_registry.accounts import services as account_services
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.core import json_input
from tests.guides import Block, Shell, blocks, check_shown, run_python
from tests.running_system import ROOT, RunningSystem

pytestmark = pytest.mark.any_database

GUIDE = (ROOT / "docs" / "publishing.md").read_text()
PROBLEM = "urn:lesubscribe:problem:"


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on PATH")
def test_every_command_works_and_answers_as_shown(
    system: RunningSystem, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {}
    printed = ""
    all_blocks = blocks(GUIDE, system.url)
    for block, after in zip_longest(all_blocks, all_blocks[1:]):
        if block.kind == "bash":
            printed = shell.run(block.text)
        elif block.kind == "python":
            monkeypatch.setenv("KEY", shell.run("printenv KEY").strip())
            printed = run_python(block, names)
        else:
            check_shown(block, printed)
            continue
        shown = after.text if after else ""
        assert printed.count(PROBLEM) == shown.count(PROBLEM), f"line {block.line}: {printed}"
    names["publisher"].close()


@pytest.fixture
def shell(system: RunningSystem) -> Iterator[Shell]:
    started = Shell(psutil.Process(system.process.pid).environ())
    yield started
    started.close()


@pytest.mark.parametrize(
    "commands", ["false\ntrue", "KEY=$(false | tail -n 1)", "nothing_of_this_name | cat"]
)
def test_a_command_that_fails_would_be_noticed(commands: str) -> None:
    terminal = Shell(dict(os.environ))
    assert terminal.run("echo well") == "well\n\n"
    with pytest.raises(AssertionError, match="failed or took too long"):
        terminal.run(commands)
    terminal.close()


@pytest.mark.parametrize(
    ("shown", "printed", "is_right"),
    [
        ('{"id": 4}\n{"state": "matched"}', 'x\n{"id":9,"more":1}\n{"state":"matched"}', True),
        ('{"state": "matched"}', '{"state":"accepted"}', False),
        ('{"results": [{"a": 1}]}', '{"results":[]}', False),
        ('{"detail": "12 of 3"}', '{"detail":"4 of 56"}', True),
        ('{"count": 1}', '{"count":2}', False),
        ('{"id": 4}', "no answer", False),
    ],
)
def test_an_answer_that_differs_would_be_noticed(shown: str, printed: str, is_right: bool) -> None:
    block = Block("json", shown, line=1)
    with nullcontext() if is_right else pytest.raises(AssertionError):
        check_shown(block, printed)


def test_the_names_it_makes_are_not_those_of_the_demo() -> None:
    made = re.findall(r"schema/(domains|attributes|event-types) +'{\"name\": \"(\w+)\"", GUIDE)
    assert {section for section, _ in made} == {"domains", "attributes", "event-types"}
    taken = {name for part in CONTRIBUTIONS for name in (*part.domains, *part.attributes, *part.event_types)}
    assert taken & {name for _, name in made} == set()


def test_the_limits_it_names_are_those_of_the_code() -> None:
    fields = PublishedEvent._meta
    for sentence in (
        f"your own name for the item; required | {fields.get_field('external_id').max_length} characters |",
        f"| `title` | what people read | {fields.get_field('title').max_length} characters |",
        f"http or https | {fields.get_field('url').max_length:,} characters |",
        f"An event is remembered for {settings.RETENTION_DAYS} days",
        f"requests | {settings.RATE_LIMIT:,} in {limits.WINDOW_SECONDS} seconds for a key",
        f"an event in JSON | {json_input.MAX_BYTES:,} bytes",
        f"{batch_api.MOST_LINES:,} lines of {ndjson.LONGEST_LINE:,} bytes",
        f"{ndjson.MOST_BYTES:,} unzipped, {ndjson.MOST_RATIO} times what was sent",
        f"extensions of the schema | {Publisher._meta.get_field('extensions_per_day').default} a day",
        f"your views | {schema_services.MOST_VIEWS} |",
        f"your live keys | {account_services.MOST_LIVE_KEYS} |",
        f"| {envelopes.MOST_REVISIONS:,} |",
    ):
        assert sentence in GUIDE, sentence


# These take a locked database, a great backlog, or workers that are away; other tests have them.
PROVOKED_ELSEWHERE = {(503, "database-busy"), (503, "overloaded"), (503, "no-count")}
ITEM = {"external_id": "7", "event": {"event_type": ["lot"], "price": 5}}


@pytest.mark.django_db
class TestErrors:
    @pytest.fixture
    def publisher(self) -> Publisher:
        by_staff = schema_services.Author(None)
        schema_services.create_domain(by_staff, "money", {"kind": "numeric"})
        schema_services.create_attribute(by_staff, "price", "money")
        schema_services.create_event_type(by_staff, "lot", {"price": ["mandatory", "unique"]})
        return account_services.publisher_named("Atelier Lupot", state=Publisher.State.APPROVED)

    @pytest.fixture
    def send(self, client: Client, publisher: Publisher) -> Callable[..., tuple[int, str]]:
        keys: dict[str, str] = {
            scope: account_services.issue_key(publisher.user, [scope])[1]
            for scope in (Scope.EVENTS, Scope.SCHEMA)
        }

        def answer(
            path: str, body: Any, *, scope: Scope | str = Scope.EVENTS, kind: str = "application/json"
        ) -> tuple[int, str]:
            sent = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers = {"Authorization": f"Bearer {keys.get(scope, scope)}"} if scope else {}
            got = client.post(f"/api/v1/{path}", sent, content_type=kind, headers=headers)
            kind_of_problem = got.json()["type"] if got.status_code >= 400 else ""
            return got.status_code, kind_of_problem.removeprefix(PROBLEM)

        return answer

    def test_each_error_of_the_table_comes_when_it_says(
        self, send: Callable[..., tuple[int, str]], publisher: Publisher
    ) -> None:
        money = {"name": "money", "definition": {"kind": "numeric"}}
        assert send("events", {**ITEM, "revision": 1}) == (202, "")
        provoked = {
            send("events", b"{"),
            send("events", ITEM, scope=""),
            send("events", ITEM, scope="ls_none"),
            send("events", ITEM, scope=Scope.SCHEMA),
            send("nothing", ITEM),
            send("events/1", ITEM),
            send("schema/domains", money, scope=Scope.SCHEMA),
            send("events", b" " * (json_input.MAX_BYTES + 1)),
            send("events", ITEM, kind="text/plain"),
            send("events", {**ITEM, "event": {"event_type": ["lot"]}}),
            send("events", {"event": {}}),
            send("events?dry_run=perhaps", ITEM),
            send("events", {**ITEM, "view": "shop"}),
            send("schema/domains", {"name": "x", "definition": {"kind": "odd"}}, scope=Scope.SCHEMA),
            send("events", {**ITEM, "revision": 1, "title": "Another"}),
        }
        with override_settings(RATE_LIMIT=0):
            provoked.add(send("events", ITEM))
        account_services.set_extensions_per_day(publisher, 0)
        provoked.add(send("schema/attributes", {"name": "cost", "domain": "money"}, scope=Scope.SCHEMA))
        table = re.findall(r"^\| (\d{3}) \| `([\w-]+)` \|", GUIDE, re.MULTILINE)
        assert {(int(status), kind) for status, kind in table} == provoked | PROVOKED_ELSEWHERE
