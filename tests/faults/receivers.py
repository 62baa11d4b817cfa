"""Channels and messages put into a running system, past its API, for tests of how it sends."""

import json
from dataclasses import asdict, dataclass

from tests.running_system import RunningSystem

_SECRET = "whsec_bGUgc3Vic2NyaWJlIHNpZ25zIHdpdGggdGhpcyBvbmU="


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """So many messages for each of these webhooks, all due now."""

    urls: list[str]
    messages: int
    name: str = "test"  # the same one again adds nothing


def plan(system: RunningSystem, *posts: Post) -> None:
    """In the order in which they come; the workers are woken."""
    given = json.dumps([asdict(post) for post in posts])
    done = system.manage("shell", "-c", f"from tests.faults.receivers import _store; _store({given!r})")
    assert done.returncode == 0, done.stderr


def _store(given: str) -> None:
    """Runs in a process with the settings of that system."""
    from django.db import transaction
    from django.utils import timezone

    from notifications import wakeups
    from notifications.models import Channel, Delivery
    from schema_registry.accounts.models import User

    now = timezone.now()
    owner, _ = User.objects.get_or_create(email="receivers@example.org")
    with transaction.atomic():
        for post in (Post(**each) for each in json.loads(given)):
            for url in post.urls:
                channel, _ = Channel.objects.get_or_create(
                    owner=owner,
                    kind="webhook",
                    address=url,
                    defaults={"state": "active", "secret": _SECRET, "created_at": now},
                )
                Delivery.objects.bulk_create(
                    Delivery(
                        channel=channel,
                        kind="test",
                        key=f"{post.name}:{number}",
                        planned_at=now,
                        next_attempt_at=timezone.now(),
                    )
                    for number in range(post.messages)
                )
    wakeups.SENDERS.send()


def let_leases_run_out(system: RunningSystem) -> None:
    """As if their time had passed, for tests that cannot wait so long."""
    done = system.manage("shell", "-c", "from tests.faults.receivers import _end_leases; _end_leases()")
    assert done.returncode == 0, done.stderr


def _end_leases() -> None:
    from django.utils import timezone

    from notifications.models import Delivery

    held = Delivery.objects.filter(state="waiting").exclude(leased_until=None)
    held.update(leased_until=timezone.now(), next_attempt_at=timezone.now())
