"""A database as former versions left it, with data, and what the present version makes of it.

`check_upgrade` runs in a process with the settings of an empty database: data is put in with the tables of
the first version, and more with those of a later one, both by the models of their time; then all migrations.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

FIRST = [
    ("account", "0009_emailaddress_unique_primary_email"),
    ("accounts", "0001_initial"),
    ("matching", "0001_initial"),
    ("schema_registry", "0001_initial"),
]
LATER = [("matching", "0005_announcements"), ("notifications", "0001_initial")]
PEOPLE, LONG_AGO = 3, datetime(2026, 1, 5, 12, tzinfo=UTC)
DOCUMENT = {"event_type": ["lot"], "price": 7}


def check_upgrade() -> None:
    _fill_first(_tables_of(FIRST))
    _fill_later(_tables_of([*FIRST, *LATER]))
    call_command("migrate", interactive=False, verbosity=0)
    _check()


def _tables_of(targets: Sequence[tuple[str, str]]) -> Any:
    """The models of that time, once the tables are theirs."""
    executor = MigrationExecutor(connection)
    executor.migrate(list(targets))
    return MigrationExecutor(connection).loader.project_state(list(targets)).apps


def _fill_first(then: Any) -> None:
    """People with searches, an item that was matched, and one that waits."""
    from matching.drafts import drafted
    from schema_registry import services
    from schema_registry.selectors import current_schema

    by = services.Author(None)  # the schema's tables have not changed
    services.create_domain(by, "money", {"kind": "numeric"})
    services.create_attribute(by, "price", "money")
    services.create_event_type(by, "lot", {"price": ["mandatory", "unique"]})
    draft = drafted("price < 10", current_schema())
    user, matching = then.get_model("accounts", "User"), then.get_model
    house = user.objects.create(email="house@example.org")
    publisher = then.get_model("accounts", "Publisher").objects.create(
        name="House", user=house, state="approved"
    )
    matched, waiting = (
        matching("matching", "PublishedEvent").objects.create(
            publisher=publisher,
            external_id=name,
            revision=1,
            digest="0" * 64,
            schema_version=draft.schema_version,
            document=DOCUMENT,
            accepted_at=LONG_AGO,
            state=state,
        )
        for name, state in (("old", "matched"), ("new", "accepted"))
    )
    matching("matching", "MatchWork").objects.create(event=waiting)
    for number in range(1, PEOPLE + 1):
        person = user.objects.create(email=f"person-{number}@example.org")
        then.get_model("account", "EmailAddress").objects.create(
            user_id=person.pk, email=person.email, verified=True, primary=True
        )
        search = matching("matching", "Subscription").objects.create(
            owner=person,
            text=draft.text,
            canonical=draft.canonical,
            compiled=draft.compiled,
            schema_version=draft.schema_version,
            created_at=LONG_AGO,
            ticket_digest=f"{number:064}",
        )
        matching("matching", "SubscriptionChange").objects.create(
            sequence=number,
            subscription=search,
            is_matched=True,
            compiled=draft.compiled,
            schema_version=draft.schema_version,
        )
        matching("matching", "Match").objects.create(event=matched, subscription=search, matched_at=LONG_AGO)
    matching("matching", "ChangeCounter").objects.create(pk=1, last=PEOPLE)


def _fill_later(then: Any) -> None:
    """The first person has a webhook, with a message that arrived and one that is due."""
    person = then.get_model("accounts", "User").objects.get(email="person-1@example.org")
    channel = then.get_model("notifications", "Channel").objects.create(
        owner=person,
        kind="webhook",
        address="https://hooks.example.org/",
        state="active",
        created_at=LONG_AGO,
    )
    event = then.get_model("matching", "PublishedEvent").objects.get(external_id="old")
    for key, state in (("1", "delivered"), ("2", "waiting")):
        then.get_model("notifications", "Delivery").objects.create(
            channel=channel,
            event=event,
            kind="match",
            key=key,
            state=state,
            planned_at=LONG_AGO,
            next_attempt_at=LONG_AGO,
        )


def _check() -> None:
    """With the models and services of now."""
    from matching.draining import drain
    from matching.live import LiveMatcher
    from matching.models import Match, PublishedEvent
    from notifications.models import Channel, Delivery

    emails = Channel.objects.filter(kind="email", state="active")
    assert emails.count() == PEOPLE
    assert list(Channel.objects.filter(kind="webhook").values_list("owner__email", flat=True)) == [
        "person-1@example.org"
    ]
    states = dict(Delivery.objects.values_list("key", "state"))
    assert (states["1"], states["2"]) == ("delivered", "waiting")
    drain(LiveMatcher("quarantining"))
    for event in PublishedEvent.objects.all():
        assert event.state == "matched", event.external_id
        found = Match.objects.filter(event=event).select_related("subscription")
        assert len(found) == PEOPLE
        assert all(match.owner_id == match.subscription.owner_id for match in found)
    newest = PublishedEvent.objects.get(external_id="new")
    assert newest.match_count == PEOPLE
    assert newest.matched_at is not None
    assert timezone.now() - newest.matched_at < timedelta(hours=1)
    print("upgraded")
