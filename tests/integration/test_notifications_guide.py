"""docs/notifications.md does what it says: its commands and its receiver run against a running system.

An error that the guide does not show is a failure.
"""

import re
import shutil
from collections.abc import Iterator
from datetime import timedelta
from itertools import zip_longest
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from lesubscribe.demo.catalogue import CONTRIBUTIONS
from notifications import (
    addresses,
    bounces,
    channels,
    claims,
    composing,
    deliveries,
    preferences,
    replays,
    terms,
    verification,
)
from notifications.chat.services import SERVICES
from notifications.core import attempts
from notifications.core.policy import Frequency, Revisions
from notifications.models import Channel, Delivery
from schema_registry.core.errors import InputError
from tests.guides import Shell, blocks, check_shown
from tests.running_system import ROOT, RunningSystem, free_port

pytestmark = pytest.mark.any_database

GUIDE = (ROOT / "docs" / "notifications.md").read_text()
PROBLEM = "urn:lesubscribe:problem:"


@pytest.mark.database
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on PATH")
def test_every_command_works_and_answers_as_shown(
    system: RunningSystem, shell: Shell, tmp_path: Path
) -> None:
    """The port of the receiver and its files are those of this test."""
    printed = ""
    guide = GUIDE.replace("8099", str(free_port()))
    for name in ("receiver.py", "receiver.log"):
        guide = guide.replace(f" {name}", f" {tmp_path / name}")
    all_blocks = blocks(guide, system.url)
    for block, after in zip_longest(all_blocks, all_blocks[1:]):
        if block.kind == "python":
            (tmp_path / "receiver.py").write_text(block.text)
        elif block.kind == "bash":
            printed = shell.run(block.text)
            shown = after.text if after else ""
            assert printed.count(PROBLEM) == shown.count(PROBLEM), f"line {block.line}: {printed}"
        elif not block.text.startswith("POST /told"):  # which shows what is on the wire
            check_shown(block, printed)


@pytest.fixture
def shell(system: RunningSystem, tmp_path: Path) -> Iterator[Shell]:
    started = Shell(psutil.Process(system.process.pid).environ())
    yield started
    started.close()
    for process in psutil.process_iter(["cmdline"]):  # the receiver, should the guide not have ended it
        if str(tmp_path / "receiver.py") in (process.info["cmdline"] or ()):
            process.kill()


def test_the_names_it_makes_are_not_those_of_the_demo() -> None:
    made = re.findall(r"sell schema/(domains|attributes|event-types) +'{\"name\": \"(\w+)\"", GUIDE)
    assert {section for section, _ in made} == {"domains", "attributes", "event-types"}
    taken = {name for part in CONTRIBUTIONS for name in (*part.domains, *part.attributes, *part.event_types)}
    assert taken & {name for _, name in made} == set()


def test_the_times_between_attempts_are_those_of_the_code() -> None:
    units = {"s": "seconds", "min": "minutes", "h": "hours"}
    table = {
        int(attempt): timedelta(**{units[unit]: int(count)})
        for attempt, count, unit in re.findall(r"\| (\d+) \| (\d+) (s|min|h) (?=\|)", GUIDE)
    }
    assert table == dict(enumerate(attempts.GAPS, start=2))
    assert f"{attempts.MOST_ATTEMPTS} times in all" in GUIDE
    assert f"up to {attempts.JITTER:.0%} longer" in GUIDE
    assert f"arrives for {attempts.FAILING_FOR_TOO_LONG.days} days" in GUIDE.replace("\n", " ")


def test_the_limits_it_names_are_those_of_the_code() -> None:
    gaps, most = verification.GAP, [service.most for service in SERVICES.values()]
    for sentence in (
        f"You may have {settings.MOST_CHANNELS_PER_OWNER} channels",
        f"channels | {settings.MOST_CHANNELS_PER_OWNER} for a person",
        f"you have {settings.MOST_CHANNELS_PER_OWNER} |",
        f"at most {settings.MOST_MAILS_PER_DAY} messages a day over all accounts",
        f"{settings.MOST_MAILS_PER_DAY} messages a day over all accounts; then a digest",
        f"address | {addresses.LONGEST_WEBHOOK:,} characters",
        f"one in {channels.GAP_OF_TESTS.seconds} seconds for a channel",
        f"one in {gaps[Channel.Kind.WEBHOOK].seconds} seconds for a webhook",
        f"one in {gaps[Channel.Kind.EMAIL].seconds // 60} minutes",
        f"and {verification.MOST_MAILS_PER_DAY} a day for an e-mail address",
        f"{verification.MOST_PER_OWNER_AND_DAY} a day for a person",
        f"attempt is repeated after {claims.LEASE_SECONDS} seconds",
        f"For {channels.OLD_SECRET_SIGNS_FOR // timedelta(hours=1)} hours",
        f"{composing.MOST_ITEMS} items by webhook",
        f"the log | {settings.RETENTION_DAYS} days",
        f"more than {replays.MOST:,} messages",
        f"{replays.MOST:,} messages, one span at a time",
        f"At most {replays.MOST_WAITING} of them wait",
        f"within {bounces.DELAYS_ARE_COUNTED_FOR.days} days switches it off",
        f"into {min(most)} to {max(most):,} characters",
        *(f"| {service.name} |" for service in SERVICES.values()),
    ):
        assert sentence in GUIDE, sentence


def test_all_choices_are_explained() -> None:
    choices = (*Frequency, *Revisions, *Channel.State.values, *Channel.Wants.values, *Delivery.State.values)
    for choice in choices:
        assert f"`{choice}`" in GUIDE, choice


def test_the_table_of_refusals_has_all_of_them() -> None:
    refusals: set[type[InputError]] = {
        refusal
        for module in (addresses, channels, deliveries, preferences, replays, terms, verification)
        for refusal in vars(module).values()
        if isinstance(refusal, type) and issubclass(refusal, InputError) and refusal is not InputError
    }
    codes = {str(vars(refusal)["code"]).replace("_", "-") for refusal in refusals}
    assert set(re.findall(r"^\| \d{3} \| `([\w-]+)` \|", GUIDE, re.MULTILINE)) == codes
